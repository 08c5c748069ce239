/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Crowded memory: one node's memory serves nearly all loads, and the node's own loads take as long as those of other sockets, which normally take 1.5
 * times as long or more. Loads wait for the memory controller, not because of the distance. If the memory were spread over nodes, all loads would be faster.
 */
#ifndef MEMPHIS_CROWDED_H
#define MEMPHIS_CROWDED_H

#include "profile/finding.h"
#include "view/rows.h"

/* Sets the latencies of the finding if the node on which its variables are is crowded. */
void memphis_finding_crowd(struct memphis_finding *finding, const struct memphis_rows *rows);

#endif
