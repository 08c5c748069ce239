/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds odd loops, which divide the work among the threads in another way than the other loops do. In the other loops,
 * threads load the variable from their own nodes. The odd loop makes nearly all remote loads. Also finds loops that
 * divide the work in another way than the initialisation.
 */
#ifndef MEMPHIS_SCHEDULE_H
#define MEMPHIS_SCHEDULE_H

#include "evidence/suspect.h"

/*
 * Returns whether there are odd loops. If so, the finding gets the odd loop with the most remote loads, and a loop
 * with local loads for comparison. These conditions must hold with 95 % confidence:
 * - Odd loops make two thirds of the remote loads that no other pattern explains.
 * - In each odd loop, at least a quarter of the loads from DRAM are remote.
 * - At all other places together, less than a tenth of the loads from DRAM are remote.
 *
 * In addition, the other places must have at least MEMPHIS_FINDING_SAMPLES local loads, and both kinds of loops must
 * run on several nodes.
 */
bool memphis_is_odd_schedule(const struct memphis_suspect *suspect, struct memphis_finding *finding);

/*
 * Returns whether loops divide the work in another way than the initialisation: several nodes use the same parts,
 * although each part is on one node. If so, the finding gets the loop with the most remote loads, and the initialisation as the
 * loop for comparison if its stores were sampled. These conditions must hold:
 * - The first sampled stores to the parts are from the nodes that own them; or each node owns contiguous parts.
 * - Two thirds of the remote loads go to parts that several nodes use.
 * - In these loops, at least a quarter of the loads from DRAM are remote, and they make two thirds of the remote loads,
 *   with 95 % confidence.
 * - The loop with the most remote loads counts its addresses. No schedule would help those that come from other data.
 */
bool memphis_is_other_schedule(const struct memphis_suspect *suspect, struct memphis_finding *finding);

#endif
