/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Detects whether the same node uses neighbouring memory in a part of a variable more often than by chance. Nodes then use smaller parts, such as rows of
 * a matrix that threads allocate in turn.
 */
#ifndef MEMPHIS_NEIGHBOURS_H
#define MEMPHIS_NEIGHBOURS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Compares pairs of samples in one bin with all pairs of the part. `counts`: samples by part, bin of the part, and node. */
bool memphis_has_smaller_parts(const uint32_t *counts, size_t parts, size_t bins, size_t nodes);

#endif
