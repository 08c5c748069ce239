// SPDX-License-Identifier: BSD-3-Clause
/*
 * An ordinary user's process makes the kernel access the kernel's own data, in as many ways and as often as
 * it can, while it is sampled at the shortest period; another user's process does the same with memory of its
 * own. Then everything that the device returned is searched byte by byte: it must contain nothing that the
 * process may not know.
 * usage: secrets ROUNDS
 */
#define _GNU_SOURCE
#include "common.h"

#include <asm/ldt.h>
#include <dirent.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BYTES   (32u << 20)
#define RECORDS (1u << 14)
#define STACK   512u /* bytes that are copied with each sample */
#define REGION  0x5ec2e700u

/* Address of the other user's memory; this process never maps anything there. */
#define FOREIGN ((char *)0x123400000000)

/* Words on the other user's stack. */
#define FOREIGN_WORD  0xb0bb1e5000000000u
#define FOREIGN_WORDS 8

/* End of user space and start of kernel space; no address in between is valid. */
#define USER_END     0x800000000000
#define KERNEL_BEGIN 0xffff800000000000

/* How often all is done, and the samples that each time must give. */
static unsigned int rounds;
#define KEPT_PER_ROUND   300 /* seen: 600 */
#define KERNEL_PER_ROUND 300 /* seen: 8000 */
#define DATA_PER_ROUND   3   /* seen: 70 */

static char *buffer, *faulting;
static uint64_t *frames; /* physical page frames of the buffer */
static int zero, null, pipes[2];

/*
 * The following functions each return soon, and make the kernel access its own data, or the CPU access the
 * kernel's tables.
 */

static void copy_in_and_out(void)
{
	need(read(zero, buffer, 1 << 20) == 1 << 20 && write(null, buffer, 1 << 20) == 1 << 20,
	     "read and write");
	for (int i = 0; i < 16; i++)
		need(write(pipes[1], buffer + i * 4096, 4096) == 4096 &&
			     read(pipes[0], buffer + (1 << 20), 4096) == 4096,
		     "pipe");
}

static void list_directories(void)
{
	static const char *const names[] = {"/proc", "/sys/kernel", "/dev", "/proc/self/task"};
	int directory = open(names[(unsigned int)rand() % 4], O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	while (syscall(SYS_getdents64, directory, buffer, 65536) > 0)
		;
	close(directory);
}

static void fault_pages(void)
{
	need(!madvise(faulting, 1 << 20, MADV_DONTNEED), "madvise");
	for (size_t at = 0; at < 1 << 20; at += 4096)
		faulting[at] = 1;
}

static volatile sig_atomic_t signals;

static void on_signal(int number)
{
	(void)number;
	signals++;
}

static void take_signals(void)
{
	for (int i = 0; i < 50; i++)
		raise(SIGUSR1);
}

/*
 * vDSO, and the vsyscall page at its fixed address in the kernel's half: with vsyscall=emulate on the command
 * line, it can be read, and calls to it are emulated.
 */
static void ask_time(void)
{
	long (*const old_time)(long *) = (long (*)(long *))0xffffffffff600400;
	const volatile uint64_t *page = (const uint64_t *)0xffffffffff600000;
	struct timespec time;

	for (int i = 0; i < 50; i++) {
		clock_gettime(CLOCK_MONOTONIC, &time);
		clock_gettime(CLOCK_REALTIME_COARSE, &time);
		old_time(NULL);
	}
	for (int i = 0; i < 50000; i++)
		(void)page[i % 512];
}

/* User-mode instructions that read descriptors from the kernel's tables. */
static void load_descriptors(void)
{
	struct user_desc entry = {.entry_number = 1,
				  .base_addr = 0,
				  .limit = 0xfffff,
				  .seg_32bit = 1,
				  .limit_in_pages = 1,
				  .useable = 1};
	unsigned short data = 0x2b;
	unsigned long code, limit, rights;

	syscall(SYS_modify_ldt, 1, &entry, sizeof(entry));
	for (int i = 0; i < 200; i++) {
		asm volatile("mov %0, %%ds\n\tmov %0, %%es" : : "r"(data));
		asm volatile("mov %0, %%ds" : : "r"((unsigned short)(1 << 3 | 7)));
		asm volatile("mov %0, %%ds" : : "r"((unsigned short)0));
		asm volatile("verr %w0" : : "r"(data) : "cc");
		asm volatile("verw %w0" : : "r"(data) : "cc");
		asm volatile("lsl %1, %0" : "=r"(limit) : "r"((unsigned long)data) : "cc");
		asm volatile("lar %1, %0" : "=r"(rights) : "r"((unsigned long)data) : "cc");
		/* A far return to the next instruction, below the red zone. */
		asm volatile("sub $128, %%rsp\n\t"
			     "mov %%cs, %0\n\t"
			     "push %0\n\t"
			     "lea 1f(%%rip), %0\n\t"
			     "push %0\n\t"
			     "lretq\n"
			     "1:\tadd $128, %%rsp"
			     : "=&r"(code)
			     :
			     : "memory", "cc");
	}
}

/* Software interrupts read the interrupt descriptor table. */
static void interrupt(void)
{
	for (int i = 0; i < 200; i++) {
		long result = 20; /* getpid in the 32-bit system call table */

		asm volatile("int $0x80" : "+a"(result) : : "memory", "r8", "r9", "r10", "r11");
	}
}

/* Prefetches of kernel addresses do not fault. */
static void prefetch_kernel(void)
{
	for (uint64_t i = 0; i < 2000; i++)
		asm volatile("prefetcht0 (%0)" : : "r"(0xffffffff81000000 + i * 4096));
	for (uint64_t i = 0; i < 2000; i++)
		asm volatile("prefetcht0 (%0)" : : "r"(0xffff888000000000 + i * 4096));
}

static struct {
	int fd;
	char *submissions, *entries;
	struct io_uring_params parameters;
} ring;

static void open_uring(void)
{
	size_t bytes;

	ring.fd = (int)syscall(SYS_io_uring_setup, 8, &ring.parameters);
	need(ring.fd >= 0, "io_uring_setup");
	/*
	 * One map of both rings and of the array behind them, and no larger, because Linux 5.10 refuses more.
	 */
	bytes = ring.parameters.sq_off.array + ring.parameters.sq_entries * sizeof(uint32_t);
	ring.submissions = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, ring.fd, IORING_OFF_SQ_RING);
	ring.entries = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, ring.fd, IORING_OFF_SQES);
	need(ring.submissions != MAP_FAILED && ring.entries != MAP_FAILED, "map of io_uring");
}

static void use_uring(void)
{
	const struct io_sqring_offsets *offsets = &ring.parameters.sq_off;
	uint32_t *tail = (uint32_t *)(ring.submissions + offsets->tail);
	uint32_t *array = (uint32_t *)(ring.submissions + offsets->array);
	struct io_uring_sqe *entries = (struct io_uring_sqe *)ring.entries;
	volatile uint32_t *head = (uint32_t *)(ring.submissions + ring.parameters.cq_off.head);

	for (int i = 0; i < 20; i++) {
		uint32_t index = *tail & (ring.parameters.sq_entries - 1);

		entries[index] = (struct io_uring_sqe){.opcode = IORING_OP_READ,
						       .fd = zero,
						       .addr = (uintptr_t)buffer,
						       .len = 65536,
						       .user_data = (uint64_t)i};
		array[index] = index;
		__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
		need(syscall(SYS_io_uring_enter, ring.fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) == 1,
		     "io_uring_enter");
		(*head)++;
	}
}

static void use_memory(void)
{
	walk((const uint64_t *)buffer, BYTES, 400000);
}

static void make_children(void)
{
	pid_t child = vfork();

	if (!child)
		_exit(0);
	waitpid(child, NULL, 0);
}

static void (*const works[])(void) = {copy_in_and_out, list_directories, fault_pages,  take_signals,
				      ask_time,        load_descriptors, interrupt,    prefetch_kernel,
				      use_uring,       use_memory,       make_children};

/* Address ranges that the process may see: its own mappings. */
static struct range {
	uint64_t start, end;
	bool executable;
	bool lent; /* pages provided by the kernel, some of which are on no node */
} ranges[512];
static size_t range_count;

static void read_ranges(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512], rights[8];

	need(maps, "/proc/self/maps");
	while (fgets(line, sizeof(line), maps)) {
		struct range *range = &ranges[range_count];

		need(sscanf(line, "%lx-%lx %7s", &range->start, &range->end, rights) == 3, "a line of maps");
		range->executable = rights[2] == 'x';
		range->lent = strstr(line, "[vvar") || strstr(line, "[io_uring]");
		/* vsyscall belongs to the kernel, although it is in every process's maps. */
		range_count += range->start < USER_END;
		need(range_count < 512, "room for maps");
	}
	fclose(maps);
}

static const struct range *range_of(uint64_t address)
{
	for (size_t i = 0; i < range_count; i++)
		if (address >= ranges[i].start && address < ranges[i].end)
			return &ranges[i];
	return NULL;
}

static int compare(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

/* Reads the frames from pagemap, which reveals them only because root opened the file, before become(). */
static void read_frames(int pagemap)
{
	uint64_t *entries = malloc(BYTES / 4096 * sizeof(*entries));

	need(entries && pread(pagemap, entries, BYTES / 4096 * 8, (off_t)((uintptr_t)buffer / 4096 * 8)) ==
				BYTES / 4096 * 8,
	     "pagemap");
	frames = entries;
	for (size_t i = 0; i < BYTES / 4096; i++) {
		need(entries[i] >> 63, "a page of the buffer is present");
		frames[i] = entries[i] & ((1ULL << 55) - 1);
		need(frames[i], "pagemap tells frames");
	}
	qsort(frames, BYTES / 4096, sizeof(*frames), compare);
}

static bool is_physical(uint64_t word)
{
	uint64_t frame = word >> 12;

	return bsearch(&frame, frames, BYTES / 4096, sizeof(*frames), compare) != NULL;
}

/*
 * Number of words that look like a kernel address or a physical address of the buffer. Samples are searched at every eighth byte: at
 * the other fourth ones, the lower half of a field is the upper half of the word. is_allowed() has checked these fields, and the
 * lower half of an allowed time or address may have any value. Everything else is searched at every fourth byte.
 */
struct findings {
	uint64_t kernel, physical;
};

static void search(struct findings *findings, const char *name, const void *area, size_t bytes, size_t step)
{
	for (size_t at = 0; at + 8 <= bytes; at += step) {
		uint64_t word;

		memcpy(&word, (const char *)area + at, sizeof(word));
		if (word < KERNEL_BEGIN && !(at % 8 == 0 && is_physical(word)))
			continue;
		printf("# %s, byte %zu: %#lx\n", name, at, word);
		findings->kernel += word >= KERNEL_BEGIN;
		findings->physical += word < KERNEL_BEGIN;
	}
}

static bool is_zero(const void *area, size_t from, size_t to)
{
	for (const char *byte = (const char *)area + from; byte < (const char *)area + to; byte++)
		if (*byte)
			return false;
	return true;
}

/* Checks that every field of a sample has an allowed value and that unknown bits are zero. */
static bool is_allowed(const struct memphis_sample *sample, uint64_t start, uint64_t end)
{
	const struct range *code = range_of(sample->pc), *data = range_of(sample->address);

	return sample->time_ns >= start && sample->time_ns <= end && code && code->executable && data &&
	       sample->region == REGION && sample->source < MEMPHIS_SOURCES &&
	       !(sample->flags & ~MEMPHIS_FLAGS) &&
	       (sample->home_node < 2 || (sample->home_node == MEMPHIS_NODE_UNKNOWN && data->lent)) &&
	       sample->cpu == 0 && sample->node == 0;
}

static bool is_mapped(uint64_t start, uint64_t end)
{
	const struct range *range;

	for (; start < end; start = range->end) {
		range = range_of(start);
		if (!range)
			return false;
	}
	return true;
}

/* Checks the registers, and that all bytes come from memory of the process. */
static bool is_allowed_stack(const struct memphis_user_stack *stack)
{
	const struct range *code = range_of(stack->ip);

	if (stack->flags == MEMPHIS_STACK_IN_KERNEL)
		return !stack->bytes && !stack->ip && !stack->sp && !stack->bp;
	return !stack->flags && code && code->executable && stack->bytes <= STACK &&
	       is_mapped(stack->sp, stack->sp + stack->bytes);
}

static void check_stacks(const struct thread_map *map, uint64_t kept)
{
	const size_t slot = sizeof(struct memphis_user_stack) + STACK;
	const char *stacks = (const char *)map->status + map->attach.stacks_at;
	uint64_t in_kernel = 0, copied = 0, bad = 0, foreign = 0, word, i;

	for (i = 0; i < map->status->stack_head; i++) {
		const struct memphis_user_stack *stack = (const void *)(stacks + i * slot);
		bool is = is_allowed_stack(stack) && stack->sample < kept;

		if (!is)
			printf("# stack of %llu: ip %#llx sp %#llx bp %#llx bytes %u flags %#x\n",
			       stack->sample, stack->ip, stack->sp, stack->bp, stack->bytes, stack->flags);
		bad += !is;
		in_kernel += stack->flags == MEMPHIS_STACK_IN_KERNEL;
		copied += stack->bytes == STACK;
	}
	for (i = 0; i + 8 <= map->attach.ring_bytes - map->attach.stacks_at; i++) {
		memcpy(&word, stacks + i, sizeof(word));
		foreign += (word & ~0xffull) == FOREIGN_WORD;
	}
	printf("# stacks %llu, %lu copied, %lu in the kernel\n", map->status->stack_head, copied, in_kernel);
	check("secrets: the stacks of most samples are copied", 2 * copied > kept);
	check_equal("secrets: each stack is of the process's own code and memory", bad, 0);
	check_equal("secrets: nothing of another user's stack is there", foreign, 0);
	check("secrets: all bytes behind the stacks are zero",
	      is_zero(stacks, map->status->stack_head * slot,
		      map->attach.ring_bytes - map->attach.stacks_at));
}

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static int *go, *others;

/* Another user on the same CPU, sampled by a session of its own, at an address that no other process uses. */
static void work_beside(void *unused)
{
	volatile uint64_t words[FOREIGN_WORDS];
	struct memphis_config config;
	int fd;

	(void)unused;
	run_on(0);
	become(BOB);
	need(mmap(FOREIGN, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
		     FOREIGN,
	     "memory of the other user");
	fd = open_device();
	config = shortest_config(fd);
	need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	attach_mapped(fd, 0, &config);
	need(!request(fd, MEMPHIS_IOC_START, NULL), "start");
	memset(FOREIGN, 1, 1 << 20);
	reach(others);
	for (unsigned int i = 0; i < FOREIGN_WORDS; i++)
		words[i] = FOREIGN_WORD + i;
	while (!*(volatile int *)go && words[1])
		walk((const uint64_t *)FOREIGN, 1 << 20, 1000);
}

static void check_all(const struct thread_map *map, const struct memphis_control *session, int fd,
		      uint64_t start, uint64_t end)
{
	uint64_t kept, allowed = 0, foreign = 0, i;
	struct memphis_accounting accounting = read_books(map);
	struct findings findings = {0};
	struct memphis_attach attach = {.tid = gettid()};
	struct memphis_query query;
	struct memphis_stats stats;

	memset(&query, 0xee, sizeof(query));
	memset(&stats, 0xee, sizeof(stats));
	need(!request(fd, MEMPHIS_IOC_QUERY, &query) && !request(fd, MEMPHIS_IOC_STATS, &stats),
	     "query and stats");
	kept = accounting.kept;
	printf("# kept %llu, lost %llu, kernel pc %llu, kernel address %llu, no address %llu\n",
	       accounting.kept, accounting.lost, accounting.filtered[MEMPHIS_REASON_KERNEL_PC],
	       accounting.filtered[MEMPHIS_REASON_KERNEL_ADDRESS],
	       accounting.filtered[MEMPHIS_REASON_NO_ADDRESS]);
	check("secrets: samples are kept and none is lost",
	      kept > rounds * KEPT_PER_ROUND && !accounting.lost && kept <= RECORDS);
	check_equal("secrets: the accounting balances", books_sum(&accounting), accounting.interrupts);
	for (i = 0; i < kept; i++) {
		const struct memphis_sample *sample = &map->records[i];
		bool is = is_allowed(sample, start, end);

		allowed += is;
		if (!is)
			printf("# pc %#llx address %#llx region %#x source %u flags %#x home %u cpu %u node %u\n",
			       sample->pc, sample->address, sample->region, sample->source, sample->flags,
			       sample->home_node, sample->cpu, sample->node);
		foreign += sample->address - (uintptr_t)FOREIGN < 1 << 20;
	}
	check_equal("secrets: each sample is of the process's own code and memory", allowed, kept);
	check_equal("secrets: none is of another user's memory", foreign, 0);
	check("secrets: all bytes behind the samples are zero",
	      is_zero(map->records, kept * sizeof(struct memphis_sample), map->attach.stacks_at - 4096));
	check_stacks(map, kept);
	check("secrets: all bytes behind the status are zero",
	      is_zero(map->status, sizeof(struct memphis_status), 4096));
	check("secrets: a status contains the accounting only",
	      map->status->head == kept && map->status->exited == 0 &&
		      map->status->sequence == (uint32_t)(2 * accounting.interrupts) &&
		      is_zero(accounting.filtered, MEMPHIS_REASONS * sizeof(uint64_t),
			      sizeof(accounting.filtered)));
	check("secrets: control pages contain what the process wrote",
	      map->control->region == REGION && is_zero(map->control, 4, 4096) && is_zero(session, 0, 4096));
	check("secrets: stats contain the right values",
	      stats.ring_bytes == map->attach.ring_bytes && stats.threads == 1 && stats.running == 0 &&
		      stats.starved_ns <= stats.enabled_ns && stats.enabled_ns <= 4 * (end - start) &&
		      is_zero(stats.reserved, 0, sizeof(stats.reserved)));
	check("secrets: a query's strings end in zeros",
	      is_zero(query.version, strlen(query.version), sizeof(query.version)) &&
		      is_zero(query.pmu, strlen(query.pmu), sizeof(query.pmu)));
	/*
	 * Verified exactly here and then cleared, because the values could be mistaken for physical
	 * addresses.
	 */
	check_equal("secrets: a query's budget", query.ring_budget_bytes, 268435456);
	check_equal("secrets: a query's longest period", query.period_max, hardware()->period_max);
	query.ring_budget_bytes = query.period_max = stats.starved_ns = stats.enabled_ns = 0;
	search(&findings, "records", map->records, map->attach.stacks_at - 4096, 8);
	search(&findings, "status", map->status, 4096, 4);
	search(&findings, "control", map->control, 4096, 4);
	search(&findings, "session", session, 4096, 4);
	search(&findings, "query", &query, sizeof(query), 4);
	search(&findings, "stats", &stats, sizeof(stats), 4);
	need(request(fd, MEMPHIS_IOC_ATTACH, &attach) == EEXIST, "attach twice");
	search(&findings, "attach", &attach, sizeof(attach), 4);
	check_equal("secrets: no word looks like a kernel address", findings.kernel, 0);
	check_equal("secrets: no word looks like a physical address of the process's memory",
		    findings.physical, 0);
	/*
	 * The interrupts must have hit kernel code and kernel data, or the other checks would prove little.
	 */
	if (query.hardware == MEMPHIS_HARDWARE_PEBS) /* counts in user mode only */
		check_equal("secrets: nothing of the kernel came through",
			    accounting.filtered[MEMPHIS_REASON_KERNEL_PC], 0);
	else
		check("secrets: nothing of the kernel came through",
		      accounting.filtered[MEMPHIS_REASON_KERNEL_PC] > rounds * KERNEL_PER_ROUND);
	/* These loads hit the caches, and are not counted by events of loads that missed the L3. */
	if (emulated()->events & 1)
		check("secrets: user instructions with kernel data were dropped",
		      accounting.filtered[MEMPHIS_REASON_KERNEL_ADDRESS] > rounds * DATA_PER_ROUND);
}

static void spy(void *unused)
{
	int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	struct memphis_control *session;
	struct memphis_config config;
	struct thread_map map;
	uint64_t start;
	int fd;

	(void)unused;
	need(pagemap >= 0, "/proc/self/pagemap");
	become(ALICE);
	run_on(0);
	buffer = (char *)buffer_on(0, BYTES);
	faulting = (char *)buffer_on(0, 1 << 20);
	zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	need(zero >= 0 && null >= 0 && !pipe(pipes) && signal(SIGUSR1, on_signal) != SIG_ERR, "files");
	open_uring();
	fd = open_device();
	config = shortest_config(fd);
	config.ring_records = RECORDS;
	config.wakeup_records = 1;
	config.stack_bytes = STACK;
	config.stack_records = RECORDS;
	need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	session = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	need(session != MAP_FAILED, "map of the session's page");
	map = attach_mapped(fd, 0, &config);
	map.control->region = REGION;
	start = now();
	need(!request(fd, MEMPHIS_IOC_START, NULL), "start");
	for (unsigned int round = 0; round < rounds; round++)
		for (size_t i = 0; i < sizeof(works) / sizeof(works[0]); i++)
			works[i]();
	need(!request(fd, MEMPHIS_IOC_STOP, NULL), "stop");
	/* The search needs the CPU that both share. */
	*go = 1;
	read_ranges();
	read_frames(pagemap);
	check_all(&map, session, fd, start, now());
	close_device(fd);
}

int main(int argc, char **argv)
{
	pid_t other;

	rounds = argc == 2 ? (unsigned int)atoi(argv[1]) : 0;
	need(rounds > 0, "number of rounds");
	go = shared_memory(4096);
	others = go + 1;
	need(!chmod("/dev/memphis", 0666), "chmod");
	other = start_child(work_beside, NULL);
	wait_for(others, 1);
	check_equal("end of the spying process", end_of(start_child(spy, NULL)), 0);
	*go = 1;
	check_equal("end of the other user's process", end_of(other), 0);
	return 0;
}
