/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counts the samples of each thread for each kind of access. Counts the selected samples, and all loads that waited
 * for data (wait_source.h).
 */
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
	/* the number of a key, minus 1, is its index in `list`; built on the first lookup */
	struct memphis_strings keys;
};

/*
 * Returns the entry for this thread and access, and adds it if it is new. Returns NULL if memory is exhausted. The
 * pointer is valid until the next call.
 */
struct memphis_total *memphis_totals_get(struct memphis_totals *totals, uint32_t process, uint32_t thread,
					 struct memphis_access access);

/* Adds all entries of `from`, and adds `process` to their process numbers. Returns 0 or -ENOMEM. */
int memphis_totals_merge(struct memphis_totals *totals, const struct memphis_totals *from, uint32_t process);

/* Does the same for processes that have no entries yet. Appends the entries without looking them up. */
int memphis_totals_append(struct memphis_totals *totals, const struct memphis_totals *from, uint32_t process);

/*
 * Sorts by process, thread and access, and merges equal entries. The result does not depend on the order in which
 * totals were merged. Needs no further memory for entries: a job of many ranks has millions of them.
 */
void memphis_totals_sort(struct memphis_totals *totals);
void memphis_totals_close(struct memphis_totals *totals);

#endif
