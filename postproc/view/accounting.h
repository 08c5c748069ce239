/* SPDX-License-Identifier: BSD-3-Clause */
/* The accounting of interrupts, summed over threads and checked against the contents of the files. */
#ifndef MEMPHIS_ACCOUNTING_H
#define MEMPHIS_ACCOUNTING_H

#include "read/process.h"
#include "profile/selection.h"

/* Returns whether interrupts are the sum of kept, lost and filtered ones. */
bool memphis_accounting_balance(const struct memphis_accounting *sum);

/*
 * Returns whether the accounting of a thread adds up and agrees with the samples in its file. A file that was not closed may hold more samples
 * than its last accounting record counts, never fewer.
 */
bool memphis_thread_balances(const struct memphis_thread *thread);

struct memphis_accounting_total {
	struct memphis_accounting sum; /* over threads */
	uint64_t written, selected;    /* samples in the files, and those of them that were selected */
	uint64_t own; /* of those written, accesses of the sampling library, which are never selected */
	struct memphis_homes homes;      /* sums over threads */
	uint64_t enabled_ns, starved_ns; /* sums of the settings over processes */
	uint64_t cpu_ns, unseen_ns; /* of attached processes: CPU time, and the part that was not sampled */
	size_t threads, unbalanced;
};

void memphis_account(const struct memphis_processes *processes, const struct memphis_selection *selection,
		     struct memphis_accounting_total *accounting);

/* Returns how many loads from DRAM contradict the home of their page. */
uint64_t memphis_homes_contrary(const struct memphis_homes *homes);

/* Returns whether so many loads contradict that the homes of pages are unreliable. */
bool memphis_homes_doubtful(const struct memphis_homes *homes);

/* Returns the name of a filter reason; numbers without a name are printed to `room`. */
const char *memphis_reason_label(unsigned int reason, char room[24]);

#endif
