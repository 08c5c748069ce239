/* SPDX-License-Identifier: BSD-3-Clause */
/* The number of samples of each thread, by access. */
#ifndef MEMPHIS_TOTALS_H
#define MEMPHIS_TOTALS_H

#include "read/access.h"
#include "base/pool.h"

struct memphis_total {
	uint32_t process, thread; /* indexes: of the process in the profile, of the thread in the process */
	struct memphis_access access;
	uint64_t count, accesses, latency_cycles;
};

struct memphis_totals {
	struct memphis_total *list;
	size_t count, room;
	struct memphis_strings keys; /* number - 1: index in the list; built on the first lookup */
};

/* Entry of this thread and access, created on first use; valid until the next call. NULL without memory. */
struct memphis_total *memphis_totals_get(struct memphis_totals *totals, uint32_t process, uint32_t thread,
					 struct memphis_access access);

/* Adds all entries of `from`, whose processes are numbered from `process` on. 0 or -ENOMEM. */
int memphis_totals_merge(struct memphis_totals *totals, const struct memphis_totals *from, uint32_t process);

/* The same, for processes without entries: appends without a lookup. */
int memphis_totals_append(struct memphis_totals *totals, const struct memphis_totals *from, uint32_t process);

/* Sorts by process, thread and access, and adds equal entries: the result does not depend on the order of merging. 0 or -ENOMEM. */
int memphis_totals_sort(struct memphis_totals *totals);
void memphis_totals_close(struct memphis_totals *totals);

#endif
