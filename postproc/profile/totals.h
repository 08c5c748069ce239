/* SPDX-License-Identifier: BSD-3-Clause */
/* The number of samples of each thread for each kind of access: of the selected samples, and of all loads that waited (wait_source.h). */
#ifndef MEMPHIS_TOTALS_H
#define MEMPHIS_TOTALS_H

#include "base/pool.h"
#include "profile/measure.h"
#include "read/access.h"

struct memphis_total {
	uint32_t process, thread; /* index of the process in the profile, and of the thread in the process */
	struct memphis_access access;
	struct memphis_measure measure;
};

struct memphis_totals {
	struct memphis_total *list;
	size_t count, room;
	struct memphis_strings keys; /* key number - 1 is the index in `list`; built on the first lookup */
};

/*
 * Returns the entry for this thread and access, creating it on first use, or NULL if memory is exhausted. The pointer is valid until the
 * next call.
 */
struct memphis_total *memphis_totals_get(struct memphis_totals *totals, uint32_t process, uint32_t thread,
					 struct memphis_access access);

/* Adds all entries of `from`, and adds `process` to their process numbers. Returns 0 or -ENOMEM. */
int memphis_totals_merge(struct memphis_totals *totals, const struct memphis_totals *from, uint32_t process);

/* Does the same for processes that have no entries yet: appends the entries without a lookup. */
int memphis_totals_append(struct memphis_totals *totals, const struct memphis_totals *from, uint32_t process);

/*
 * Sorts by process, thread and access, and combines equal entries, which makes the result independent of the order of merging. Returns 0 or
 * -ENOMEM.
 */
int memphis_totals_sort(struct memphis_totals *totals);
void memphis_totals_close(struct memphis_totals *totals);

#endif
