/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Decides whether remote memory costs so much that it is worth the user's effort. The criterion is the remote latency
 * per instruction.
 */
#ifndef MEMPHIS_LPI_H
#define MEMPHIS_LPI_H

#include "view/waiting.h"

/*
 * If the remote latency per instruction is less than this number of cycles, placing memory better gains little. This
 * is the rule of thumb of Liu and Mellor-Crummey (A Tool to Analyze the Performance of Multithreaded Programs on NUMA
 * Architectures, PPoPP 2014).
 */
#define MEMPHIS_LPI_WORTH 0.1
/*
 * If local memory would save less than this share of the waiting for data, it is not worth the effort, whatever the
 * latency per instruction is.
 */
#define MEMPHIS_LPI_LITTLE 0.02

enum memphis_worth {
	MEMPHIS_WORTH_NOT_GIVEN = 0,
	MEMPHIS_WORTH_UNDECIDED, /* the confidence interval contains MEMPHIS_LPI_WORTH */
	MEMPHIS_WORTH_NO,        /* the interval is below MEMPHIS_LPI_WORTH */
	/* The interval is not below it, but local memory would save less than MEMPHIS_LPI_LITTLE, with 95 % confidence. */
	MEMPHIS_WORTH_LITTLE,
	MEMPHIS_WORTH_YES /* the interval is above MEMPHIS_LPI_WORTH */
};

/* The thread with the most remote latency is judged by itself, or named, only if it has at least this number of remote loads. */
#define MEMPHIS_LPI_SAMPLES 20
/*
 * If the verdict is about all threads, a single thread is named only if it has at least this share of the remote
 * latency. This is twice as much as all others have together.
 */
#define MEMPHIS_LPI_MOST (2.0 / 3)

extern const char *const memphis_worth_names[]; /* the values in JSON */

/* The thread with the most remote latency. */
struct memphis_lpi_thread {
	/*
	 * `thread` is its index in the process. MEMPHIS_NONE: only one thread has samples, or the thread's own numbers
	 * are unknown.
	 */
	uint32_t process, thread;
	enum memphis_worth worth;
	struct memphis_estimate lpi; /* cycles of remote latency per op of this thread */
	double share;                /* share of the remote latency of all threads */
	/*
	 * The verdict names this thread: it has MEMPHIS_LPI_MOST of the latency, by MEMPHIS_LPI_SAMPLES loads or more, or it is
	 * the only one that is worth the effort.
	 */
	bool named;
};

struct memphis_lpi {
	enum memphis_worth worth;
	enum memphis_wait_obstacle why_not; /* why no verdict is given */
	/* Cycles of remote latency per op. `high` is INFINITY if samples of some remote loads were dropped. */
	struct memphis_estimate lpi;
	/* The share of `lpi` (0 to 1) that is caused by caches of other nodes. The placement of memory does not change it. */
	double caches;
	double ops; /* estimated number of ops in user mode */
	struct memphis_lpi_thread most;
	/* upper limit of the share of waiting that local memory would save; negative: unknown */
	double saved;
	/* share of the samples that passed all filters, but were lost; no estimate of waiting includes them */
	double lost;
};

/*
 * Returns whether an improvement is worth the effort, and most of the latency is caused by caches of other nodes. The
 * main cause is then sharing of cache lines, and not the placement of memory.
 */
static inline bool memphis_lpi_is_sharing(const struct memphis_lpi *verdict)
{
	return verdict->worth == MEMPHIS_WORTH_YES && verdict->caches > 0.5;
}

/* Returns whether an improvement is worth the effort for the thread with most remote latency, but not for all threads together. */
static inline bool memphis_lpi_is_alone(const struct memphis_lpi *verdict)
{
	return verdict->most.worth == MEMPHIS_WORTH_YES && verdict->worth != MEMPHIS_WORTH_YES;
}

/*
 * Finds the verdict about the selected processes. IBS samples ops, which are instructions or parts of instructions.
 * Each interrupt represents one sampled op, so the accounting of interrupts gives the number of ops. PEBS counts
 * loads, so the number of instructions is unknown.
 */
void memphis_lpi_find(struct memphis_lpi *verdict, const struct memphis_waiting *waiting,
		      const struct memphis_profile *profile, const struct memphis_selection *selection);

#endif
