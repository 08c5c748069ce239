/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A loop that divides the work among the threads in another way than the loops around it: these load the variable from their own nodes, and the odd one
 * makes nearly all remote loads.
 */
#ifndef MEMPHIS_SCHEDULE_H
#define MEMPHIS_SCHEDULE_H

#include "evidence/suspect.h"

/*
 * Fills in the finding, of the odd loop with most remote loads, with a loop whose loads are local, and returns true if, with 95 % confidence, odd loops make
 * two thirds of the remote loads that no other pattern explains, and if less than a tenth of the loads from DRAM of all other places are remote, of which
 * there are MEMPHIS_FINDING_SAMPLES or more. Of an odd loop, a quarter or more is remote. Both kinds must run on several nodes.
 */
bool memphis_is_odd_schedule(const struct memphis_suspect *suspect, struct memphis_finding *finding);

#endif
