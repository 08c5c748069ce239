/* SPDX-License-Identifier: BSD-3-Clause */
/* Sorts the instructions and chains of a profile, and the state of sorting that profile_order.c shares. */
#ifndef MEMPHIS_ORDER_INSTRUCTIONS_H
#define MEMPHIS_ORDER_INSTRUCTIONS_H

#include "profile/profile.h"

struct memphis_order {
	struct memphis_profile *profile, ordered;
	/* Tables that translate row numbers in `profile` to row numbers in `ordered`. */
	uint32_t *strings, *objects, *variables, *instructions, *chains, *regions, *processes, *threads;
};

typedef int memphis_order_compare_rows(const void *a, const void *b, void *context);

/*
 * Returns the numbers [first, first + count) in a malloc'ed array, sorted by `compare`, which receives pointers to two of them. Returns
 * NULL if memory is exhausted.
 */
uint32_t *memphis_order_sorted(uint32_t first, size_t count, memphis_order_compare_rows *compare,
			       void *context);

/* Compares two lists of numbers. */
int memphis_order_compare(const uint32_t *a, const uint32_t *b, size_t count);

/* Sorts instructions and chains; strings and objects must have been sorted. Returns 0 or -ENOMEM. */
int memphis_order_instructions(struct memphis_order *order);

#endif
