/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A set-associative write-back cache in front of a worker's counts. A set is chosen by instruction, access and region; a slot of two
 * cache lines holds the owner that the instruction touched last and counts samples until the slot is flushed, so that most samples
 * need neither an attribution nor a hash table.
 */
#ifndef MEMPHIS_COUNT_CACHE_H
#define MEMPHIS_COUNT_CACHE_H

#include "profile/examples.h"
#include "attribute/join.h"

/* A selected sample. */
struct memphis_seen {
	uint64_t pc, address, time_ns;
	uint32_t latency_cycles;
	uint32_t region; /* row of the profile; 0 unless regions are counted separately */
	struct memphis_access access;
};

struct memphis_count_cache {
	struct memphis_join *join;
	struct memphis_counts *counts;
	struct memphis_examples *examples;
	size_t process, thread; /* of the current samples */
	struct memphis_count_cache_tables *tables;
};

/* 0 or -ENOMEM. Close it in either case. */
int memphis_count_cache_open(struct memphis_count_cache *cache, struct memphis_join *join,
			     struct memphis_counts *counts, struct memphis_examples *examples);
void memphis_count_cache_close(struct memphis_count_cache *cache);

/* Sets the thread whose samples follow. 0 or -ENOMEM, likewise below. */
int memphis_count_cache_begin(struct memphis_count_cache *cache, size_t process, size_t thread);
int memphis_count_cache_add(struct memphis_count_cache *cache, const struct memphis_seen *list, size_t count);

/* Flushes all slots into the counts. */
int memphis_count_cache_flush(struct memphis_count_cache *cache);

#endif
