/* SPDX-License-Identifier: BSD-3-Clause */
/* Address ranges that may overlap, searchable by address. */
#ifndef MEMPHIS_INTERVALS_H
#define MEMPHIS_INTERVALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct memphis_interval {
	uint64_t low, high;    /* `high` is exclusive */
	uint64_t subtree_high; /* largest `high` in the subtree of this node */
	uint32_t value;        /* owned by the caller */
};

struct memphis_intervals {
	struct memphis_interval *list;
	size_t count, room;
	bool disjoint; /* no two ranges overlap; set by sorting */
};

/* Add ranges in any order, sort once, then search. Empty ranges are dropped. */
int memphis_intervals_add(struct memphis_intervals *intervals, uint64_t low, uint64_t high, uint32_t value);
void memphis_intervals_sort(struct memphis_intervals *intervals);
void memphis_intervals_close(struct memphis_intervals *intervals);

/*
 * Calls visit(context, interval) for each range that contains `address`, in order of (low, high, value),
 * until a call returns non-zero. Returns that value, or 0.
 */
int memphis_intervals_find(const struct memphis_intervals *intervals, uint64_t address,
			   int (*visit)(void *context, const struct memphis_interval *interval),
			   void *context);

/* Returns whether any range begins in [low, high). */
bool memphis_intervals_any(const struct memphis_intervals *intervals, uint64_t low, uint64_t high);

#endif
