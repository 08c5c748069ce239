/* SPDX-License-Identifier: BSD-3-Clause */
/* One variable of one process, as the search for patterns sees it, and how much of a pattern it must show. */
#ifndef MEMPHIS_SUSPECT_H
#define MEMPHIS_SUSPECT_H

#include "evidence/placement.h"
#include "profile/finding.h"
#include "profile/profile.h"

/* Samples that a pattern needs: of 20, three quarters are, with 95 % confidence, drawn from a majority. */
#define MEMPHIS_FINDING_SAMPLES 20
/* Share of the variable's samples in question that must follow the pattern. */
#define MEMPHIS_FINDING_PART 0.5

struct memphis_suspect {
	const struct memphis_profile *profile;
	const struct memphis_heatmap *heatmap;
	const struct memphis_process *process;
	bool stores; /* some of the process's samples are stores */
	struct memphis_placement placement;
};

#endif
