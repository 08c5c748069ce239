/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The odds that each node uses its own parts of a variable, and that all nodes only read it. Both are log-odds, so that they can be added for
 * several variables and processes with one cause.
 */
#ifndef MEMPHIS_APART_H
#define MEMPHIS_APART_H

#include "evidence/placement.h"

/*
 * Returns the log-odds that most remote loads are to parts that one node uses: positive for apart, negative for shared parts; in thousandths.
 * A part is used either by one node, with at least the share MEMPHIS_PART_AGREE of its accesses, or by several: like the whole variable, or in
 * any other mixture. Both are equally likely a priori, and the share of parts of either kind is not known. The odds are 0 if nodes use smaller
 * parts than these.
 */
int64_t memphis_apart_odds(const struct memphis_placement *placement);

/*
 * Returns the log-odds that the variable is only read after its initialisation: few stores (2 %) among the accesses to parts that a second node uses
 * already, against some (10 %); in thousandths.
 */
int64_t memphis_read_odds(const struct memphis_placement *placement);

#endif
