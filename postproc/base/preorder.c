// SPDX-License-Identifier: BSD-3-Clause
#include "base/preorder.h"

/* Returns the two numbers with which the row begins. */
static const uint32_t *enclosing_numbers(const void *rows, size_t bytes, uint32_t number)
{
	return (const uint32_t *)((const char *)rows + number * bytes);
}

int memphis_preorder(const void *rows, size_t bytes, uint32_t *a, uint32_t *b)
{
	const uint32_t x = enclosing_numbers(rows, bytes, *a)[1], y = enclosing_numbers(rows, bytes, *b)[1];
	uint32_t depth;

	for (depth = x; depth > y; depth--)
		*a = *enclosing_numbers(rows, bytes, *a);
	for (depth = y; depth > x; depth--)
		*b = *enclosing_numbers(rows, bytes, *b);
	if (*a == *b)
		return (x > y) - (x < y);
	while (*enclosing_numbers(rows, bytes, *a) != *enclosing_numbers(rows, bytes, *b)) {
		*a = *enclosing_numbers(rows, bytes, *a);
		*b = *enclosing_numbers(rows, bytes, *b);
	}
	return 0;
}
