/* SPDX-License-Identifier: BSD-3-Clause */
/* How many samples each thread has, by how the access went. */
#ifndef MEMPHIS_TOTALS_H
#define MEMPHIS_TOTALS_H

#include "read/access.h"
#include "base/pool.h"

struct memphis_total {
	uint32_t process, thread; /* in the profile's processes */
	struct memphis_access access;
	uint64_t count, accesses, latency_cycles;
};

struct memphis_totals {
	struct memphis_total *list;
	size_t count, room;
	struct memphis_strings keys; /* number - 1 = place in the list; made when something is looked for */
};

/* The total of this thread and kind of access, valid until the next call; NULL without memory. */
struct memphis_total *memphis_totals_get(struct memphis_totals *totals, uint32_t process, uint32_t thread,
					 struct memphis_access access);
/* Adds all of `from`, with its processes counted from `process` on. 0 or -ENOMEM. */
int memphis_totals_merge(struct memphis_totals *totals, const struct memphis_totals *from, uint32_t process);

/* The same of processes that have none yet: nothing has to be looked for. */
int memphis_totals_append(struct memphis_totals *totals, const struct memphis_totals *from, uint32_t process);

/* By process, thread and access: the same whoever counted first. 0 or -ENOMEM. */
int memphis_totals_sort(struct memphis_totals *totals);
void memphis_totals_close(struct memphis_totals *totals);

#endif
