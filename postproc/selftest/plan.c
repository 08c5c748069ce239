// SPDX-License-Identifier: BSD-3-Clause
/* Chooses the CPU of the access pattern, the size of its buffers, the sampling period, and the number of loads. */
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "selftest/selftest.h"

/*
 * Size of a buffer that fits into the L2 cache, which has at least 256 KiB, but not into the L1 cache. Loads
 * from the L1 cache would be so fast that perf pauses sampling.
 */
#define SMALL_BYTES (128ull << 10)
/*
 * Size of buffers in memory. It need not exceed the cache sizes, because the lines are flushed from all
 * caches before each pass. However, huge pages and the TLBs should cover much of the buffer.
 */
#define LARGE_BYTES     (64ull << 20)
#define LARGE_BYTES_MIN (1ull << 20)

/* Number of samples per phase. If all of 200 samples are correct, the true share is at least 98 % with a confidence of 95 %. */
#define SAMPLES 200
/*
 * Minimum number of loads per phase. They take a tenth of a second if each comes from memory. A load that
 * hits the L2 cache takes 14 cycles and three ops. With these periods, this results in less than 100000
 * samples per second, the usual limit of the kernel.
 */
#define LOADS       (1ull << 20)
#define PERIOD_IBS  32768
#define PERIOD_PEBS 4001

const char *const memphis_place_names[MEMPHIS_PLACES] = {
	[MEMPHIS_PLACE_CACHE] = "private caches",
	[MEMPHIS_PLACE_OWN_NODE] = "own node",
	[MEMPHIS_PLACE_OWN_PACKAGE] = "own package",
	[MEMPHIS_PLACE_OTHER_PACKAGE] = "other package",
	[MEMPHIS_PLACE_NO_CPU] = "node without CPUs",
	[MEMPHIS_PLACE_MODIFIED] = "modified in a cache of another package",
	[MEMPHIS_PLACE_SHARED] = "unmodified in a cache of another package",
};

/*
 * Returns the index of the first CPU that this process may use on a node with memory. If `other_than` is not
 * NULL, the CPU must not be in the package *other_than. Returns the number of CPUs if there is none.
 */
static size_t find_cpu(const struct memphis_machine *machine, const unsigned int *other_than)
{
	const struct memphis_machine_node *node;
	cpu_set_t allowed[16];
	size_t i;

	if (sched_getaffinity(0, sizeof(allowed), allowed))
		return machine->cpu_count;
	for (i = 0; i < machine->cpu_count; i++) {
		node = &machine->nodes[machine->cpus[i].node];
		if (CPU_ISSET_S(machine->cpus[i].number, sizeof(allowed), allowed) && node->usable &&
		    node->memory_bytes && (!other_than || machine->cpus[i].package != *other_than))
			break;
	}
	return i;
}

/*
 * Returns the size of a buffer in the node's memory, which is a power of two. Returns 0 if the node has too
 * little free memory.
 */
static uint64_t memory_buffer_bytes(const struct memphis_machine_node *node)
{
	uint64_t bytes = LARGE_BYTES;

	while (bytes > node->free_bytes / 2)
		bytes /= 2;
	return bytes >= LARGE_BYTES_MIN ? bytes : 0;
}

static bool is_in_package(const struct memphis_machine *machine, size_t node, unsigned int package)
{
	size_t i;

	for (i = 0; i < machine->cpu_count; i++)
		if (machine->cpus[i].node == node && machine->cpus[i].package == package)
			return true;
	return false;
}

static void add_phase(struct memphis_plan *plan, const struct memphis_machine *machine, size_t node,
		      enum memphis_phase_place place, uint64_t bytes)
{
	struct memphis_phase *phase = &plan->phases[plan->phase_count++];

	*phase = (struct memphis_phase){.place = place, .node = machine->nodes[node].number, .bytes = bytes};
	if (place == MEMPHIS_PLACE_CACHE)
		snprintf(phase->name, sizeof(phase->name), "cache");
	else if (place == MEMPHIS_PLACE_MODIFIED || place == MEMPHIS_PLACE_SHARED)
		snprintf(phase->name, sizeof(phase->name),
			 place == MEMPHIS_PLACE_SHARED ? "shared" : "modified");
	else
		snprintf(phase->name, sizeof(phase->name), "node%u", phase->node);
}

/* Adds a phase whose lines are in the cache of a CPU in another package. Adds nothing if this process may not use such a CPU. */
static void add_peer_phase(struct memphis_plan *plan, const struct memphis_machine *machine,
			   unsigned int package, unsigned int event)
{
	size_t peer = find_cpu(machine, &package);

	if (peer == machine->cpu_count)
		return;
	add_phase(plan, machine, plan->node,
		  event == MEMPHIS_EVENT_REMOTE_HITM ? MEMPHIS_PLACE_MODIFIED : MEMPHIS_PLACE_SHARED,
		  SMALL_BYTES);
	plan->phases[plan->phase_count - 1].peer = machine->cpus[peer].number;
}

static void add_phases(struct memphis_plan *plan, const struct memphis_machine *machine, unsigned int package)
{
	enum memphis_phase_place place;
	size_t i;

	add_phase(plan, machine, plan->node, MEMPHIS_PLACE_CACHE, SMALL_BYTES);
	add_phase(plan, machine, plan->node, MEMPHIS_PLACE_OWN_NODE,
		  memory_buffer_bytes(&machine->nodes[plan->node]));
	for (i = 0; i < machine->node_count; i++) {
		if (i == plan->node || !machine->nodes[i].memory_bytes)
			continue;
		if (plan->phase_count == MEMPHIS_SELFTEST_PHASES || !machine->nodes[i].usable) {
			plan->skipped++;
			continue;
		}
		place = !machine->nodes[i].cpu_count         ? MEMPHIS_PLACE_NO_CPU
			: is_in_package(machine, i, package) ? MEMPHIS_PLACE_OWN_PACKAGE
							     : MEMPHIS_PLACE_OTHER_PACKAGE;
		add_phase(plan, machine, i, place, memory_buffer_bytes(&machine->nodes[i]));
	}
}

void memphis_selftest_plan_join(struct memphis_plan *all, const struct memphis_plan *one)
{
	size_t i, j;

	if (!all->phase_count)
		*all = (struct memphis_plan){.cpu = one->cpu, .node = one->node, .skipped = one->skipped};
	for (i = 0; i < one->phase_count; i++) {
		for (j = 0; j < all->phase_count && strcmp(all->phases[j].name, one->phases[i].name) != 0;
		     j++)
			;
		if (j == all->phase_count && j < MEMPHIS_SELFTEST_PHASES)
			all->phases[all->phase_count++] = one->phases[i];
	}
}

int memphis_selftest_make_plan(struct memphis_plan *plan, const struct memphis_machine *machine,
			       const struct memphis_query *query, unsigned int event,
			       struct memphis_error *error)
{
	const size_t cpu = find_cpu(machine, NULL);
	const bool ibs = query->hardware == MEMPHIS_HARDWARE_IBS;

	*plan = (struct memphis_plan){.period = ibs ? PERIOD_IBS : PERIOD_PEBS};
	if (cpu == machine->cpu_count)
		return memphis_fail(
			error, -ENOENT,
			"no node has memory and a CPU that this process may use (cpuset, or hwloc missing)");
	plan->cpu = machine->cpus[cpu].number;
	plan->node = machine->cpus[cpu].node;
	if (plan->period < query->period_min)
		plan->period = query->period_min;
	plan->loads = LOADS > SAMPLES * plan->period ? LOADS : SAMPLES * plan->period;
	if (event == MEMPHIS_EVENT_REMOTE_HITM || event == MEMPHIS_EVENT_REMOTE_FORWARD)
		add_peer_phase(plan, machine, machine->cpus[cpu].package, event);
	add_phases(plan, machine, machine->cpus[cpu].package);
	return 0;
}
