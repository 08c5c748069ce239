/* SPDX-License-Identifier: BSD-3-Clause */
/* What one reader of sample files finds in them: which samples are selected, how their accesses went and when, and what they touched. */
#ifndef MEMPHIS_TALLY_H
#define MEMPHIS_TALLY_H

#include "read/decode.h"
#include "attribute/join.h"
#include "attribute/count_cache.h"

#define MEMPHIS_TALLY_KINDS 512 /* ways that accesses of one thread go; a power of two */

/* Samples whose access went the same way, not yet in the worker's total. */
struct memphis_worker_kind {
	uint64_t way;                  /* as memphis_columns has it; MEMPHIS_NO_WAY: not in use */
	struct memphis_access counted; /* as cells know it */
	bool wanted;                   /* is selected */
	uint64_t homes; /* what each adds to the thread's homes, in one word: HOMES_* in attribute/worker.c */
	uint64_t count, latency_cycles;
	uint64_t in_tick; /* of `count`, those that are not yet in the process's timeline either */
};

struct memphis_worker {
	struct memphis_join *join;
	struct memphis_counts counts;
	struct memphis_totals totals;
	struct memphis_timeline *timelines; /* by process */
	struct memphis_examples examples;
	uint64_t *written; /* samples of each region, if these are counted apart */
	struct memphis_count_cache slots;
	/* What comes now. */
	size_t process, thread;
	uint64_t read, selected, own;
	struct memphis_homes homes;
	uint64_t tick_ns, tick_end_ns; /* the timeline's step that in_tick is of */
	struct memphis_worker_kind kinds[MEMPHIS_TALLY_KINDS];
	struct memphis_columns columns;
};

/* 0 or -ENOMEM, likewise below. Close it in either case. */
int memphis_worker_open(struct memphis_worker *worker, struct memphis_join *join);
void memphis_worker_close(struct memphis_worker *worker);

/* Around samples of one thread in order of time; there may be several such parts of it. */
int memphis_worker_begin(struct memphis_worker *worker, size_t process, size_t thread);
int memphis_worker_end(struct memphis_worker *worker);

/* All that the decoder has left. -EBADMSG: as memphis_decoder_next() says. */
int memphis_worker_samples(struct memphis_worker *worker, struct memphis_decoder *decoder);

/* Adds all that was found to join->counts and the profile. */
int memphis_worker_collect(struct memphis_worker *worker);

#endif
