/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An odd loop divides the work among the threads in another way than the other loops. In the other loops, threads load the variable from their own nodes;
 * the odd loop makes nearly all remote loads.
 */
#ifndef MEMPHIS_SCHEDULE_H
#define MEMPHIS_SCHEDULE_H

#include "evidence/suspect.h"

/*
 * Returns true if there are odd loops, and fills in the finding: the odd loop with most remote loads, and a loop with local loads. The conditions, with
 * 95 % confidence: odd loops make two thirds of the remote loads that no other pattern explains. In an odd loop, at least a quarter of the loads from DRAM
 * is remote. At all other places together, less than a tenth of them is remote, and there are at least MEMPHIS_FINDING_SAMPLES. Both kinds run on
 * several nodes.
 */
bool memphis_is_odd_schedule(const struct memphis_suspect *suspect, struct memphis_finding *finding);

#endif
