/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A set-associative write-back cache in front of a worker's counts. The instruction, access and region of a sample choose the set. Each
 * slot of two cache lines stores an owner that the instruction accessed recently and counts its samples until the slot is flushed. Most
 * samples therefore need neither an attribution nor an access to the hash table.
 */
#ifndef MEMPHIS_COUNT_CACHE_H
#define MEMPHIS_COUNT_CACHE_H

#include "profile/examples.h"
#include "attribute/join.h"

/* A selected sample. */
struct memphis_seen {
	uint64_t pc, address, time_ns;
	uint32_t latency_cycles;
	uint32_t region;  /* row of the profile; 0 unless regions are counted separately */
	uint32_t callers; /* see read/callers.h */
	struct memphis_access access;
};

struct memphis_count_cache {
	struct memphis_join *join;
	struct memphis_counts *counts;
	struct memphis_examples *examples;
	size_t process, thread; /* whose samples are being added */
	struct memphis_count_cache_tables *tables;
};

/* Returns 0 or -ENOMEM; the caller must close the cache in both cases. */
int memphis_count_cache_open(struct memphis_count_cache *cache, struct memphis_join *join,
			     struct memphis_counts *counts, struct memphis_examples *examples);
void memphis_count_cache_close(struct memphis_count_cache *cache);

/* Sets the thread that the next samples belong to. Returns 0 or -ENOMEM, as do the two functions below. */
int memphis_count_cache_begin(struct memphis_count_cache *cache, size_t process, size_t thread);
int memphis_count_cache_add(struct memphis_count_cache *cache, const struct memphis_seen *list, size_t count);

/* Flushes all slots into the hash table. */
int memphis_count_cache_flush(struct memphis_count_cache *cache);

#endif
