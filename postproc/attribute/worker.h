/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The state of one worker of the join: a thread that reads, selects and counts samples independently of the other workers. Not thread-safe.
 * After the threads have ended, memphis_worker_collect() adds the results.
 */
#ifndef MEMPHIS_WORKER_H
#define MEMPHIS_WORKER_H

#include "read/callers.h"
#include "read/decode.h"
#include "attribute/join.h"
#include "attribute/count_cache.h"

#define MEMPHIS_WORKER_KINDS 512  /* most kinds of access that are counted at a time */
#define MEMPHIS_WORKER_SLOTS 1024 /* of the hash table of kinds; a power of two */

/* The samples of one kind of access that are not yet in the worker's totals, in one cache line. */
struct memphis_worker_kind {
	uint64_t way;                  /* the access, packed as in struct memphis_columns */
	struct memphis_access counted; /* the access in the keys of the cells */
	/* What a sample adds to the thread's homes, packed with HOMES_BITS (worker.c). */
	uint64_t homes;
	uint64_t count, latency_cycles, latency_squares;
	uint64_t in_tick; /* number of selected samples that are not yet in the process's timeline */
	uint32_t latency_max_cycles;
	bool wanted; /* whether the selection includes the access */
	bool waits;  /* whether such loads wait beyond the L2, although it does not */
} __attribute__((aligned(64)));

struct memphis_worker {
	struct memphis_join *join;
	struct memphis_counts counts;
	struct memphis_totals totals;
	struct memphis_timeline *timelines; /* one per process */
	struct memphis_examples examples;
	/* For each row of the profile's regions, the number of samples, if regions are counted separately. */
	uint64_t *written;
	struct memphis_count_cache cache;
	/* The current part of a thread's file, and the counts made from it. */
	size_t process, thread;
	uint64_t read, selected, own;
	struct memphis_homes homes;
	bool with_callers; /* the thread's file has callers of samples */
	struct memphis_callers callers;
	uint64_t tick_ns, tick_end_ns; /* the step of the timeline that in_tick belongs to */
	struct memphis_worker_kind kinds[1 + MEMPHIS_WORKER_KINDS]; /* the first stands for no kind */
	unsigned int kind_count;                                    /* with the first */
	uint16_t slots[MEMPHIS_WORKER_SLOTS];                       /* by hash: index in kinds, or 0 */
	struct memphis_columns columns;
};

/* Returns 0 or -ENOMEM, as do the functions below. The caller must close the worker in both cases. */
int memphis_worker_open(struct memphis_worker *worker, struct memphis_join *join);
void memphis_worker_close(struct memphis_worker *worker);

/*
 * memphis_worker_begin() and memphis_worker_end() enclose the samples of a part of a thread's file, which are sorted by time. A thread may
 * have several parts.
 */
int memphis_worker_begin(struct memphis_worker *worker, size_t process, size_t thread);
int memphis_worker_end(struct memphis_worker *worker);

/* Counts all remaining samples of the decoder. Also returns -EBADMSG, like memphis_decoder_next(). */
int memphis_worker_samples(struct memphis_worker *worker, struct memphis_decoder *decoder);

/* Adds all results to join->counts and to the profile. */
int memphis_worker_collect(struct memphis_worker *worker);

#endif
