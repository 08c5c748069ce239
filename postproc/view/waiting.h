/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How long threads waited for data from beyond their own L2, estimated from sampled latencies; how much of it would be saved if memory were
 * local; and whether that is worth the effort.
 *
 * A sample stands for as many loads as its period counts. A term of the estimate is the latency of a sample times this number, and the
 * estimate of a row is the sum of its terms. The latencies of overlapping loads are all counted, so that the sum exceeds the time that the
 * threads stalled.
 */
#ifndef MEMPHIS_WAITING_H
#define MEMPHIS_WAITING_H

#include "base/statistics.h"
#include "node/node.h"
#include "profile/profile.h"
#include "profile/selection.h"
#include "profile/wait_source.h"

/* Below this number of sampled loads from local memory, their mean latency is not used. */
#define MEMPHIS_LOCAL_SAMPLES 10

/* The sums of the terms of a row, and of their squares. */
struct memphis_wait {
	uint64_t count, latency_cycles; /* number of samples with a latency; sum of their latencies */
	double cycles, squares;
};

struct memphis_waits {
	struct memphis_wait sources[MEMPHIS_WAIT_SOURCES];
	/*
	 * The time that loads from remote DRAM would save with the mean latency of their node's own DRAM. `spread` is the sum of the standard errors of these
	 * means, each times the number of loads to which it applies. `measured` counts samples for which too few local loads were sampled, so that measured
	 * latencies are used instead; `unknown` counts samples for which these do not exist either.
	 */
	struct memphis_wait gain;
	double spread;
	uint64_t measured, unknown;
};

/* The latency of loads that a node made from its own DRAM. */
struct memphis_local_latency {
	uint16_t node;
	uint64_t count;
	/* `mean` is in cycles; `squares` is the sum of squares while summing, and then the variance */
	double mean, squares;
};

/* The waiting of a thread, or of the loads of one node from the memory of another one. */
struct memphis_waiting_part {
	uint32_t process, thread;
	uint16_t node, home;
	struct memphis_waits waits;
};

struct memphis_waiting_parts {
	struct memphis_waiting_part *list; /* in the order of the totals */
	size_t count, room;
};

/* Why nothing can be estimated, or no verdict can be given (view/lpi.h). */
enum memphis_wait_obstacle {
	MEMPHIS_OBSTACLE_NONE = 0,
	MEMPHIS_OBSTACLE_NO_LOADS,
	MEMPHIS_OBSTACLE_NO_SAMPLES,
	MEMPHIS_OBSTACLE_NO_LATENCY,
	MEMPHIS_OBSTACLE_CYCLES,
	MEMPHIS_OBSTACLE_SOME_CYCLES,
	/* of the verdict alone */
	MEMPHIS_OBSTACLE_NO_OPS,
	MEMPHIS_OBSTACLE_FILTER,
	MEMPHIS_OBSTACLE_LOADS_DROPPED,
	MEMPHIS_OBSTACLE_PART,
	MEMPHIS_OBSTACLE_NO_SOURCES,
	MEMPHIS_OBSTACLE_NOT_COUNTED
};
extern const char *const memphis_wait_obstacle_texts[]; /* [MEMPHIS_OBSTACLE_NONE]: NULL */

struct memphis_waiting {
	enum memphis_wait_obstacle why_not; /* why nothing can be estimated */
	bool ibs, pebs;                     /* hardware of the selected processes */
	/*
	 * Limits for the number of loads that a sample stands for (read/stands_for.h): the smallest and the largest share of the estimate
	 * that may be due to the program. The ends of intervals are multiplied by them.
	 */
	double least, most;
	double largest[MEMPHIS_WAIT_SOURCES]; /* the largest term */
	struct memphis_local_latency *locals; /* by node; the last one is of all nodes */
	size_t local_count, local_room;
	/* Latencies between nodes, of the same or a similar machine; or NULL. */
	const struct memphis_matrices *measured;
	/* Waiting of all loads of the selected processes, regions and nodes, also of kinds that are not selected. */
	struct memphis_waits all;
	struct memphis_waiting_parts threads, pairs;
};

/* Sums the waiting of the profile. `measured` may be NULL. Returns 0 or -ENOMEM; close it in either case. */
int memphis_waiting_make(struct memphis_waiting *waiting, const struct memphis_profile *profile,
			 const struct memphis_selection *selection, const struct memphis_matrices *measured);
void memphis_waiting_close(struct memphis_waiting *waiting);

/* Adds the samples of a cell, which the selection must include, or the sums of another row. */
void memphis_waits_add_cell(struct memphis_waits *waits, const struct memphis_waiting *waiting,
			    const struct memphis_cell *cell);
void memphis_waits_add(struct memphis_waits *waits, const struct memphis_waits *more);

/* Returns the number of samples with a latency beyond the L2; if it is 0, nothing is estimated for the row. */
uint64_t memphis_waits_count(const struct memphis_waits *waits);

/*
 * Return the estimated cycles of one source, of all sources, and those that local memory would save; MEMPHIS_LOCAL_SAMPLES decides whether
 * the latter are known.
 */
struct memphis_estimate memphis_waited_for(const struct memphis_waiting *waiting,
					   const struct memphis_waits *waits,
					   enum memphis_wait_source source);
struct memphis_estimate memphis_waited(const struct memphis_waiting *waiting,
				       const struct memphis_waits *waits);
bool memphis_gain_is_known(const struct memphis_waits *waits);
struct memphis_estimate memphis_gain(const struct memphis_waiting *waiting,
				     const struct memphis_waits *waits);

/* ---- the sums over the samples of a row ---- */

/* The sums over the samples of a row. */
struct memphis_sum {
	struct memphis_measure measure;
	/* estimated number of cache lines that the accesses moved from outside the core's own L3 */
	uint64_t lines;
	uint64_t stores, hitm; /* number of stores among the samples; number of hits of modified lines */
	struct memphis_waits waits;
};

/* Returns the sums of one cell, which the selection must include. */
struct memphis_sum memphis_sum_of(const struct memphis_waiting *waiting, const struct memphis_cell *cell);
void memphis_sum_add(struct memphis_sum *sum, const struct memphis_sum *more);

/* Returns the probability that a sample of the row has the right variable; 1 if the variable is not estimated. */
static inline double memphis_certainty(const struct memphis_sum *sum)
{
	return sum->measure.count ? 1 - (double)sum->measure.doubt_ppm / 1e6 / (double)sum->measure.count : 1;
}

#endif
