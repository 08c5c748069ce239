/* SPDX-License-Identifier: BSD-3-Clause */
/* Adds up the accounting of interrupts over threads, and checks it against the contents of the files. */
#ifndef MEMPHIS_ACCOUNTING_H
#define MEMPHIS_ACCOUNTING_H

#include "read/thread.h"
#include "profile/selection.h"

struct memphis_accounting_total {
	struct memphis_accounting sum; /* sum over threads */
	uint64_t written, selected;    /* number of samples in the files; number of selected ones */
	/* number of samples in the files that are accesses of the sampling library itself; never selected */
	uint64_t own;
	struct memphis_homes homes;      /* sum over threads */
	uint64_t enabled_ns, starved_ns; /* sums of these settings over processes */
	/* of attached processes: CPU time; part of it that was not sampled */
	uint64_t cpu_ns, unseen_ns;
	size_t threads, unbalanced;
};

void memphis_account(const struct memphis_processes *processes, const struct memphis_selection *selection,
		     struct memphis_accounting_total *accounting);

/* Returns the number of loads from DRAM whose source contradicts the home node of their page. */
uint64_t memphis_homes_contrary(const struct memphis_homes *homes);

/* Returns whether so many loads contradict the home nodes of pages that the home nodes are unreliable. */
bool memphis_homes_doubtful(const struct memphis_homes *homes);

/* Returns the name of a filter reason. If the number has no name, prints it to `buffer`. */
const char *memphis_reason_label(unsigned int reason, char buffer[24]);

#endif
