/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Crowded memory: one node's memory serves nearly all loads, and the node's own loads take as long as those of other sockets, which otherwise take half as
 * long again or more. They wait for its controller, not for the distance: spread over nodes, the memory would serve all of them faster.
 */
#ifndef MEMPHIS_CROWDED_H
#define MEMPHIS_CROWDED_H

#include "profile/finding.h"
#include "view/rows.h"

/* Sets the latencies of the finding if the node on which its variables are is crowded. */
void memphis_finding_crowd(struct memphis_finding *finding, const struct memphis_rows *rows);

#endif
