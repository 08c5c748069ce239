/* SPDX-License-Identifier: BSD-3-Clause */
/* What diagnose/diagnosis.c asks of one variable, in one process. */
#ifndef MEMPHIS_PATTERNS_H
#define MEMPHIS_PATTERNS_H

#include "diagnose/diagnosis.h"
#include "diagnose/placement.h"

struct memphis_look {
	const struct memphis_profile *profile;
	const struct memphis_heatmap *heatmap;
	const struct memphis_process *process;
	bool stores; /* are sampled at all */
	struct memphis_placement placement;
};

/* Numbers that say the same whatever the pattern. */
void memphis_finding_begin(const struct memphis_look *look, struct memphis_finding *finding);

/* Begins the finding, and fills in what the pattern's evidence is; false: no pattern of placement. */
bool memphis_find_pattern(const struct memphis_look *look, struct memphis_finding *finding);

/* Where the variable is initialised, or what is not known of it (diagnose/initialised.c). */
void memphis_find_initialised(const struct memphis_look *look, struct memphis_finding *finding);

#endif
