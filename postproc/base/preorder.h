/* SPDX-License-Identifier: BSD-3-Clause */
/* The order of a tree's rows in which a row precedes those inside it, and siblings have an order of their own. */
#ifndef MEMPHIS_PREORDER_H
#define MEMPHIS_PREORDER_H

#include <stddef.h>
#include <stdint.h>

/*
 * Compares two rows of a tree, by number. Each row has `bytes` bytes and begins with two uint32_t: the number of the row around it, and how
 * many rows are around it; rows without one around them all have the same number there. Returns less or more than 0 if one of the rows is
 * inside the other. Else sets *a and *b to the siblings that they are, or that they are inside, and returns 0: the caller compares these, which
 * are equal only if the rows are.
 */
int memphis_preorder(const void *rows, size_t bytes, uint32_t *a, uint32_t *b);

#endif
