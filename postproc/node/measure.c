// SPDX-License-Identifier: BSD-3-Clause
/*
 * Measures latency and bandwidth of memory between all pairs of nodes within seconds.
 * - Latency: one CPU follows a chain of pointers through a buffer that is larger than all caches. The chain
 *   is a random cyclic permutation of the buffer's cache lines, so that each load depends on the previous
 *   one.
 * - Latency under load: the same, while other cores of the node read from the same buffer.
 * - Bandwidth: all cores of a node read, write, copy, or run a triad, a[i] = b[i] + s * c[i].
 */
#include <errno.h>
#include <hwloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "node/node.h"

#define PAGE       4096
#define LINE       64
#define HUGE_BYTES (2ull << 20)
#define BYTES_MIN  (64ull << 20)
#define BYTES_MAX  (1ull << 30)
/* Ratio of buffer size to cache size; large enough for nearly all loads to miss the caches. */
#define TIMES_CACHE 4

/*
 * Total time in seconds for measuring all pairs (for bandwidths: per kind of loop), limits of the time for
 * one pair, and number of rounds.
 */
#define LATENCY_SECONDS   2.0
#define LOADED_SECONDS    2.0
#define BANDWIDTH_SECONDS 1.5
#define PAIR_MIN          0.03
#define PAIR_MAX          0.1
#define ROUNDS            5

struct buffer {
	char *mapping, *base;
	size_t mapped, bytes;
	size_t chain_bytes; /* size of the chain of pointers at the start of the buffer */
};

struct measuring {
	const struct memphis_machine *machine;
	struct memphis_matrices *matrices;
	uint32_t *next; /* permutation of `lines` cache lines */
	size_t lines;
	double latency_seconds, loaded_seconds, bandwidth_seconds; /* time for measuring one pair */
};

static uint64_t clamp_to(uint64_t value, uint64_t least, uint64_t most)
{
	return value < least ? least : value > most ? most : value;
}

/* Makes a random permutation by Sattolo's shuffle. It consists of a single cycle through all lines. */
static int make_permutation(struct measuring *measuring)
{
	uint64_t random = 88172645463325252ull;
	uint32_t *next, line;
	size_t i, j;

	next = malloc(measuring->lines * sizeof(*next));
	if (!next)
		return -ENOMEM;
	for (i = 0; i < measuring->lines; i++)
		next[i] = (uint32_t)i;
	for (i = measuring->lines - 1; i > 0; i--) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		j = random % i;
		line = next[i];
		next[i] = next[j];
		next[j] = line;
	}
	measuring->next = next;
	return 0;
}

/*
 * Returns true if all pages of the buffer are on the requested node. If the node is full, the kernel
 * allocates pages on other nodes.
 */
static bool is_on_node(const struct memphis_machine *machine, const struct buffer *buffer, unsigned int node)
{
	hwloc_bitmap_t found = hwloc_bitmap_alloc();
	bool right = found &&
		     !hwloc_get_area_memlocation(machine->topology, buffer->base, buffer->bytes, found,
						 HWLOC_MEMBIND_BYNODESET) &&
		     hwloc_bitmap_weight(found) == 1 && hwloc_bitmap_isset(found, node);

	hwloc_bitmap_free(found);
	return right;
}

/* Maps a buffer on the node. Returns false if the node cannot provide the memory. */
static bool map_buffer(struct buffer *buffer, const struct memphis_machine *machine, size_t place,
		       size_t chain_bytes)
{
	const struct memphis_machine_node *node = &machine->nodes[place];
	uint64_t bytes = clamp_to(TIMES_CACHE * node->cache_bytes, chain_bytes, BYTES_MAX);
	hwloc_bitmap_t where;
	uint64_t at;

	memset(buffer, 0, sizeof(*buffer));
	bytes = clamp_to(bytes, 0, node->free_bytes / 2) / HUGE_BYTES * HUGE_BYTES;
	if (bytes < chain_bytes)
		return false;
	buffer->bytes = bytes;
	buffer->chain_bytes = chain_bytes;
	buffer->mapped = bytes + HUGE_BYTES;
	buffer->mapping =
		mmap(NULL, buffer->mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (buffer->mapping == MAP_FAILED)
		return false;
	buffer->base = buffer->mapping + (HUGE_BYTES - (uintptr_t)buffer->mapping % HUGE_BYTES) % HUGE_BYTES;
	/* If the kernel provides only small pages, the measurement uses them, and the result says so. */
	madvise(buffer->base, bytes, MADV_HUGEPAGE);
	where = hwloc_bitmap_alloc();
	if (where) {
		/*
		 * Binding is not strict: if the node is full, strict binding would invoke the OOM killer.
		 * is_on_node() detects pages on other nodes.
		 */
		hwloc_bitmap_only(where, node->number);
		hwloc_set_area_membind(machine->topology, buffer->base, bytes, where, HWLOC_MEMBIND_BIND,
				       HWLOC_MEMBIND_BYNODESET);
		hwloc_bitmap_free(where);
	}
	for (at = 0; at < bytes; at += PAGE)
		*(volatile char *)(buffer->base + at) = 0;
	if (is_on_node(machine, buffer, node->number))
		return true;
	munmap(buffer->mapping, buffer->mapped);
	return false;
}

static bool is_in_huge_pages(const struct buffer *buffer)
{
	char *text = memphis_root_read("", "/proc/self/smaps"), key[32], *found;
	uint64_t kib = 0;

	snprintf(key, sizeof(key), "%lx-", (unsigned long)buffer->base);
	found = text ? strstr(text, key) : NULL;
	if (!found || !memphis_number_after(&kib, found, "AnonHugePages:"))
		kib = 0;
	free(text);
	return kib * 1024 >= buffer->bytes;
}

static void write_chain(const struct measuring *measuring, const struct buffer *buffer)
{
	size_t i;

	for (i = 0; i < measuring->lines; i++)
		*(void **)(buffer->base + i * LINE) = buffer->base + (size_t)measuring->next[i] * LINE;
}

/*
 * Follows the chain and returns the time per load in ns. This is the minimum of all rounds, because
 * disturbances only increase the time.
 */
static double measure_chain(const struct buffer *buffer, double seconds)
{
	void **volatile end; /* keeps the compiler from removing the loads */
	void **at = (void **)buffer->base;
	double begun, time, least = INFINITY;
	size_t steps = 4096, i, round;

	for (round = 0; round < ROUNDS;) {
		begun = memphis_clock_s();
		for (i = 0; i < steps; i++)
			at = *at;
		end = at;
		time = memphis_clock_s() - begun;
		if (time < seconds / ROUNDS / 2) {
			steps *= 2;
			continue;
		}
		least = fmin(least, time / (double)steps * 1e9);
		round++;
	}
	(void)end;
	return least;
}

/* Binds this thread to the first usable CPU of the node. Returns false if there is none. */
static bool run_on_node(const struct memphis_machine *machine, size_t node)
{
	size_t i;

	for (i = 0; i < machine->cpu_count; i++)
		if (machine->cpus[i].node == node && memphis_is_allowed(machine, machine->cpus[i].number) &&
		    memphis_run_on(machine, machine->cpus[i].number))
			return true;
	return false;
}

/*
 * Measures the latency while other cores of the node read. In each step, one more quarter of these cores
 * reads. If consecutive steps have the same number of cores, measures only the last of them.
 */
static void measure_loaded(const struct measuring *measuring, const struct buffer *buffer, size_t from,
			   struct memphis_loaded_latency *steps)
{
	const size_t cores = memphis_crew_size(measuring->machine, from), others = cores ? cores - 1 : 0;
	struct memphis_crew *crew;
	size_t step, size;

	for (step = 1; step <= MEMPHIS_LOAD_STEPS; step++) {
		size = others * step / MEMPHIS_LOAD_STEPS;
		if (!size || (step < MEMPHIS_LOAD_STEPS && size == others * (step + 1) / MEMPHIS_LOAD_STEPS))
			continue;
		crew = memphis_crew_start(measuring->machine, from, 1, size, MEMPHIS_SPEED_READ, buffer->base,
					  buffer->bytes);
		if (!crew)
			return;
		steps[step - 1].ns = measure_chain(buffer, measuring->loaded_seconds / MEMPHIS_LOAD_STEPS);
		steps[step - 1].gb = memphis_crew_stop(crew);
	}
}

static void measure_latencies(const struct measuring *measuring, const struct buffer *buffer, size_t to)
{
	struct memphis_matrices *matrices = measuring->matrices;
	size_t from, pair;

	write_chain(measuring, buffer);
	matrices->huge_pages &= is_in_huge_pages(buffer);
	for (from = 0; from < matrices->count; from++) {
		if (!run_on_node(measuring->machine, from))
			continue;
		pair = from * matrices->count + to;
		matrices->values[MEMPHIS_SPEED_LATENCY][pair] =
			measure_chain(buffer, measuring->latency_seconds);
		measure_loaded(measuring, buffer, from, matrices->loaded + pair * MEMPHIS_LOAD_STEPS);
	}
}

static void measure_bandwidths(const struct measuring *measuring, const struct buffer *buffer, size_t to)
{
	struct memphis_matrices *matrices = measuring->matrices;
	enum memphis_speed loop;
	struct memphis_crew *crew;
	size_t from, round;
	double *best;

	/* Overwrite the pointers of the chain. As doubles, they would be subnormal numbers, which CPUs process slowly. */
	for (from = 0; from < buffer->bytes; from += LINE)
		*(double *)(void *)(buffer->base + from) = 0;
	for (from = 0; from < matrices->count; from++)
		for (loop = MEMPHIS_SPEED_READ; loop < MEMPHIS_SPEEDS; loop++) {
			best = &matrices->values[loop][from * matrices->count + to];
			for (round = 0; round < ROUNDS; round++) {
				crew = memphis_crew_start(measuring->machine, from, 0,
							  memphis_crew_size(measuring->machine, from), loop,
							  buffer->base, buffer->bytes);
				if (crew)
					memphis_clock_wait(measuring->bandwidth_seconds / ROUNDS);
				*best = fmax(*best, memphis_crew_stop(crew));
			}
		}
}

static void measure_all(struct measuring *measuring)
{
	const struct memphis_machine *machine = measuring->machine;
	struct buffer buffer;
	size_t to;

	for (to = 0; to < machine->node_count; to++) {
		if (!machine->nodes[to].usable || !map_buffer(&buffer, machine, to, measuring->lines * LINE))
			continue;
		measure_latencies(measuring, &buffer, to);
		measure_bandwidths(measuring, &buffer, to);
		munmap(buffer.mapping, buffer.mapped);
	}
}

/* Returns the size of the chain of pointers. It is the same for all nodes, and limited by the node with the least free memory. */
static size_t chain_bytes(const struct memphis_machine *machine)
{
	uint64_t bytes = clamp_to(TIMES_CACHE * machine->cache_bytes, BYTES_MIN, BYTES_MAX);
	size_t i;

	for (i = 0; i < machine->node_count; i++)
		if (machine->nodes[i].usable && machine->nodes[i].free_bytes / 2 >= HUGE_BYTES)
			bytes = clamp_to(bytes, HUGE_BYTES, machine->nodes[i].free_bytes / 2);
	return bytes / HUGE_BYTES * HUGE_BYTES;
}

static size_t count_pairs(const struct memphis_machine *machine)
{
	size_t i, from = 0;

	for (i = 0; i < machine->node_count; i++)
		from += machine->nodes[i].cpu_count > 0;
	return from * machine->node_count;
}

static double time_per_pair(double seconds, size_t count)
{
	return fmin(fmax(seconds / (double)(count ? count : 1), PAIR_MIN), PAIR_MAX);
}

int memphis_matrices_measure(struct memphis_matrices *matrices, const struct memphis_machine *machine,
			     struct memphis_error *error)
{
	struct measuring measuring = {
		.machine = machine,
		.matrices = matrices,
		.lines = chain_bytes(machine) / LINE,
		.latency_seconds = time_per_pair(LATENCY_SECONDS, count_pairs(machine)),
		.loaded_seconds = time_per_pair(LOADED_SECONDS, count_pairs(machine)),
		.bandwidth_seconds = time_per_pair(BANDWIDTH_SECONDS, count_pairs(machine)),
	};
	hwloc_bitmap_t before = hwloc_bitmap_alloc();
	struct memphis_text class = {0};
	size_t i;
	int rc = before ? memphis_matrices_resize(matrices, machine->node_count) : -ENOMEM;

	if (!rc)
		rc = make_permutation(&measuring);
	if (rc)
		goto out;
	memphis_machine_put_class(machine, &class);
	snprintf(matrices->host, sizeof(matrices->host), "%s", machine->host);
	snprintf(matrices->class, sizeof(matrices->class), "%s", class.text ? class.text : "");
	for (i = 0; i < machine->node_count; i++)
		matrices->nodes[i] = machine->nodes[i].number;
	matrices->huge_pages = true;
	hwloc_get_cpubind(machine->topology, before, HWLOC_CPUBIND_THREAD);
	measure_all(&measuring);
	hwloc_set_cpubind(machine->topology, before, HWLOC_CPUBIND_THREAD);
	memphis_dgemm_measure(matrices, machine);
out:
	free(measuring.next);
	memphis_text_close(&class);
	hwloc_bitmap_free(before);
	return rc ? memphis_fail(error, rc, "out of memory") : 0;
}
