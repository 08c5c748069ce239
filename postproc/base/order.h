/* SPDX-License-Identifier: BSD-3-Clause */
/* Comparison of keys, sorting, and binary search in sorted arrays. */
#ifndef MEMPHIS_ORDER_H
#define MEMPHIS_ORDER_H

#include <stddef.h>
#include <stdlib.h>

/*
 * Compares two numbers or pointers. The result is negative, 0 or positive, as qsort() requires. To compare by
 * several keys, join the comparisons by "?:", the most important key first. To sort in descending order,
 * exchange the operands. Evaluates its operands several times.
 */
#define memphis_order(a, b) (((a) > (b)) - ((a) < (b)))

/* Sorts an array, which may be NULL if it is empty. */
#define memphis_sort(list, count, compare)                                  \
	do {                                                                \
		if (count)                                                  \
			qsort((list), (count), sizeof(*(list)), (compare)); \
	} while (0)

/*
 * Binary search. `condition` is an expression with `at`, the index of an element, that is true for all
 * elements before some index and false from there on. Evaluates to this index: the number of elements for
 * which the condition is true. Example: memphis_bisect(i, count, list[i] < x) is the index of the first
 * element that is not below x.
 */
#define memphis_bisect(at, count, condition)            \
	({                                              \
		size_t low_ = 0, high_ = (count), at;   \
		while (low_ < high_) {                  \
			at = low_ + (high_ - low_) / 2; \
			if (condition)                  \
				low_ = at + 1;          \
			else                            \
				high_ = at;             \
		}                                       \
		low_;                                   \
	})

#endif
