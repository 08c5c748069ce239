/* SPDX-License-Identifier: BSD-3-Clause */
/* The sum of threads and their sum, held against what the files contain. */
#ifndef MEMPHIS_ACCOUNTING_H
#define MEMPHIS_ACCOUNTING_H

#include "read/process.h"
#include "profile/selection.h"

/* Does one set of sum add up? */
bool memphis_accounting_balance(const struct memphis_accounting *sum);

/*
 * Do the sum of a thread add up, and does its file hold what they say was kept? A file that was not closed
 * may hold samples that its last sum do not know yet, but never fewer than they do.
 */
bool memphis_thread_balances(const struct memphis_thread *thread);

struct memphis_accounting_total {
	struct memphis_accounting sum; /* sum over threads */
	uint64_t written, selected;    /* samples in the files, and those that were counted */
	uint64_t own; /* of those written, the sampling library's own accesses, which are not selected */
	struct memphis_homes homes;      /* sum over threads */
	uint64_t enabled_ns, starved_ns; /* sums over processes of the settings */
	uint64_t cpu_ns,
		unseen_ns; /* of processes that tell it: CPU time, and that of threads not found in time */
	size_t threads, unbalanced;
};

void memphis_account(const struct memphis_processes *processes, const struct memphis_selection *selection,
		     struct memphis_accounting_total *accounting);

/* How many of the loads that tell contradict their page's home. */
uint64_t memphis_homes_contrary(const struct memphis_homes *homes);

/* Are they so many that the homes of pages can't be believed? */
bool memphis_homes_doubtful(const struct memphis_homes *homes);

/* Name of a filter reason for output; `room` is used for numbers without a name. */
const char *memphis_reason_label(unsigned int reason, char room[24]);

#endif
