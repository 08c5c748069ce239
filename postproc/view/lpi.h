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
	MEMPHIS_WORTH_LITTLE, /* it is not, but what local memory would save is below MEMPHIS_LPI_LITTLE, with 95 % confidence */
	MEMPHIS_WORTH_YES /* the interval is above that number */
};

/* Minimum number of remote loads of the thread with most, for it to be judged alone. */
#define MEMPHIS_LPI_SAMPLES 20
/* Minimum share of the remote latency that one thread has, for it to be named if the verdict is that of all threads. */
#define MEMPHIS_LPI_MOST 0.5

extern const char *const memphis_worth_names[]; /* as keys of JSON */

/* The thread with most remote latency. */
struct memphis_lpi_thread {
	uint32_t process,
		thread; /* its index in the process; MEMPHIS_NONE: only one thread has samples, or its own numbers are not known */
	enum memphis_worth worth;
	struct memphis_estimate lpi; /* per op of this thread */
	double share;                /* of the remote latency of all threads */
};

struct memphis_lpi {
	enum memphis_worth worth;
	enum memphis_wait_obstacle why_not; /* if it is not given: the reason */
	/* Cycles of remote latency per op; `high` is INFINITY if some such loads were dropped. */
	struct memphis_estimate lpi;
	/* The part of `lpi` that waited for caches of other nodes, which the placement of memory does not change: 0 to 1. */
	double caches;
	double ops; /* estimated number of ops in user mode */
	struct memphis_lpi_thread most;
	double saved; /* upper limit of the part of the waiting that local memory would save; negative: not known */
	double lost; /* share of samples that passed all filters and were lost; they are in no estimate of waiting */
};

/*
 * Returns true if improving this is worth the effort, and if most of the latency is due to caches of other nodes: then sharing is the cause
 * more than placement.
 */
static inline bool memphis_lpi_is_sharing(const struct memphis_lpi *verdict)
{
	return verdict->worth == MEMPHIS_WORTH_YES && verdict->caches > 0.5;
}

/*
 * Fills in the verdict on the selected processes. IBS samples ops, of which every interrupt is one, so that their number follows from the
 * accounting; an op is an instruction or a part of one. PEBS counts loads, and the number of instructions is not known.
 */
void memphis_lpi_find(struct memphis_lpi *verdict, const struct memphis_waiting *waiting,
		      const struct memphis_profile *profile, const struct memphis_selection *selection);

#endif
