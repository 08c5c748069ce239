/* SPDX-License-Identifier: BSD-3-Clause */
/* What diagnose/diagnosis.c asks of one variable, in one process. */
#ifndef MEMPHIS_PATTERNS_H
#define MEMPHIS_PATTERNS_H

#include "evidence/suspect.h"

/* Numbers that say the same whatever the pattern. */
void memphis_finding_begin(const struct memphis_suspect *suspect, struct memphis_finding *finding);

/* Begins the finding, and fills in what the pattern's evidence is; false: no pattern of placement. */
bool memphis_find_pattern(const struct memphis_suspect *suspect, struct memphis_finding *finding);

#endif
