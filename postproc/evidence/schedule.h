/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds odd loops, which divide the work among the threads in another way than the other loops do. In the other loops,
 * threads load the variable from their own nodes. The odd loop makes nearly all remote loads.
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

#endif
