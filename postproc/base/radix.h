/* SPDX-License-Identifier: BSD-3-Clause */
/* Sorting by numbers, several times as fast as qsort() where the numbers differ in few bits. */
#ifndef MEMPHIS_RADIX_H
#define MEMPHIS_RADIX_H

#include <stddef.h>
#include <stdint.h>

/* A key, and what belongs to it: an index, for example. */
struct memphis_keyed {
	uint64_t key, value;
};

/*
 * Sorts `list` by key in ascending order. Elements with equal keys keep their order. `spare` has room for `count`
 * elements, and its contents are lost. Returns the array that has the result: `list` or `spare`.
 */
struct memphis_keyed *memphis_radix_sort(struct memphis_keyed *list, struct memphis_keyed *spare,
					 size_t count);

#endif
