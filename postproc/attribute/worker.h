/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The state of one worker of the join: a thread that reads samples, selects them and counts them, apart from all other workers. Not
 * thread-safe; memphis_worker_collect() adds the results once the threads have ended.
 */
#ifndef MEMPHIS_WORKER_H
#define MEMPHIS_WORKER_H

#include "read/decode.h"
#include "attribute/join.h"
#include "attribute/count_cache.h"

#define MEMPHIS_WORKER_KINDS 512 /* slots of a direct-mapped cache of kinds of accesses; a power of two */

/* Samples of one kind of access that are not yet in the worker's totals. */
struct memphis_worker_kind {
	uint64_t way; /* the access, as in struct memphis_columns; MEMPHIS_NO_ACCESS: unused slot */
	struct memphis_access counted; /* the access that the cells are keyed by */
	bool wanted;                   /* the selection takes the access */
	uint64_t homes; /* contribution of a sample to the thread's homes, packed: HOMES_* in worker.c */
	uint64_t count, latency_cycles;
	uint64_t in_tick; /* the part of `count` that is not yet in the process's timeline */
};

struct memphis_worker {
	struct memphis_join *join;
	struct memphis_counts counts;
	struct memphis_totals totals;
	struct memphis_timeline *timelines; /* by process */
	struct memphis_examples examples;
	/* By row of the profile: samples of each region, if regions are counted separately. */
	uint64_t *written;
	struct memphis_count_cache cache;
	/* the current part of a thread's file, and what was counted in it */
	size_t process, thread;
	uint64_t read, selected, own;
	struct memphis_homes homes;
	uint64_t tick_ns, tick_end_ns; /* the step of the timeline that in_tick belongs to */
	struct memphis_worker_kind kinds[MEMPHIS_WORKER_KINDS];
	struct memphis_columns columns;
};

/* 0 or -ENOMEM, likewise below. Close it in either case. */
int memphis_worker_open(struct memphis_worker *worker, struct memphis_join *join);
void memphis_worker_close(struct memphis_worker *worker);

/* Enclose the samples of a part of a thread's file, in order of time. A thread may have several parts. */
int memphis_worker_begin(struct memphis_worker *worker, size_t process, size_t thread);
int memphis_worker_end(struct memphis_worker *worker);

/* Counts all remaining samples of the decoder. Also -EBADMSG, as memphis_decoder_next(). */
int memphis_worker_samples(struct memphis_worker *worker, struct memphis_decoder *decoder);

/* Adds all results to join->counts and to the profile. */
int memphis_worker_collect(struct memphis_worker *worker);

#endif
