// SPDX-License-Identifier: BSD-3-Clause
#include "diagnose/crowded.h"

#include <math.h>
#include <stdlib.h>

#define SERVES 0.9 /* minimum share of all loads from memory that go to the node */
#define AS_LONG \
	0.9 /* minimum ratio of the node's own latency (lower end of its 95 % interval) to that of other nodes */
#define INTERVAL 1.96
#define SAMPLES  20 /* minimum number of samples from which each latency is computed */
#define ELSEWHERE \
	16 /* minimum firmware distance of nodes on different sockets; the distance of a node to itself is 10 */

/*
 * Numbers of loads and sums of their latencies. `own` are loads of the node from its own memory, `others` are loads of
 * other nodes from this memory, and `elsewhere` are loads of all nodes from any other memory.
 */
struct loads {
	double own, own_cycles, others, others_cycles, elsewhere;
};

static struct loads sum_loads(const struct memphis_rows *rows, uint16_t home)
{
	const struct memphis_profile *profile = rows->profile;
	const struct memphis_total *total, *end = profile->totals.list + profile->totals.count;
	enum memphis_wait_source source;
	struct loads loads = {0};

	for (total = profile->totals.list; total < end; total++) {
		source = memphis_wait_source(&total->access);
		if ((source != MEMPHIS_WAIT_LOCAL_DRAM && source != MEMPHIS_WAIT_REMOTE_DRAM) ||
		    !total->measure.latency_cycles ||
		    !memphis_selection_has(rows->view->selection, &profile->processes.list[total->process]))
			continue;
		if (total->access.home != home) {
			loads.elsewhere += (double)total->measure.count;
		} else if (source == MEMPHIS_WAIT_LOCAL_DRAM) {
			loads.own += (double)total->measure.count;
			loads.own_cycles += (double)total->measure.latency_cycles;
		} else {
			loads.others += (double)total->measure.count;
			loads.others_cycles += (double)total->measure.latency_cycles;
		}
	}
	return loads;
}

/* Returns the standard error of the mean latency of loads that the node makes from its own memory. */
static double local_latency_error(const struct memphis_waiting *waiting, uint16_t node)
{
	size_t i;

	for (i = 0; i + 1 < waiting->local_count; i++)
		if (waiting->locals[i].node == node && waiting->locals[i].count)
			return sqrt(fmax(waiting->locals[i].squares, 0) / (double)waiting->locals[i].count);
	return INFINITY;
}

/* Returns the distance between two nodes according to the firmware, or 0 if it is unknown. */
static unsigned long firmware_distance(const struct memphis_process *process, uint16_t from, uint16_t to)
{
	const char *distances = NULL;
	unsigned long distance;
	char *end;
	size_t i;

	for (i = 0; i < process->node_count; i++)
		if (process->nodes[i].node == from)
			distances = process->nodes[i].distances;
	for (i = 0; distances && i < process->node_count; i++) {
		distance = strtoul(distances, &end, 10);
		if (end == distances)
			return 0;
		if (process->nodes[i].node == to)
			return distance;
		distances = *end ? end + 1 : end;
	}
	return 0;
}

static bool is_used_by_other_sockets(const struct memphis_process *process,
				     const struct memphis_finding *finding)
{
	size_t i, others = 0;

	for (i = 0; i < finding->node_count; i++) {
		if (finding->nodes[i] == finding->home)
			continue;
		if (firmware_distance(process, finding->nodes[i], finding->home) < ELSEWHERE)
			return false;
		others++;
	}
	return others > 0;
}

void memphis_finding_crowd(struct memphis_finding *finding, const struct memphis_rows *rows)
{
	const struct memphis_process *process = &rows->profile->processes.list[finding->process];
	struct loads loads;
	double all, own, others;

	if (finding->home == MEMPHIS_NODE_UNKNOWN || !is_used_by_other_sockets(process, finding))
		return;
	loads = sum_loads(rows, finding->home);
	all = loads.own + loads.others + loads.elsewhere;
	if (loads.own < SAMPLES || loads.others < SAMPLES || loads.own + loads.others < SERVES * all)
		return;
	own = loads.own_cycles / loads.own;
	others = loads.others_cycles / loads.others;
	if (own - INTERVAL * local_latency_error(&rows->waiting, finding->home) < AS_LONG * others)
		return;
	finding->own_cycles = own;
	finding->others_cycles = others;
}
