/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a variable is initialised. */
#ifndef MEMPHIS_EVIDENCE_INITIALISED_H
#define MEMPHIS_EVIDENCE_INITIALISED_H

#include "evidence/suspect.h"

/* Fills in finding->initialised and ->initialised_at; clears ->touched_by where the first stores seen may not be the first ones. */
void memphis_find_initialised(const struct memphis_suspect *suspect, struct memphis_finding *finding);

#endif
