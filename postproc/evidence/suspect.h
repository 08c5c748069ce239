/* SPDX-License-Identifier: BSD-3-Clause */
/* Describes the input of the search for patterns, one variable in one process, and the thresholds that a pattern must reach. */
#ifndef MEMPHIS_SUSPECT_H
#define MEMPHIS_SUSPECT_H

#include "evidence/placement.h"
#include "profile/finding.h"
#include "profile/profile.h"

/* At least this share of the samples that matter for the pattern must follow it. */
#define MEMPHIS_FINDING_PART 0.5
/* Pages are on a node if at least this share of their samples has this home node. */
#define MEMPHIS_ONE_HOME 0.9

struct memphis_suspect {
	const struct memphis_profile *profile;
	const struct memphis_heatmap *heatmap;
	const struct memphis_process *process;
	bool stores; /* the process has samples of stores */
	struct memphis_placement placement;
};

#endif
