// SPDX-License-Identifier: BSD-3-Clause
/*
 * libnative.so, see native.h. Writes a line for each access to the file $NATIVE_ACCESSES:
 *	access NAME PID TID TIME_NS PC ADDRESS SOURCE FLAGS NODE HOME LATENCY [FILE CALLER...]
 * SOURCE and FLAGS are words of make_samples, and TIME_NS is of CLOCK_MONOTONIC. The file is that of an instruction
 * outside of the program, which has callers.
 */
#define _GNU_SOURCE
#include "native.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <memphis.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define PAGE_BYTES   4096u
#define LINE_BYTES   64u
#define WATCHES      128
#define PAGES        16      /* of a watch: of more, every second one, third one ... */
#define ACCESSES     8       /* to a page in a visit */
#define EACH         1000000 /* accesses to shared memory: all, so that the last one that wrote is known */
#define VISITS       8       /* to a page, while other pages of the watch are visited in between */
#define DEPTH        16      /* of chains of callers */
#define OPEN         8       /* pages that one instruction accesses */
#define CPUS_OF_NODE 2

/* Cycles. What a cache of the same node serves takes as long as the own L3, roughly. */
enum { LOCAL_DRAM = 190, REMOTE_DRAM = 310, LOCAL_CACHE = 110, REMOTE_CACHE = 250 };

/* Programs need not be linked with the library. */
#pragma weak memphis_flush
#pragma weak memphis_pause

#define LOCK_PREFIX 0xf0
#define TRAP_FLAG   0x100
#define NO_PAGE     (-(uintptr_t)PAGE_BYTES) /* the kernel's */
#define UNTOUCHED   -1
#define NOBODY      0xff

struct page {
	uintptr_t start;
	int home, left, visits; /* accesses of this visit, and visits, that are still written down */
	unsigned int line;      /* the latest one of the visit, which is in the cache of this CPU */
	int line_cpu;
	unsigned char writer[PAGE_BYTES / LINE_BYTES]; /* CPU whose cache has the line */
};

/* Watches are never removed; of two with the same page, the later one has it. */
static struct watch {
	char name[64];
	int is_shared, count;
	struct page *visited; /* the latest page of which all accesses of the visit are written down */
	struct page pages[PAGES];
} watches[WATCHES];
static int watch_count;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of native_watch() and native_round() */
static int accesses_fd = -1;
static uintptr_t program_low, program_high;

/* A handler must not allocate these. */
static __thread int my_cpu __attribute__((tls_model("initial-exec")));
static __thread int open_count __attribute__((tls_model("initial-exec")));
static __thread struct page *open_pages[OPEN] __attribute__((tls_model("initial-exec")));

static struct page *page_of(uintptr_t address, struct watch **watch)
{
	for (int i = watch_count - 1; i >= 0; i--)
		for (int k = 0; k < watches[i].count; k++)
			if (address - watches[i].pages[k].start < PAGE_BYTES) {
				*watch = &watches[i];
				return &watches[i].pages[k];
			}
	return NULL;
}

/* Appends the file of an instruction outside of the program, and the return addresses of the calls that led to it. */
static int put_callers(char *line, size_t room, uintptr_t pc)
{
	void *stack[DEPTH + 8];
	int depth, i, used;
	Dl_info object;

	if (pc - program_low < program_high - program_low)
		return 0;
	if (!dladdr((void *)pc, &object))
		return 0;
	used = snprintf(line, room, " %s", object.dli_fname);
	depth = backtrace(stack, DEPTH + 8);
	/* The frames before are those of the handler. */
	for (i = 0; i < depth && (uintptr_t)stack[i] != pc; i++)
		;
	for (i++; i < depth; i++)
		used += snprintf(line + used, room - (size_t)used, " %p", stack[i]);
	return used;
}

static void write_down(const struct watch *watch, struct page *page, uintptr_t pc, uintptr_t address,
		       int is_store)
{
	unsigned char *writer = &page->writer[address % PAGE_BYTES / LINE_BYTES];
	int node = my_cpu / CPUS_OF_NODE, latency, used;
	bool is_remote;
	unsigned int at = (unsigned int)(address % PAGE_BYTES / LINE_BYTES);
	/* An atomic operation is a load and a store. Programs need no other instructions that are both. */
	bool is_locked = *(const unsigned char *)pc == LOCK_PREFIX;
	bool is_cached = page->line == at && page->line_cpu == my_cpu;
	const char *source = is_cached ? "l1" : "dram";
	struct timespec now;
	char line[1024], flags[8] = "";

	page->line = at;
	page->line_cpu = my_cpu;

	is_remote = !is_cached && page->home != node;
	latency = is_cached ? 0 : is_remote ? REMOTE_DRAM : LOCAL_DRAM;
	if (watch->is_shared && *writer != NOBODY && *writer != my_cpu) {
		is_remote = *writer / CPUS_OF_NODE != node;
		source = "peer-cache";
		latency = is_remote ? REMOTE_CACHE : LOCAL_CACHE;
	}
	if (is_store)
		*writer = (unsigned char)my_cpu;
	/* The hardware reports a source for loads alone. */
	if (is_store && !is_locked) {
		source = "unknown";
		latency = 0;
		is_remote = false;
	}
	strcat(flags, is_locked ? "LSK" : is_store ? "S" : "L");
	if (is_remote)
		strcat(flags, "R");
	if (!strcmp(source, "peer-cache"))
		strcat(flags, "H");
	clock_gettime(CLOCK_MONOTONIC, &now);
	used = snprintf(line, sizeof(line), "access %s %d %d %lld %#zx %#zx %s %s %d %d %d", watch->name,
			getpid(), gettid(), now.tv_sec * 1000000000LL + now.tv_nsec, pc, address, source,
			flags, node, page->home, latency);
	used += put_callers(line + used, sizeof(line) - (size_t)used - 1, pc);
	line[used++] = '\n';
	if (write(accesses_fd, line, (size_t)used) != used)
		abort();
}

/* Of all loops over the memory, some accesses are written down: a page is closed again once another one was visited. */
static void visit_again(struct watch *watch, struct page *page)
{
	struct page *before = watch->visited;

	watch->visited = page;
	if (!before || before == page || --before->visits <= 0)
		return;
	before->left = ACCESSES;
	before->line_cpu = -1;
	mprotect((void *)before->start, PAGE_BYTES, PROT_NONE);
}

/* An access to a closed page: opens it for one instruction. */
static void on_fault(int number, siginfo_t *info, void *context)
{
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
	uintptr_t address = (uintptr_t)info->si_addr;
	struct watch *watch;
	struct page *page = page_of(address, &watch);
	int error = errno;

	if (!page || open_count == OPEN) {
		signal(number, SIG_DFL);
		return;
	}
	if (page->home == UNTOUCHED)
		page->home = my_cpu / CPUS_OF_NODE;
	write_down(watch, page, (uintptr_t)registers[REG_RIP], address, (registers[REG_ERR] & 2) != 0);
	if (mprotect((void *)page->start, PAGE_BYTES, PROT_READ | PROT_WRITE))
		abort();
	if (--page->left > 0)
		open_pages[open_count++] = page;
	else
		visit_again(watch, page);
	if (open_count)
		registers[REG_EFL] |= TRAP_FLAG;
	errno = error;
}

/* After that instruction. */
static void on_step(int number, siginfo_t *info, void *context)
{
	int error = errno;

	(void)number;
	(void)info;
	((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
	/* Memory that was unmapped by the instruction, a system call, has no page to be closed. */
	while (open_count)
		mprotect((void *)open_pages[--open_count]->start, PAGE_BYTES, PROT_NONE);
	errno = error;
}

void native_cpu(int cpu)
{
	my_cpu = cpu;
}

/* What was watched at these addresses before is gone. */
static void forget_pages(uintptr_t start, uintptr_t end)
{
	for (int i = 0; i < watch_count; i++)
		for (int k = 0; k < watches[i].count; k++)
			if (watches[i].pages[k].start >= start && watches[i].pages[k].start < end) {
				mprotect((void *)watches[i].pages[k].start, PAGE_BYTES,
					 PROT_READ | PROT_WRITE);
				watches[i].pages[k].start = NO_PAGE;
			}
}

static void watch_pages(struct watch *watch, uintptr_t start, uintptr_t end)
{
	uintptr_t count, i, step;
	unsigned char is_resident;

	start = (start + PAGE_BYTES - 1) & -(uintptr_t)PAGE_BYTES;
	count = end > start ? (end - start) / PAGE_BYTES : 0;
	step = count ? (count + PAGES - 1) / PAGES : 1;
	for (i = 0; i + step <= count; i += step) {
		struct page *page = &watch->pages[watch->count++];

		/* Where the step is even, not all of them are even. */
		page->start = start + (i + i / step % step) * PAGE_BYTES;
		page->line_cpu = -1;
		memset(page->writer, NOBODY, sizeof(page->writer));
		if (mincore((void *)page->start, PAGE_BYTES, &is_resident))
			abort();
		page->home = is_resident & 1 ? my_cpu / CPUS_OF_NODE : UNTOUCHED;
	}
}

/* Allocations that the program releases within a tenth of a second are not in the files unless they were sampled, which nobody notes here. */
static void flush(void)
{
	if (memphis_flush)
		memphis_flush();
}

/* The library looks for static pointers to blocks when sampling ends, or after a second; these programs end earlier. */
static void pause_sampling(void)
{
	if (memphis_pause)
		memphis_pause();
}

static void close_pages(struct watch *watch)
{
	for (int i = 0; i < watch->count; i++) {
		watch->pages[i].left = watch->is_shared ? EACH : ACCESSES;
		watch->pages[i].visits = VISITS;
		watch->pages[i].line_cpu = -1;
		/* The memory may be gone by now. */
		mprotect((void *)watch->pages[i].start, PAGE_BYTES, PROT_NONE);
	}
}

/* The run-time libraries of Fortran and Rust set handlers of their own when the program begins. */
static void handle(int number, void (*handler)(int, siginfo_t *, void *))
{
	struct sigaction action = {.sa_flags = SA_SIGINFO | SA_RESTART, .sa_sigaction = handler};

	sigaction(number, &action, NULL);
}

static void add_watch(const void *start, size_t bytes, const char *name, int is_shared)
{
	struct watch *watch;

	if (accesses_fd < 0)
		return;
	flush();
	pthread_mutex_lock(&lock);
	handle(SIGSEGV, on_fault);
	handle(SIGTRAP, on_step);
	if (!watch_count)
		atexit(pause_sampling);
	watch = &watches[watch_count];
	if (watch_count == WATCHES || strlen(name) >= sizeof(watch->name)) {
		fprintf(stderr, "native_watch: %s: too many, or too long\n", name);
		exit(1);
	}
	strcpy(watch->name, name);
	watch->is_shared = is_shared;
	forget_pages((uintptr_t)start, (uintptr_t)start + bytes);
	watch_pages(watch, (uintptr_t)start, (uintptr_t)start + bytes);
	if (!watch->count) {
		fprintf(stderr, "native_watch: %s has no whole page\n", name);
		exit(1);
	}
	__atomic_store_n(&watch_count, watch_count + 1, __ATOMIC_RELEASE);
	close_pages(watch);
	pthread_mutex_unlock(&lock);
}

void native_watch(const void *start, size_t bytes, const char *name)
{
	add_watch(start, bytes, name, 0);
}

void native_watch_shared(const void *start, size_t bytes, const char *name)
{
	add_watch(start, bytes, name, 1);
}

void native_move(const void *start, size_t bytes, int node)
{
	struct watch *watch;
	struct page *page;

	for (uintptr_t at = (uintptr_t)start & -(uintptr_t)PAGE_BYTES; at < (uintptr_t)start + bytes;
	     at += PAGE_BYTES) {
		page = page_of(at, &watch);
		if (page)
			page->home = node;
	}
}

void native_round(void)
{
	pthread_mutex_lock(&lock);
	for (int i = 0; i < watch_count; i++)
		close_pages(&watches[i]);
	pthread_mutex_unlock(&lock);
}

static int note_program(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	(void)data;
	program_low = UINTPTR_MAX;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;

		if (info->dlpi_phdr[i].p_type != PT_LOAD)
			continue;
		program_low = start < program_low ? start : program_low;
		program_high = start + info->dlpi_phdr[i].p_memsz;
	}
	return 1; /* the program itself is the first object */
}

__attribute__((constructor)) static void begin(void)
{
	const char *path = getenv("NATIVE_ACCESSES");
	void *stack[2];

	if (!path)
		return;
	accesses_fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (accesses_fd < 0) {
		perror(path);
		exit(1);
	}
	backtrace(stack, 2); /* loads a library at its first call */
	dl_iterate_phdr(note_program, NULL);
	/* A huge page would be touched as a whole. */
	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
}
