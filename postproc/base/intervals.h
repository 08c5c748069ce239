/* SPDX-License-Identifier: BSD-3-Clause */
/* Address ranges that may overlap, and the question which of them hold an address. */
#ifndef MEMPHIS_INTERVALS_H
#define MEMPHIS_INTERVALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct memphis_interval {
	uint64_t low, high;    /* high is the first address behind */
	uint64_t subtree_high; /* largest `high` in this node's part of the sorted array */
	uint32_t value;        /* the caller's */
};

struct memphis_intervals {
	struct memphis_interval *list;
	size_t count, room;
	bool disjoint; /* no two of them share an address: set by sorting */
};

/* Ranges are added in any order, then sorted once, then asked. Empty ranges are left out. */
int memphis_intervals_add(struct memphis_intervals *intervals, uint64_t low, uint64_t high, uint32_t value);
void memphis_intervals_sort(struct memphis_intervals *intervals);
void memphis_intervals_close(struct memphis_intervals *intervals);

/*
 * Calls visit(context, interval) for each range that holds `address`, in order of (low, high, value), until one
 * returns non-zero; returns that, or 0.
 */
int memphis_intervals_find(const struct memphis_intervals *intervals, uint64_t address,
			   int (*visit)(void *context, const struct memphis_interval *interval),
			   void *context);

/* Does a range begin in [low, high)? */
bool memphis_intervals_any(const struct memphis_intervals *intervals, uint64_t low, uint64_t high);

#endif
