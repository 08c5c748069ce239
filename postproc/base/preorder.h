/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sorts the rows of a table that form a tree so that each row precedes the rows inside it. The caller chooses
 * the order of siblings.
 */
#ifndef MEMPHIS_PREORDER_H
#define MEMPHIS_PREORDER_H

#include <stddef.h>
#include <stdint.h>

/*
 * Compares two rows of a tree, given by their numbers *a and *b. Each row has `bytes` bytes and begins with
 * two uint32_t: the number of the parent row, and the depth (the number of ancestors). All rows without a
 * parent have the same parent number. If one row is an ancestor of the other, returns a value less than 0 if
 * it is *a and greater than 0 if it is *b. Otherwise, replaces *a and *b by their ancestors that are siblings
 * (or by themselves if they are siblings), and returns 0. The caller then compares these siblings. They are
 * equal only if the two rows are the same row.
 */
int memphis_preorder(const void *rows, size_t bytes, uint32_t *a, uint32_t *b);

#endif
