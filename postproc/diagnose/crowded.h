/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Detects crowded memory. Nearly all loads go to the memory of one node, and loads of this node itself take as long as
 * those of other sockets. Normally, loads from another socket take 1.5 times as long or more. The loads therefore wait
 * for the memory controller, not because of the distance. If the data were spread over several nodes, all loads would
 * be faster.
 */
#ifndef MEMPHIS_CROWDED_H
#define MEMPHIS_CROWDED_H

#include "profile/finding.h"
#include "view/rows.h"

/* If the home node of the finding is crowded, sets the two latencies of the finding. */
void memphis_finding_crowd(struct memphis_finding *finding, const struct memphis_rows *rows);

#endif
