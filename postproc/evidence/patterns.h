/* SPDX-License-Identifier: BSD-3-Clause */
/* Patterns of placement: the first pattern whose rule holds for the variable is reported. */
#ifndef MEMPHIS_PATTERNS_H
#define MEMPHIS_PATTERNS_H

#include "evidence/suspect.h"

/* Resets the finding and fills in the members that do not depend on the pattern. */
void memphis_finding_begin(const struct memphis_suspect *suspect, struct memphis_finding *finding);

/* Resets the finding and fills in the pattern and its evidence. Returns false if the variable shows no pattern of placement. */
bool memphis_find_pattern(const struct memphis_suspect *suspect, struct memphis_finding *finding);

#endif
