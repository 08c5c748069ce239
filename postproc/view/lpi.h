/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides whether remote memory costs enough to be worth the effort of the user: by the remote latency per instruction. */
#ifndef MEMPHIS_LPI_H
#define MEMPHIS_LPI_H

#include "view/waiting.h"

/*
 * The rule of thumb of Liu and Mellor-Crummey (A Tool to Analyze the Performance of Multithreaded Programs on NUMA Architectures, PPoPP
 * 2014): below this number of cycles of remote latency per instruction, placing memory better gains little.
 */
#define MEMPHIS_LPI_WORTH 0.1
/* If local memory would save less than this share of the waiting for data, it is not worth the effort, whatever the latency per instruction. */
#define MEMPHIS_LPI_LITTLE 0.02

enum memphis_worth {
	MEMPHIS_WORTH_NOT_GIVEN = 0,
	MEMPHIS_WORTH_UNDECIDED, /* the interval contains MEMPHIS_LPI_WORTH */
	MEMPHIS_WORTH_NO,        /* the interval is below that number */
	MEMPHIS_WORTH_LITTLE, /* it is not, but local memory would save less than MEMPHIS_LPI_LITTLE, with 95 % confidence */
	MEMPHIS_WORTH_YES /* the interval is above that number */
};

/* The thread with most remote latency is judged alone, or named, if it has at least this number of remote loads. */
#define MEMPHIS_LPI_SAMPLES 20
/* If the verdict is that of all threads, a thread is named if it has at least this share of the remote latency, twice as much as all others. */
#define MEMPHIS_LPI_MOST (2.0 / 3)

extern const char *const memphis_worth_names[]; /* as keys of JSON */

/* The thread with most remote latency. */
struct memphis_lpi_thread {
	uint32_t process,
		thread; /* its index in the process; MEMPHIS_NONE: only one thread has samples, or its own numbers are not known */
	enum memphis_worth worth;
	struct memphis_estimate lpi; /* per op of this thread */
	double share;                /* of the remote latency of all threads */
	bool has_most;               /* MEMPHIS_LPI_MOST of it, by MEMPHIS_LPI_SAMPLES loads or more */
};

struct memphis_lpi {
	enum memphis_worth worth;
	enum memphis_wait_obstacle why_not; /* the reason why no verdict is given */
	/* Cycles of remote latency per op; `high` is INFINITY if some such loads were dropped. */
	struct memphis_estimate lpi;
	/* The share of `lpi` (0 to 1) due to caches of other nodes, which the placement of memory does not change. */
	double caches;
	double ops; /* estimated number of ops in user mode */
	struct memphis_lpi_thread most;
	double saved; /* upper limit of the share of waiting that local memory would save; negative: not known */
	double lost; /* share of samples that passed all filters and were lost; they are in no estimate of waiting */
};

/*
 * Returns whether an improvement is worth the effort, and most of the latency is due to caches of other nodes: then the main cause is sharing of
 * cache lines, not placement.
 */
static inline bool memphis_lpi_is_sharing(const struct memphis_lpi *verdict)
{
	return verdict->worth == MEMPHIS_WORTH_YES && verdict->caches > 0.5;
}

/*
 * Fills in the verdict on the selected processes. IBS samples ops: each interrupt stands for one sampled op, so that the number of ops follows from
 * the accounting. An op is an instruction or a part of one. PEBS counts loads, and the number of instructions is not known.
 */
void memphis_lpi_find(struct memphis_lpi *verdict, const struct memphis_waiting *waiting,
		      const struct memphis_profile *profile, const struct memphis_selection *selection);

#endif
