/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Attributes addresses to their owners: blocks, and static, thread-local and local variables. Contains all lookup tables for all processes.
 * The tables are built once and then only read, which allows several threads to call memphis_join_address() at the same time. The samples
 * are read by join_workers.h.
 */
#ifndef MEMPHIS_JOIN_H
#define MEMPHIS_JOIN_H

#include <stdint.h>

#include "attribute/blocks.h"
#include "attribute/own.h"
#include "attribute/small_blocks.h"
#include "profile/counts.h"
#include "profile/profile.h"
#include "profile/selection.h"
#include "read/process.h"

/* The owner, and the range of addresses (low <= a < high) and times (from_ns <= t < to_ns) that have this owner. */
struct memphis_answer {
	struct memphis_owner owner;
	uint64_t low, high, from_ns, to_ns;
};

/* The memory that holds a thread's thread-local variables of one object, and the lifetime of the thread. */
struct memphis_tls_range {
	uint64_t low, high, object, from_ns, to_ns;
};

/* The lookup tables of one process. */
struct memphis_joined_process {
	struct memphis_process *process;
	struct memphis_blocks blocks;
	struct memphis_small_blocks small;
	/* Address ranges of the threads' stacks; the values are indexes of threads. */
	struct memphis_intervals stacks;
	struct memphis_tls_range *tls_ranges;
	size_t tls_count, tls_room;
	struct memphis_intervals tls; /* address ranges; the values are indexes in tls_ranges */
	struct memphis_own own;       /* address ranges of the sampling library */
	bool *arena;                  /* by map: whether it contained heap blocks */
	bool *regions; /* by region id: whether the region is selected; NULL: all regions are selected */
	size_t region_count;
	uint32_t *region_rows; /* by region id: row of the profile, if regions are counted separately */
	size_t region_row_count;
	uint64_t stands_for;   /* number of accesses that a sample represents; 0 if unknown */
	uint64_t start_ns;     /* time at which sampling began */
	uint32_t first_thread; /* number of the process's first thread in the profile */
};

struct memphis_join {
	struct memphis_profile *profile;     /* receives regions, totals, timelines and examples */
	struct memphis_processes *processes; /* owned by the profile */
	const struct memphis_selection *selection;
	struct memphis_joined_process *list; /* one entry per process */
	uint64_t *chains_ns; /* by chain of the processes: time of its first sample, which selects the maps */
	struct memphis_counts counts; /* counts of all selected samples, from memphis_join_run() */
};

/*
 * Builds the lookup tables for profile->processes, and frees the allocations there. Returns 0, or a negative errno with a message in
 * *error; the caller must close the join in both cases.
 */
int memphis_join_open(struct memphis_join *join, struct memphis_profile *profile,
		      const struct memphis_selection *selection, struct memphis_error *error);

void memphis_join_close(struct memphis_join *join);

/*
 * Sets *answer to the owner of `address` at `time_ns`. `frame` is the frame of a sample there (read/callers.h), or 0; with a frame, the answer
 * is one for samples in this frame only. Returns 0 or -ENOMEM.
 */
int memphis_join_address(struct memphis_join *join, size_t process, uint64_t address, uint64_t time_ns,
			 uint32_t frame, struct memphis_answer *answer);

#endif
