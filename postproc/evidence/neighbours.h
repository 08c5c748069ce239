/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether neighbours in a part of a variable are used by the same node more often than by chance: nodes then use smaller parts, as the rows of a matrix
 * that threads allocate in turn.
 */
#ifndef MEMPHIS_NEIGHBOURS_H
#define MEMPHIS_NEIGHBOURS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `counts` are samples by part, by bin of the part, and by node. Pairs of samples of one bin are compared with all pairs of the part. */
bool memphis_has_smaller_parts(const uint32_t *counts, size_t parts, size_t bins, size_t nodes);

#endif
