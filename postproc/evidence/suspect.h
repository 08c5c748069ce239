/* SPDX-License-Identifier: BSD-3-Clause */
/* The input of the search for patterns: one variable of one process. Also defines the thresholds that a pattern must reach. */
#ifndef MEMPHIS_SUSPECT_H
#define MEMPHIS_SUSPECT_H

#include "evidence/placement.h"
#include "profile/finding.h"
#include "profile/profile.h"

/* Minimum share of the relevant samples of the variable that must follow the pattern. */
#define MEMPHIS_FINDING_PART 0.5
/* Share of samples with one home node that shows that the pages are on it. */
#define MEMPHIS_ONE_HOME 0.9

struct memphis_suspect {
	const struct memphis_profile *profile;
	const struct memphis_heatmap *heatmap;
	const struct memphis_process *process;
	bool stores; /* the process has samples of stores */
	struct memphis_placement placement;
};

#endif
