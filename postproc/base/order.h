/* SPDX-License-Identifier: BSD-3-Clause */
/* Order: the parts of comparison functions, sorting, and the search in sorted arrays. */
#ifndef MEMPHIS_ORDER_H
#define MEMPHIS_ORDER_H

#include <stddef.h>
#include <stdlib.h>

/*
 * Compares two numbers or pointers as qsort() needs it: below, equal or above 0. Several keys are joined by "?:", the most important one first; with
 * the operands exchanged, the largest comes first. Evaluates the operands several times.
 */
#define memphis_order(a, b) (((a) > (b)) - ((a) < (b)))

/* Sorts an array, which may be NULL if it is empty. */
#define memphis_sort(list, count, compare)                                  \
	do {                                                                \
		if (count)                                                  \
			qsort((list), (count), sizeof(*(list)), (compare)); \
	} while (0)

/*
 * Evaluates to the number of elements at the begin of a sorted array of `count` for which the condition is true: an expression with `at`,
 * the index of an element, that is false for all others.
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
