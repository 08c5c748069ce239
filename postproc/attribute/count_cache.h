/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What one reader of samples counts, before it gets into its counts: slots found by the instruction, of one or two cache lines each, which
 * know the variable it touched last and take samples until something else needs the slot.
 */
#ifndef MEMPHIS_SLOTS_H
#define MEMPHIS_SLOTS_H

#include "profile/examples.h"
#include "attribute/join.h"

/* A selected sample, as it is counted. */
struct memphis_seen {
	uint64_t pc, address, time_ns;
	uint32_t latency_cycles;
	uint32_t region; /* of the profile; 0 unless each is counted apart */
	struct memphis_access access;
};

struct memphis_count_cache {
	struct memphis_join *join;
	struct memphis_counts *counts;
	struct memphis_examples *examples;
	size_t process, thread; /* whose samples come */
	struct memphis_count_cache_caches *caches;
};

/* 0 or -ENOMEM. Close it in either case. */
int memphis_count_cache_open(struct memphis_count_cache *slots, struct memphis_join *join,
			     struct memphis_counts *counts, struct memphis_examples *examples);
void memphis_count_cache_close(struct memphis_count_cache *slots);

/* Samples of this thread come now. 0 or -ENOMEM, likewise below. */
int memphis_count_cache_begin(struct memphis_count_cache *slots, size_t process, size_t thread);
int memphis_count_cache_add(struct memphis_count_cache *slots, const struct memphis_seen *list, size_t count);

/* Puts what is in the slots into the counts. */
int memphis_count_cache_empty(struct memphis_count_cache *slots);

#endif
