/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Attributes addresses to their owners: memory blocks, and static, thread-local and local variables. The join
 * contains the lookup tables of all processes. They are built once and only read afterwards, so several
 * threads can call memphis_join_address() at the same time. The code in join_workers.h reads the samples.
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
#include "read/stands_for.h"

/* An owner, and the range of addresses (low <= a < high) and times (from_ns <= t < to_ns) that belong to this owner. */
struct memphis_answer {
	struct memphis_owner owner;
	uint64_t low, high, from_ns, to_ns;
};

/*
 * The memory with a thread's thread-local variables of one loaded object, and the lifetime of the thread.
 * `object` is the address of the loaded object.
 */
struct memphis_tls_range {
	uint64_t low, high, object, from_ns, to_ns;
};

/* The lookup tables of one process. */
struct memphis_joined_process {
	struct memphis_process *process;
	struct memphis_blocks blocks;
	struct memphis_small_blocks small;
	/* Address ranges of the threads' stacks. The values are indices of threads. */
	struct memphis_intervals stacks;
	struct memphis_tls_range *tls_ranges;
	size_t tls_count, tls_room;
	/* address ranges of thread-local memory; the values are indices in tls_ranges */
	struct memphis_intervals tls;
	struct memphis_own own; /* address ranges of the sampling library */
	bool *arena;            /* indexed by map: whether the map contained heap blocks */
	/* indexed by region id: whether the region is selected; NULL: all regions are selected */
	bool *regions;
	size_t region_count;
	/* indexed by region id: the region's row in the profile, if regions are counted separately */
	uint32_t *region_rows;
	size_t region_row_count;
	struct memphis_sample_weights weights;
	uint64_t start_ns;     /* time at which sampling began */
	uint32_t first_thread; /* number of the process's first thread in the profile */
};

struct memphis_join {
	struct memphis_profile *profile;     /* the join adds regions, totals, timelines and examples to it */
	struct memphis_processes *processes; /* owned by the profile */
	const struct memphis_selection *selection;
	struct memphis_joined_process *list; /* one entry per process */
	/* indexed by chain of callers: time of its first sample, which selects the memory maps for its PCs */
	uint64_t *chains_ns;
	struct memphis_counts counts; /* counts of all selected samples, from memphis_join_run() */
};

/*
 * Builds the lookup tables for profile->processes, and frees the allocations of these processes. Returns 0,
 * or a negative errno with a message in *error. The caller must close the join in both cases.
 */
int memphis_join_open(struct memphis_join *join, struct memphis_profile *profile,
		      const struct memphis_selection *selection, struct memphis_error *error);

void memphis_join_close(struct memphis_join *join);

/*
 * Sets *answer to the owner of `address` at `time_ns`. `frame` is the frame that was recorded with a sample
 * of this address (read/callers.h), or 0. If there is a frame, the answer is valid only for samples with the
 * same frame. Returns 0 or -ENOMEM.
 */
int memphis_join_address(struct memphis_join *join, size_t process, uint64_t address, uint64_t time_ns,
			 uint32_t frame, struct memphis_answer *answer);

#endif
