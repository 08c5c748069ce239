// SPDX-License-Identifier: BSD-3-Clause
/*
 * Threads on the cores of a node that read or write memory as fast as they can. Each thread passes through
 * three arrays repeatedly. The bandwidth counts the bytes that the loop reads and writes. It does not count
 * the cache lines that a store fetches before writing them.
 */
#include <hwloc.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"
#include "node/node.h"

/* Number of array elements that are processed between two checks of the flag that ends the loop. */
#define BLOCK 16384

struct member {
	struct memphis_crew *crew;
	pthread_t thread;
	unsigned int cpu;
	double *a, *b, *c;
	size_t count;
	double bytes_per_second;
};

struct memphis_crew {
	const struct memphis_machine *machine;
	enum memphis_speed loop;
	atomic_bool stop;
	pthread_mutex_t gate; /* held until all members have been created */
	size_t size;
	struct member members[];
};

/*
 * Prevents the compiler from removing a loop. Also prevents the compiler from replacing a loop by a function
 * of the C library, which may bypass the caches.
 */
#define KEEP(value) __asm__ volatile("" : "+x"(value))

static void read_arrays(struct member *member, size_t i, size_t end)
{
	const double *a = member->a, *b = member->b, *c = member->c;
	double value;

	for (; i < end; i++) {
		value = a[i];
		KEEP(value);
		value = b[i];
		KEEP(value);
		value = c[i];
		KEEP(value);
	}
}

static void write_arrays(struct member *member, size_t i, size_t end)
{
	double *a = member->a, *b = member->b, *c = member->c, value = 1;

	for (; i < end; i++) {
		KEEP(value);
		a[i] = b[i] = c[i] = value;
	}
}

static void copy_arrays(struct member *member, size_t i, size_t end)
{
	double *a = member->a, value;
	const double *b = member->b;

	for (; i < end; i++) {
		value = b[i];
		KEEP(value);
		a[i] = value;
	}
}

static void run_triad(struct member *member, size_t i, size_t end)
{
	double *a = member->a;
	const double *b = member->b, *c = member->c;

	for (; i < end; i++)
		a[i] = b[i] + 3 * c[i];
}

/* The loops, and the number of arrays through which each of them passes. */
static const struct {
	void (*run)(struct member *member, size_t at, size_t end);
	unsigned int arrays;
} loops[MEMPHIS_SPEEDS] = {
	[MEMPHIS_SPEED_READ] = {read_arrays, 3},
	[MEMPHIS_SPEED_WRITE] = {write_arrays, 3},
	[MEMPHIS_SPEED_COPY] = {copy_arrays, 2},
	[MEMPHIS_SPEED_TRIAD] = {run_triad, 3},
};

bool memphis_run_on(const struct memphis_machine *machine, unsigned int cpu)
{
	hwloc_bitmap_t where = hwloc_bitmap_alloc();
	bool bound;

	if (!where)
		return false;
	hwloc_bitmap_only(where, cpu);
	bound = !hwloc_set_cpubind(machine->topology, where, HWLOC_CPUBIND_THREAD | HWLOC_CPUBIND_STRICT);
	hwloc_bitmap_free(where);
	return bound;
}

bool memphis_is_allowed(const struct memphis_machine *machine, unsigned int cpu)
{
	return hwloc_bitmap_isset(hwloc_topology_get_allowed_cpuset(machine->topology), cpu);
}

bool memphis_is_core_of(const struct memphis_machine *machine, size_t cpu, size_t node)
{
	return machine->cpus[cpu].node == node && machine->cpus[cpu].first_of_core &&
	       memphis_is_allowed(machine, machine->cpus[cpu].number);
}

size_t memphis_crew_size(const struct memphis_machine *machine, size_t node)
{
	size_t i, size = 0;

	for (i = 0; i < machine->cpu_count; i++)
		size += memphis_is_core_of(machine, i, node);
	return size;
}

static void *run_member(void *argument)
{
	struct member *member = argument;
	struct memphis_crew *crew = member->crew;
	double begun, done = 0;
	size_t at = 0, end;

	memphis_run_on(crew->machine, member->cpu);
	pthread_mutex_lock(&crew->gate);
	pthread_mutex_unlock(&crew->gate);
	begun = memphis_clock_s();
	do {
		end = at + BLOCK < member->count ? at + BLOCK : member->count;
		loops[crew->loop].run(member, at, end);
		done += (double)(end - at);
		at = end < member->count ? end : 0;
	} while (!atomic_load_explicit(&crew->stop, memory_order_relaxed));
	member->bytes_per_second =
		done * loops[crew->loop].arrays * sizeof(double) / (memphis_clock_s() - begun);
	return NULL;
}

/* Assigns a CPU and a part of the memory to each member. */
static void assign_members(struct memphis_crew *crew, size_t node, size_t left_out, double *values,
			   size_t total)
{
	const size_t part = total / crew->size;
	size_t i, number = 0;

	for (i = 0; i < crew->machine->cpu_count && number < crew->size; i++) {
		struct member *member = &crew->members[number];

		if (!memphis_is_core_of(crew->machine, i, node))
			continue;
		if (left_out) {
			left_out--;
			continue;
		}
		member->crew = crew;
		member->cpu = crew->machine->cpus[i].number;
		member->a = values + number * part;
		member->b = member->a + total;
		member->c = member->b + total;
		member->count = part;
		number++;
	}
	crew->size = number;
}

struct memphis_crew *memphis_crew_start(const struct memphis_machine *machine, size_t node, size_t left_out,
					size_t size, enum memphis_speed loop, void *base, size_t bytes)
{
	const size_t total = bytes / sizeof(double) / 3;
	struct memphis_crew *crew;
	size_t started;

	if (!size || total < size)
		return NULL;
	crew = calloc(1, sizeof(*crew) + size * sizeof(*crew->members));
	if (!crew)
		return NULL;
	crew->machine = machine;
	crew->loop = loop;
	crew->size = size;
	pthread_mutex_init(&crew->gate, NULL);
	assign_members(crew, node, left_out, base, total);
	pthread_mutex_lock(&crew->gate);
	for (started = 0; started < crew->size; started++)
		if (pthread_create(&crew->members[started].thread, NULL, run_member, &crew->members[started]))
			break;
	pthread_mutex_unlock(&crew->gate);
	if (started == size)
		return crew;
	crew->size = started;
	memphis_crew_stop(crew);
	return NULL;
}

double memphis_crew_stop(struct memphis_crew *crew)
{
	double sum = 0;
	size_t i;

	if (!crew)
		return NAN;
	atomic_store(&crew->stop, true);
	for (i = 0; i < crew->size; i++) {
		pthread_join(crew->members[i].thread, NULL);
		sum += crew->members[i].bytes_per_second;
	}
	pthread_mutex_destroy(&crew->gate);
	free(crew);
	return sum / 1e9;
}
