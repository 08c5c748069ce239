/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Computes the odds that each node uses its own parts of a variable, and the odds that all nodes only read it. Both
 * are logarithms, so that the odds of several variables and processes with one cause can be added.
 */
#ifndef MEMPHIS_APART_H
#define MEMPHIS_APART_H

#include "evidence/placement.h"

/*
 * Returns the log-odds, in thousandths, that most remote loads go to parts that a single node uses. Positive odds mean
 * that the nodes use separate parts, and negative odds that they share parts.
 *
 * A part has either one user, which makes at least the share MEMPHIS_PART_AGREE of its accesses, or several users.
 * Several users have the same shares as in the whole variable, or any other shares. Both cases are equally likely a
 * priori, and the share of parts with one user is unknown. Returns 0 if nodes use smaller pieces of memory than the
 * parts.
 */
int64_t memphis_apart_odds(const struct memphis_placement *placement);

/*
 * Returns the log-odds, in thousandths, that the variable is only read after its initialisation. Looks at the accesses
 * to parts after a second node has started to use them. If the variable is only read, 2 % of these are stores. If it
 * is also written, 10 % are.
 */
int64_t memphis_read_odds(const struct memphis_placement *placement);

#endif
