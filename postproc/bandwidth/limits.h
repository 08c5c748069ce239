/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compares the memory traffic of a program with the bandwidth that memphis node --measure measured. Gives the share of
 * the bandwidth that is used, for the memory of each node and for the links between nodes.
 *
 * The traffic of memory comes from counters of memory controllers, by region. The traffic of links, and of memory
 * without such counters, is estimated from sampled loads. The estimate is a lower bound, because neither prefetches
 * nor stores are sampled.
 */
#ifndef MEMPHIS_BANDWIDTH_LIMITS_H
#define MEMPHIS_BANDWIDTH_LIMITS_H

#include "base/statistics.h"
#include "view/counters_table.h"
#include "view/region_times.h"
#include "view/waiting.h"
#include "view/weights.h"

/* A row with at least this share is a finding. */
#define MEMPHIS_LIMIT_SHARE 0.8
/*
 * If a share is larger than this, the bandwidth must have been measured too low. The 0.1 above 1 allows for noise in
 * both measurements.
 */
#define MEMPHIS_LIMIT_DOUBT 1.1
/*
 * Conditions for a finding from counters: the largest share of its traffic that may belong to other regions, and the
 * minimum ratio of its time to the longest time of any row from counters.
 */
#define MEMPHIS_LIMIT_SHARED 0.2
#define MEMPHIS_LIMIT_TIME   0.05
#define MEMPHIS_LIMIT_TENTHS 10

struct memphis_limit {
	bool counted; /* true: counted by memory controllers; false: estimated from samples */
	/* Kind of place that the region is. MEMPHIS_COUNTER_IN_UNKNOWN: the traffic of everything that is selected. */
	enum memphis_counters_place place;
	char *region;   /* path of the region, or its name if the row is an estimate; NULL: no region */
	uint16_t node;  /* node of the memory; MEMPHIS_NODE_UNKNOWN: see `nodes` */
	char nodes[24]; /* nodes that are counted together, for example "0-3,8"; else empty */
	/* The accessing node, if the row is a link; MEMPHIS_NODE_UNKNOWN: the row is the memory, with accesses from all nodes. */
	uint16_t from;
	/* Name of the host with the largest share, a string of the profile's processes. NULL: unknown. */
	const char *host;
	size_t hosts;       /* number of hosts with this row */
	uint64_t ns;        /* time during which the traffic was counted */
	double read, write; /* bytes per second */
	double shared;      /* share of the traffic that may belong to other regions, 0 to 1 */
	/* bandwidth in bytes per second at this mix of reads and writes; NAN: not measured */
	double limit;
	const struct memphis_matrices *measured; /* measurement on the host, or on a similar one */
	/* The traffic divided by `limit`, with the 95 % confidence interval if the traffic is estimated. */
	struct memphis_estimate share;
	bool is_finding;
	bool is_memory_only; /* the node has no CPUs on which bandwidth could be measured */
	/*
	 * If the row is a finding about memory: the largest share of any other memory of the host in this region. NAN:
	 * there is no other memory.
	 */
	double others;
};

/* The bandwidth of a node's memory, as the mean over the hosts. */
struct memphis_node_limits {
	unsigned int node;
	/*
	 * by_tenths[i] is the bandwidth in bytes per second if i tenths of the traffic are writes, or NAN. hosts[i] is
	 * the number of hosts over which it is a mean.
	 */
	double by_tenths[MEMPHIS_LIMIT_TENTHS + 1];
	size_t hosts[MEMPHIS_LIMIT_TENTHS + 1];
};

struct memphis_limits {
	bool counted; /* the profile has counters of memory controllers */
	const struct memphis_weights *measured;
	struct memphis_node_limits *nodes; /* the measured nodes */
	size_t node_count, node_room;
	size_t not_measured;        /* number of hosts without their own measurement */
	struct memphis_limit *list; /* rows with a known limit; largest share first */
	size_t count, room;
};

/* Makes the rows. Without a measurement there are none. Returns 0 or -ENOMEM. The caller must close the limits in both cases. */
int memphis_limits_make(struct memphis_limits *limits, const struct memphis_profile *profile,
			const struct memphis_selection *selection, const struct memphis_waiting *waiting,
			const struct memphis_region_times *times, const struct memphis_weights *measured);
void memphis_limits_close(struct memphis_limits *limits);

/*
 * Returns the bandwidth of the node's memory in bytes per second if this share of its traffic is writes. Returns NAN
 * if it was not measured. Interpolates between the measured loops (reads alone, a triad, a copy, writes). In loops
 * with stores, the traffic includes reading each line before it is written.
 */
double memphis_limit_of_memory(const struct memphis_matrices *measured, uint32_t node, double writes);

#endif
