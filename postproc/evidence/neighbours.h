/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Detects that nodes use pieces of memory that are smaller than a part of a variable. An example is rows of a matrix
 * that threads allocate in turn. Neighbouring samples in the part are then from the same node more often than by
 * chance.
 */
#ifndef MEMPHIS_NEIGHBOURS_H
#define MEMPHIS_NEIGHBOURS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Returns whether pairs of samples in the same bin are from the same node significantly more often than pairs of
 * samples in the same part. `counts` has the number of samples by part, bin of the part, and node.
 */
bool memphis_has_smaller_parts(const uint32_t *counts, size_t parts, size_t bins, size_t nodes);

#endif
