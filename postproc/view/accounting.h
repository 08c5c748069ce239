/* SPDX-License-Identifier: BSD-3-Clause */
/* The accounting of interrupts, summed over threads and checked against the contents of the files. */
#ifndef MEMPHIS_ACCOUNTING_H
#define MEMPHIS_ACCOUNTING_H

#include "read/thread.h"
#include "profile/selection.h"

struct memphis_accounting_total {
	struct memphis_accounting sum; /* over threads */
	uint64_t written, selected;    /* samples in the files; the selected ones among them */
	uint64_t own; /* written samples that are accesses of the sampling library; never selected */
	struct memphis_homes homes;      /* sums over threads */
	uint64_t enabled_ns, starved_ns; /* sums of the settings over processes */
	uint64_t cpu_ns, unseen_ns;      /* attached processes: CPU time; CPU time that was not sampled */
	size_t threads, unbalanced;
};

void memphis_account(const struct memphis_processes *processes, const struct memphis_selection *selection,
		     struct memphis_accounting_total *accounting);

/* Returns how many loads from DRAM contradict the home of their page. */
uint64_t memphis_homes_contrary(const struct memphis_homes *homes);

/* Returns whether enough loads contradict the homes of pages to make them unreliable. */
bool memphis_homes_doubtful(const struct memphis_homes *homes);

/* Returns the name of a filter reason; numbers without a name are printed to `room`. */
const char *memphis_reason_label(unsigned int reason, char buffer[24]);

#endif
