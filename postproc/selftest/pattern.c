// SPDX-License-Identifier: BSD-3-Clause
/*
 * The program that is sampled in the self-test. A single load instruction at a known address follows a chain
 * of pointers. The chain visits the lines of a buffer in an order that no prefetcher predicts. Each load
 * depends on the previous one, so that loads do not overlap.
 */
#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "selftest/selftest.h"

#define PAGE   4096
#define BATCH  4096 /* number of pages in one call of move_pages(2) */
#define STRIDE MEMPHIS_SELFTEST_STRIDE
/* MPOL_PREFERRED from include/uapi/linux/mempolicy.h. Defined here, because the header of libnuma is not worth a dependency. */
#define POLICY_PREFERRED 1
#define NODES_MAX        1024

#ifdef __x86_64__
extern const char memphis_selftest_load[] __attribute__((visibility("hidden")));

/*
 * The label in follow_chain() may be defined only once. Therefore the compiler must neither inline nor clone
 * the function. Clang has no attribute noclone, but never clones functions.
 */
#if __has_attribute(noclone)
#define ONCE __attribute__((noinline, noclone))
#else
#define ONCE __attribute__((noinline))
#endif

/* Makes `loads` loads along the chain, beginning with address `at`. Returns the address after the last one. */
ONCE static uint64_t follow_chain(uint64_t at, uint64_t loads)
{
	__asm__ volatile(".globl memphis_selftest_load\n"
			 ".hidden memphis_selftest_load\n"
			 "memphis_selftest_load:\n\t"
			 "mov (%0), %0\n\t"
			 "dec %1\n\t"
			 "jnz memphis_selftest_load"
			 : "+r"(at), "+r"(loads)
			 :
			 : "memory", "cc");
	return at;
}

static uint64_t load_address(void)
{
	return (uintptr_t)memphis_selftest_load;
}

/* Flushes the lines of the chain from all caches of the machine. The next load of each line then comes from memory. */
static void flush_lines(const char *base, uint64_t bytes)
{
	uint64_t at;

	for (at = 0; at < bytes; at += STRIDE)
		__builtin_ia32_clflush(base + at + MEMPHIS_SELFTEST_OFFSET);
	__builtin_ia32_mfence();
}
#else
static uint64_t follow_chain(uint64_t at, uint64_t loads)
{
	(void)loads;
	return at;
}

static uint64_t load_address(void)
{
	return 0;
}

static void flush_lines(const char *base, uint64_t bytes)
{
	(void)base;
	(void)bytes;
}
#endif

/*
 * Writes the chain into the buffer. The line after line i is a * i + c modulo the number of lines, which is a
 * power of two. This is a single cycle through all lines, because a mod 4 is 1 and c is odd (Hull and Dobell,
 * SIAM Review 4, 1962). Successive lines are in unrelated pages.
 */
static uint64_t write_chain(char *base, uint64_t bytes)
{
	const uint64_t lines = bytes / STRIDE;
	uint64_t i, next;

	for (i = 0; i < lines; i++) {
		next = (i * 0x5851f42d4c957f2d + 0x14057b7ef767814f) & (lines - 1);
		*(uint64_t *)(void *)(base + i * STRIDE + MEMPHIS_SELFTEST_OFFSET) =
			(uintptr_t)base + next * STRIDE + MEMPHIS_SELFTEST_OFFSET;
	}
	return (uintptr_t)base + MEMPHIS_SELFTEST_OFFSET;
}

/* Returns true if all pages of the buffer are on the node. */
static bool is_on_node(char *base, uint64_t bytes, unsigned int node)
{
	static void *pages[BATCH];
	static int nodes[BATCH];
	uint64_t at = 0;
	size_t count, i;

	while (at < bytes) {
		for (count = 0; count < BATCH && at < bytes; count++, at += PAGE)
			pages[count] = base + at;
		/* Without target nodes, the call only reports the node of each page. A kernel without NUMA lacks this call. */
		if (syscall(SYS_move_pages, 0, count, pages, NULL, nodes, 0))
			return errno == ENOSYS;
		for (i = 0; i < count; i++)
			if (nodes[i] != (int)node)
				return false;
	}
	return true;
}

/*
 * Maps a buffer, preferably on the node. A strict policy could invoke the OOM killer if the node is full.
 * is_on_node() checks the result.
 */
static char *map_buffer(unsigned int node, uint64_t bytes)
{
	unsigned long mask[NODES_MAX / 64 + 1] = {0};
	char *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (base == MAP_FAILED)
		return NULL;
	/* Huge pages, if the kernel provides them, make page walks rare. */
	madvise(base, bytes, MADV_HUGEPAGE);
	if (node < NODES_MAX) {
		mask[node / 64] |= 1ul << node % 64;
		syscall(SYS_mbind, base, bytes, POLICY_PREFERRED, mask, NODES_MAX + 1, 0);
	}
	return base;
}

/* Calls memphis_begin() or memphis_end() of the library that is loaded into this process. */
static int call_library(const char *function, const char *name)
{
	void *found = dlsym(RTLD_DEFAULT, function);
	int (*call)(const char *);

	memcpy(&call, &found, sizeof(call));
	return call ? call(name) : -ENOSYS;
}

/* A buffer that this CPU and a peer CPU access in turn. */
struct exchange {
	char *base;
	uint64_t bytes;
	unsigned int peer; /* number of the peer CPU */
	bool writes;       /* true: the peer writes the lines; false: it reads them */
	uint64_t rounds;
	uint64_t turn; /* 2 * round + 1 during the peer's turn; 2 * round + 2 when the peer's turn is over */
	bool failed;
};

static bool bind_to_cpu(unsigned long cpu)
{
	cpu_set_t where[16];

	CPU_ZERO_S(sizeof(where), where);
	CPU_SET_S(cpu, sizeof(where), where);
	return !sched_setaffinity(0, sizeof(where), where);
}

static void wait_for_turn(const uint64_t *turn, uint64_t wanted)
{
	while (__atomic_load_n(turn, __ATOMIC_ACQUIRE) != wanted)
		sched_yield();
}

static void *run_peer(void *argument)
{
	struct exchange *exchange = argument;
	uint64_t round, at;

	if (!bind_to_cpu(exchange->peer))
		exchange->failed = true;
	for (round = 0; round < exchange->rounds; round++) {
		wait_for_turn(&exchange->turn, 2 * round + 1);
		for (at = MEMPHIS_SELFTEST_OFFSET; at < exchange->bytes; at += STRIDE) {
			volatile uint64_t *word = (uint64_t *)(void *)(exchange->base + at);

			if (exchange->writes)
				*word = *word;
			else
				(void)*word;
		}
		__atomic_store_n(&exchange->turn, 2 * round + 2, __ATOMIC_RELEASE);
	}
	return NULL;
}

/*
 * Makes the loads. In each round, the peer first accesses all lines of the buffer. Then this thread loads
 * each line once, in the order of the chain. Returns the number of loads.
 */
static uint64_t follow_chain_in_turns(struct exchange *exchange, uint64_t start)
{
	const uint64_t lines = exchange->bytes / STRIDE;
	uint64_t round;

	for (round = 0; round < exchange->rounds; round++) {
		if (!exchange->writes)
			flush_lines(exchange->base, exchange->bytes);
		__atomic_store_n(&exchange->turn, 2 * round + 1, __ATOMIC_RELEASE);
		wait_for_turn(&exchange->turn, 2 * round + 2);
		start = follow_chain(start, lines);
	}
	return start ? exchange->rounds * lines : 0;
}

struct phase {
	const char *name;
	unsigned int node, peer;
	uint64_t bytes, loads;
};

static void call_library_or_exit(const char *function, const char *name)
{
	if (!call_library(function, name))
		return;
	/* The library has already printed the reason. */
	fflush(stdout);
	_exit(1);
}

static void flush_samples(void)
{
	int (*function)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "memphis_flush");

	if (function)
		function();
}

/* Loads lines that the peer has accessed before. Returns the number of loads, or 0 on failure. */
static uint64_t load_from_peer(const struct phase *phase, char *base, uint64_t start)
{
	struct exchange exchange = {.base = base,
				    .bytes = phase->bytes,
				    .peer = phase->peer,
				    .writes = !strcmp(phase->name, "modified"),
				    .rounds = phase->loads / (phase->bytes / STRIDE)};
	pthread_t peer;
	uint64_t loads;

	if (pthread_create(&peer, NULL, run_peer, &exchange))
		return 0;
	call_library_or_exit("memphis_begin", phase->name);
	loads = follow_chain_in_turns(&exchange, start);
	call_library_or_exit("memphis_end", phase->name);
	pthread_join(peer, NULL);
	return exchange.failed ? 0 : loads;
}

/* Loads lines that are in no cache. Returns the number of loads. */
static uint64_t load_from_memory(const struct phase *phase, const char *base, uint64_t start)
{
	const uint64_t lines = phase->bytes / STRIDE;
	uint64_t loads;

	for (loads = 0; start && loads < phase->loads; loads += lines) {
		flush_lines(base, phase->bytes);
		call_library_or_exit("memphis_begin", phase->name);
		start = follow_chain(start, lines);
		call_library_or_exit("memphis_end", phase->name);
	}
	return loads;
}

/* Loads lines that are in the caches of this CPU. Returns the number of loads. */
static uint64_t load_from_cache(const struct phase *phase, uint64_t start)
{
	start = follow_chain(start, phase->bytes / STRIDE);
	call_library_or_exit("memphis_begin", phase->name);
	start = follow_chain(start, phase->loads);
	call_library_or_exit("memphis_end", phase->name);
	return start ? phase->loads : 0;
}

static int run_phase(const struct phase *phase)
{
	char *base = map_buffer(phase->node, phase->bytes);
	uint64_t start, loads;
	bool bound;

	if (!base) {
		fprintf(stderr, "memphis: mmap of %" PRIu64 " bytes: %s\n", phase->bytes, strerror(errno));
		return 1;
	}
	start = write_chain(base, phase->bytes);
	bound = is_on_node(base, phase->bytes, phase->node);
	loads = !strcmp(phase->name, "cache")      ? load_from_cache(phase, start)
		: !strncmp(phase->name, "node", 4) ? load_from_memory(phase, base, start)
						   : load_from_peer(phase, base, start);
	bound &= is_on_node(base, phase->bytes, phase->node);
	printf("phase %s 0x%" PRIxPTR " %" PRIu64 " %" PRIu64 " %d\n", phase->name, (uintptr_t)base,
	       phase->bytes, loads, bound);
	/*
	 * Let the library read the samples before the buffer is unmapped. For samples from perf, it looks up
	 * the nodes of their pages at this moment.
	 */
	flush_samples();
	munmap(base, phase->bytes);
	if (!loads)
		fprintf(stderr, "memphis: %s: the loads could not be made\n", phase->name);
	return !loads;
}

int memphis_pattern_run(int count, char **arguments)
{
	struct phase phase;
	int i, status = 0;

	if (count < 3 || (count - 3) % 4 || !load_address()) {
		fputs("memphis: " MEMPHIS_PATTERN_COMMAND
		      " is the program of memphis node --selftest, on x86-64\n",
		      stderr);
		return 2;
	}
	if (!bind_to_cpu(strtoul(arguments[1], NULL, 10))) {
		fprintf(stderr, "memphis: CPU %s: %s\n", arguments[1], strerror(errno));
		return 1;
	}
	printf("load 0x%" PRIx64 "\n", load_address());
	for (i = 3; i < count && !status; i += 4) {
		phase = (struct phase){
			.name = arguments[i],
			.node = (unsigned int)strtoul(arguments[i + 1], NULL, 10),
			.peer = (unsigned int)strtoul(arguments[i + 2], NULL, 10),
			.bytes = strtoull(arguments[i + 3], NULL, 10),
			.loads = strtoull(arguments[2], NULL, 10),
		};
		status = run_phase(&phase);
	}
	return status;
}

void memphis_pattern_arguments(const struct memphis_plan *plan, struct memphis_text *text)
{
	size_t i;

	memphis_text_print(text, MEMPHIS_PATTERN_COMMAND " %u %" PRIu64, plan->cpu, plan->loads);
	for (i = 0; i < plan->phase_count; i++)
		if (plan->phases[i].bytes)
			memphis_text_print(text, " %s %u %u %" PRIu64, plan->phases[i].name,
					   plan->phases[i].node, plan->phases[i].peer, plan->phases[i].bytes);
}

int memphis_pattern_read(struct memphis_observation *observation, const char *text,
			 struct memphis_error *error)
{
	struct memphis_plan *plan = &observation->plan;
	char name[16];
	uint64_t low, bytes, loads;
	size_t i;
	int bound;

	if (sscanf(text, "load 0x%" SCNx64, &observation->pc) != 1)
		return memphis_fail(error, -EIO, "the program of the self-test has printed nothing");
	while ((text = strchr(text, '\n'))) {
		if (sscanf(++text, "phase %15s 0x%" SCNx64 " %" SCNu64 " %" SCNu64 " %d", name, &low, &bytes,
			   &loads, &bound) != 5)
			continue;
		for (i = 0; i < plan->phase_count && strcmp(plan->phases[i].name, name) != 0; i++)
			;
		if (i == plan->phase_count)
			return memphis_fail(error, -EIO, "the program of the self-test reports \"%s\"", name);
		plan->phases[i].low = low;
		plan->phases[i].loads = loads;
		plan->phases[i].bound = bound;
	}
	for (i = 0; i < plan->phase_count; i++)
		if (plan->phases[i].bytes && !plan->phases[i].loads)
			return memphis_fail(error, -EIO, "the program of the self-test ended before \"%s\"",
					    plan->phases[i].name);
	return 0;
}
