/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Estimates from sampled latencies how long threads waited for data from beyond their own L2, and how much of this
 * waiting would be saved if all memory were local.
 *
 * A sample represents as many loads as its period counts. A term of an estimate is the latency of a sample times this
 * number, and the estimate of a row is the sum of its terms. Overlapping loads are all counted with their full
 * latency, so the sum is larger than the time for which threads really stalled.
 */
#ifndef MEMPHIS_WAITING_H
#define MEMPHIS_WAITING_H

#include "base/statistics.h"
#include "node/node.h"
#include "profile/profile.h"
#include "profile/selection.h"
#include "profile/wait_source.h"

/* If there are fewer sampled loads from local memory than this, their mean latency is not used. */
#define MEMPHIS_LOCAL_SAMPLES 10

/* The sum of the terms of a row (cycles), and the sum of their squares. */
struct memphis_wait {
	uint64_t count, latency_cycles; /* number of samples with a latency; sum of these latencies */
	double cycles, squares;
};

struct memphis_waits {
	struct memphis_wait sources[MEMPHIS_WAIT_SOURCES];
	/*
	 * `gain` is the time that loads from remote DRAM would save if each took as long as the mean load from the
	 * local DRAM of its node, or of all nodes together if its node has too few local samples. `spread` is the sum
	 * of the standard errors of these means, each times the number of loads to which it applies.
	 *
	 * `measured` is the number of samples for which all nodes together have too few local samples. Latencies from
	 * memphis node are used for them. `unknown` is the number of samples for which these do not exist either.
	 */
	struct memphis_wait gain;
	double spread;
	uint64_t measured, unknown;
};

/* The latency of loads that a node makes from its own DRAM. */
struct memphis_local_latency {
	uint16_t node;
	uint64_t count;
	/* `mean` is in cycles. `squares` is the sum of squares at first, and the variance after all loads are added. */
	double mean, squares;
};

/* The waiting of one thread, or of the loads that one node made from the memory of another node. */
struct memphis_waiting_part {
	uint32_t process, thread;
	uint16_t node, home;
	struct memphis_waits waits;
};

struct memphis_waiting_parts {
	struct memphis_waiting_part *list; /* in the order of the totals */
	size_t count, room;
};

/* The reasons why nothing can be estimated, or why no verdict can be given (view/lpi.h). */
enum memphis_wait_obstacle {
	MEMPHIS_OBSTACLE_NONE = 0,
	MEMPHIS_OBSTACLE_NO_LOADS,
	MEMPHIS_OBSTACLE_NO_SAMPLES,
	MEMPHIS_OBSTACLE_NO_LATENCY,
	MEMPHIS_OBSTACLE_CYCLES,
	MEMPHIS_OBSTACLE_SOME_CYCLES,
	/* the reasons below concern only the verdict */
	MEMPHIS_OBSTACLE_NO_OPS,
	MEMPHIS_OBSTACLE_FILTER,
	MEMPHIS_OBSTACLE_LOADS_DROPPED,
	MEMPHIS_OBSTACLE_PART,
	MEMPHIS_OBSTACLE_NO_SOURCES,
	MEMPHIS_OBSTACLE_NOT_COUNTED
};
extern const char *const memphis_wait_obstacle_texts[]; /* NULL for MEMPHIS_OBSTACLE_NONE */

struct memphis_waiting {
	enum memphis_wait_obstacle why_not; /* why nothing can be estimated */
	bool ibs, pebs;                     /* the sampling hardware of the selected processes */
	/*
	 * Limits for the number of loads that a sample represents (read/stands_for.h): the smallest and the largest
	 * ratio of the true number to the estimated one. The ends of confidence intervals are multiplied by them.
	 */
	double least, most;
	double largest[MEMPHIS_WAIT_SOURCES]; /* largest term of each source */
	/* one element per node; the last one is for all nodes together */
	struct memphis_local_latency *locals;
	size_t local_count, local_room;
	/* Measured latencies between nodes of the same machine, or of a similar one. NULL: not measured. */
	const struct memphis_matrices *measured;
	/* The waiting of all loads in the selected processes, regions and nodes, even if their kind is not selected. */
	struct memphis_waits all;
	struct memphis_waiting_parts threads, pairs;
};

/*
 * Computes the waiting of the profile. `measured` may be NULL. Returns 0 or -ENOMEM. The caller must close the waiting
 * in both cases.
 */
int memphis_waiting_make(struct memphis_waiting *waiting, const struct memphis_profile *profile,
			 const struct memphis_selection *selection, const struct memphis_matrices *measured);
void memphis_waiting_close(struct memphis_waiting *waiting);

/* Add the samples of a cell, or the sums of another row. The selection must include the cell. */
void memphis_waits_add_cell(struct memphis_waits *waits, const struct memphis_waiting *waiting,
			    const struct memphis_cell *cell);
void memphis_waits_add(struct memphis_waits *waits, const struct memphis_waits *more);

/*
 * Returns the number of samples that waited for data from beyond the L2 and have a latency. If it is 0, nothing is
 * estimated for the row.
 */
uint64_t memphis_waits_count(const struct memphis_waits *waits);

/*
 * Return estimated cycles: those of one source, those of all sources, and those that local memory would save. The last
 * number is known only if there are enough samples (MEMPHIS_LOCAL_SAMPLES) or measured latencies.
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
	/* Estimated number of cache lines that the accesses moved from outside the core's own L3. */
	uint64_t lines;
	/* number of samples that are stores; number that found the line modified in another cache */
	uint64_t stores, hitm;
	struct memphis_waits waits;
};

/* Returns the sums of one cell. The selection must include the cell. */
struct memphis_sum memphis_sum_of(const struct memphis_waiting *waiting, const struct memphis_cell *cell);
void memphis_sum_add(struct memphis_sum *sum, const struct memphis_sum *more);

/* Returns the probability that a sample of the row has the right variable. It is 1 if the variable is not estimated. */
static inline double memphis_certainty(const struct memphis_sum *sum)
{
	return sum->measure.count ? 1 - (double)sum->measure.doubt_ppm / 1e6 / (double)sum->measure.count : 1;
}

#endif
