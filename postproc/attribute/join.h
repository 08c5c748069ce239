/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Joins samples with what their addresses belonged to, all thread files in parallel.
 */
#ifndef MEMPHIS_JOIN_H
#define MEMPHIS_JOIN_H

#include "attribute/answer.h"
#include "attribute/blocks.h"
#include "profile/counts.h"
#include "attribute/own.h"
#include "read/process.h"
#include "profile/profile.h"
#include "profile/selection.h"

/* A thread's block of thread-local variables, and while it was its. */
struct memphis_tls_range {
	uint64_t low, high, object, from_ns, to_ns;
};

/* What the join needs of a process beside its metadata. */
struct memphis_joined_process {
	struct memphis_process *process;
	struct memphis_blocks blocks;
	struct memphis_intervals stacks; /* of its threads */
	struct memphis_tls_range *tls_ranges;
	size_t tls_count, tls_room;
	struct memphis_intervals tls; /* by address, the ranges' numbers */
	struct memphis_own own;       /* where the sampling library is */
	bool *arena;                  /* by map: heap blocks stood in it */
	bool *regions;                /* by region id: wanted; NULL = no region asked for */
	size_t region_count;
	uint32_t *region_rows; /* by region id, where each is counted apart */
	size_t region_row_count;
	uint64_t period;       /* accesses that a sample stands for */
	uint64_t start_ns;     /* of sampling */
	uint32_t first_thread; /* as memphis_profile_thread() counts them */
};

struct memphis_join {
	struct memphis_profile *profile;     /* whose regions, totals and timelines the join fills */
	struct memphis_processes *processes; /* the profile's */
	const struct memphis_selection *selection;
	struct memphis_joined_process *list; /* one per process */
	struct memphis_counts counts;
};

/* Prepares the look-ups in profile->processes. 0 or a negative errno. Close it in either case. */
int memphis_join_open(struct memphis_join *join, struct memphis_profile *profile,
		      const struct memphis_selection *selection, struct memphis_error *error);

void memphis_join_close(struct memphis_join *join);

/* What `address` belonged to at `time_ns`. 0 or -ENOMEM. */
int memphis_join_address(struct memphis_join *join, size_t process, uint64_t address, uint64_t time_ns,
			 struct memphis_answer *answer);

#endif
