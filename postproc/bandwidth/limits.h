/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The traffic of each node's memory and of the links between nodes, as a share of the bandwidth that memphis node --measure found there.
 *
 * Traffic of memory is that of the counters of memory controllers, by region. Traffic of links, and of memory without such counters, is estimated
 * from sampled loads: a lower bound, since neither prefetches nor stores are sampled.
 */
#ifndef MEMPHIS_BANDWIDTH_LIMITS_H
#define MEMPHIS_BANDWIDTH_LIMITS_H

#include "base/statistics.h"
#include "view/counters_table.h"
#include "view/region_times.h"
#include "view/waiting.h"
#include "view/weights.h"

/* From this share on, a row is a finding. */
#define MEMPHIS_LIMIT_SHARE 0.8
/* Above this share, the limit was measured too low; 0.1 is left for noise of both measurements. */
#define MEMPHIS_LIMIT_DOUBT 1.1
/*
 * Limits for a finding by counters: the largest part of the traffic that may be that of other regions, and the smallest part of the time
 * that the readings cover.
 */
#define MEMPHIS_LIMIT_SHARED 0.2
#define MEMPHIS_LIMIT_TIME   0.05
#define MEMPHIS_LIMIT_TENTHS 10

struct memphis_limit {
	bool counted; /* by the memory controllers; else estimated from samples */
	/* place of the region; MEMPHIS_COUNTER_IN_UNKNOWN: the traffic of all that was selected */
	enum memphis_counters_place place;
	char *region;   /* path of the region; of an estimate, its name; or NULL */
	uint16_t node;  /* node of the memory; MEMPHIS_NODE_UNKNOWN: the nodes in `nodes` */
	char nodes[24]; /* nodes whose controllers are counted together: "0-3,8"; else empty */
	uint16_t from;  /* link: the accessing node; MEMPHIS_NODE_UNKNOWN: the memory, whoever accesses it */
	const char *
		host; /* name of the host with the largest share, a string of the processes; NULL: not known */
	size_t hosts;       /* number of hosts with this row */
	uint64_t ns;        /* time that the traffic covers */
	double read, write; /* bytes per second */
	double shared;      /* share of the traffic that may belong to other regions, 0 to 1 */
	double limit;       /* bytes per second at this mix of reads and writes; NAN: not measured */
	const struct memphis_matrices *measured; /* on the host, or on one like it */
	/* part of the limit, with its 95 % confidence interval if it is estimated */
	struct memphis_estimate share;
	bool is_finding;
	bool is_memory_only; /* the node has no CPUs that could be measured */
	/* If memory is a finding: the largest share of any other memory of the host in the same region; NAN: there is no other memory. */
	double others;
};

/* The bandwidth of a node's memory: the mean over the hosts. */
struct memphis_node_limits {
	unsigned int node;
	/* Bytes per second if no, one, two ... ten tenths of the traffic are writes, or NAN; and the number of hosts over which each is a mean. */
	double by_tenths[MEMPHIS_LIMIT_TENTHS + 1];
	size_t hosts[MEMPHIS_LIMIT_TENTHS + 1];
};

struct memphis_limits {
	bool counted; /* there are counters of memory controllers */
	const struct memphis_weights *measured;
	struct memphis_node_limits *nodes; /* the measured nodes */
	size_t node_count, node_room;
	size_t not_measured;        /* number of hosts without a measurement of their own */
	struct memphis_limit *list; /* rows with a known limit; largest share first */
	size_t count, room;
};

/* Sets the rows; there are none without a measurement. Returns 0 or -ENOMEM; close the limits in either case. */
int memphis_limits_make(struct memphis_limits *limits, const struct memphis_profile *profile,
			const struct memphis_selection *selection, const struct memphis_waiting *waiting,
			const struct memphis_region_times *times, const struct memphis_weights *measured);
void memphis_limits_close(struct memphis_limits *limits);

/*
 * Returns the bandwidth of the node's memory in bytes per second, for this share of writes in its traffic; NAN if it was not measured. The value is
 * interpolated between the measured loops (reads alone, a triad, a copy, writes). The traffic of loops with stores includes the lines that are fetched
 * before they are written.
 */
double memphis_limit_of_memory(const struct memphis_matrices *measured, uint32_t node, double writes);

#endif
