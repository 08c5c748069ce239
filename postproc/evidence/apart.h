/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How sure it is that each node uses parts of its own of a variable, or that all only read it. Both are log-odds, so that those of several
 * variables and processes with one cause may be added.
 */
#ifndef MEMPHIS_APART_H
#define MEMPHIS_APART_H

#include "evidence/placement.h"

/*
 * Returns the log-odds that most remote loads are to parts that one node uses: positive for apart, negative for shared parts; in thousandths.
 * A part is either used by one node, with MEMPHIS_PART_AGREE of its accesses or more, or by several: as the whole variable is, or in
 * any other mixture. Both are equally likely before the samples are seen, and how many parts are of which kind is not known. The odds are 0 if
 * nodes use smaller parts than these.
 */
int64_t memphis_apart_odds(const struct memphis_placement *placement);

/*
 * Returns the log-odds that the variable is only read after its initialisation: few stores (2 %) among the accesses to parts that a second node uses
 * already, against some (10 %); in thousandths.
 */
int64_t memphis_read_odds(const struct memphis_placement *placement);

#endif
