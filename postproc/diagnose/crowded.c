// SPDX-License-Identifier: BSD-3-Clause
#include "diagnose/crowded.h"

#include <math.h>
#include <stdlib.h>

#define SERVES 0.9 /* minimum share of the node in all loads from memory */
#define AS_LONG \
	0.9 /* minimum part of the other nodes' latency, for the lower end of the 95 % interval of the own one */
#define INTERVAL  1.96
#define SAMPLES   20 /* minimum number of samples of either latency */
#define ELSEWHERE 16 /* distance from which a node is on another socket; that of a node to itself is 10 */

/* Numbers and latencies of loads: by the node from its own memory, by other nodes from that memory, and by any node from elsewhere. */
struct loads {
	double own, own_cycles, others, others_cycles, elsewhere;
};

static struct loads loads_of(const struct memphis_rows *rows, uint16_t home)
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

/* Returns the standard error of the mean latency of the node's own memory. */
static double error_of(const struct memphis_waiting *waiting, uint16_t node)
{
	size_t i;

	for (i = 0; i + 1 < waiting->local_count; i++)
		if (waiting->locals[i].node == node && waiting->locals[i].count)
			return sqrt(fmax(waiting->locals[i].squares, 0) / (double)waiting->locals[i].count);
	return INFINITY;
}

/* Returns the distance of two nodes as the firmware states it, or 0. */
static unsigned long distance_of(const struct memphis_process *process, uint16_t from, uint16_t to)
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

static bool is_of_other_sockets(const struct memphis_process *process, const struct memphis_finding *finding)
{
	size_t i, others = 0;

	for (i = 0; i < finding->node_count; i++) {
		if (finding->nodes[i] == finding->home)
			continue;
		if (distance_of(process, finding->nodes[i], finding->home) < ELSEWHERE)
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

	if (finding->home == MEMPHIS_NODE_UNKNOWN || !is_of_other_sockets(process, finding))
		return;
	loads = loads_of(rows, finding->home);
	all = loads.own + loads.others + loads.elsewhere;
	if (loads.own < SAMPLES || loads.others < SAMPLES || loads.own + loads.others < SERVES * all)
		return;
	own = loads.own_cycles / loads.own;
	others = loads.others_cycles / loads.others;
	if (own - INTERVAL * error_of(&rows->waiting, finding->home) < AS_LONG * others)
		return;
	finding->own_cycles = own;
	finding->others_cycles = others;
}
