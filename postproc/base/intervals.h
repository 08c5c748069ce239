/* SPDX-License-Identifier: BSD-3-Clause */
/* A set of address ranges, possibly overlapping, that can be searched by address. */
#ifndef MEMPHIS_INTERVALS_H
#define MEMPHIS_INTERVALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct memphis_interval {
	uint64_t low, high;    /* `high` is exclusive */
	uint64_t subtree_high; /* largest `high` in the subtree of this node */
	uint32_t value;        /* chosen by the caller */
};

struct memphis_intervals {
	struct memphis_interval *list;
	size_t count, room;
	bool disjoint; /* no two ranges overlap; set by memphis_intervals_sort() */
};

/*
 * Adds a range; an empty range is ignored. Ranges can be added in any order, but must be sorted once before
 * any search. Returns 0 or -ENOMEM.
 */
int memphis_intervals_add(struct memphis_intervals *intervals, uint64_t low, uint64_t high, uint32_t value);
void memphis_intervals_sort(struct memphis_intervals *intervals);
void memphis_intervals_close(struct memphis_intervals *intervals);

/*
 * Calls visit(context, interval) for each range that contains `address`, in order of (low, high, value),
 * until a call returns non-zero. Returns the result of the last call, or 0 if there was none.
 */
int memphis_intervals_find(const struct memphis_intervals *intervals, uint64_t address,
			   int (*visit)(void *context, const struct memphis_interval *interval),
			   void *context);

/* Returns true if any range begins in [low, high). */
bool memphis_intervals_any(const struct memphis_intervals *intervals, uint64_t low, uint64_t high);

#endif
