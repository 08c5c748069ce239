/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Attributes addresses to owners: blocks, static, thread-local and local variables. Holds all lookups that this needs, for all processes,
 * built once and then only read, so that several threads may call memphis_join_address(). join_workers.h reads the samples.
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

/* The memory of a thread's thread-local variables of one object, and the lifetime of the thread. */
struct memphis_tls_range {
	uint64_t low, high, object, from_ns, to_ns;
};

/* The lookups of one process. */
struct memphis_joined_process {
	struct memphis_process *process;
	struct memphis_blocks blocks;
	/* Address ranges of the threads' stacks; values: indexes of threads. */
	struct memphis_intervals stacks;
	struct memphis_tls_range *tls_ranges;
	size_t tls_count, tls_room;
	struct memphis_intervals tls; /* address ranges; values: indexes in tls_ranges */
	struct memphis_own own;       /* the address ranges of the sampling library */
	bool *arena;                  /* by map: did it hold heap blocks? */
	bool *regions; /* by region id: is the region selected? NULL: no region was asked for */
	size_t region_count;
	uint32_t *region_rows; /* by region id: row of the profile, if regions are counted separately */
	size_t region_row_count;
	uint64_t period;       /* accesses that a sample represents; 0: unknown */
	uint64_t start_ns;     /* when sampling began */
	uint32_t first_thread; /* number of the first thread in the profile */
};

struct memphis_join {
	struct memphis_profile *profile;     /* receives regions, totals, timelines and examples */
	struct memphis_processes *processes; /* the profile's */
	const struct memphis_selection *selection;
	struct memphis_joined_process *list; /* by process */
	struct memphis_counts counts;        /* of all selected samples; filled by memphis_join_run() */
};

/*
 * Builds the lookups for profile->processes, and frees the allocations there. 0, or a negative errno with *error; close the join in
 * either case.
 */
int memphis_join_open(struct memphis_join *join, struct memphis_profile *profile,
		      const struct memphis_selection *selection, struct memphis_error *error);

void memphis_join_close(struct memphis_join *join);

/* What `address` belonged to at `time_ns`. 0 or -ENOMEM. */
int memphis_join_address(struct memphis_join *join, size_t process, uint64_t address, uint64_t time_ns,
			 struct memphis_answer *answer);

#endif
