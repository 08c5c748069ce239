/* SPDX-License-Identifier: BSD-3-Clause */
/* Patterns of placement: the first one whose rule holds for the variable. */
#ifndef MEMPHIS_PATTERNS_H
#define MEMPHIS_PATTERNS_H

#include "evidence/suspect.h"

/* Resets the finding and fills in the members that do not depend on the pattern. */
void memphis_finding_begin(const struct memphis_suspect *suspect, struct memphis_finding *finding);

/* Resets the finding and fills in the pattern and its evidence. False: the variable follows no pattern of placement. */
bool memphis_find_pattern(const struct memphis_suspect *suspect, struct memphis_finding *finding);

#endif
