/* SPDX-License-Identifier: BSD-3-Clause */
/* Determines where a variable is initialised. */
#ifndef MEMPHIS_EVIDENCE_INITIALISED_H
#define MEMPHIS_EVIDENCE_INITIALISED_H

#include "evidence/suspect.h"

/* Fills in finding->initialised and ->initialised_at. Clears ->touched_by if the first sampled stores may not be the first stores. */
void memphis_find_initialised(const struct memphis_suspect *suspect, struct memphis_finding *finding);

#endif
