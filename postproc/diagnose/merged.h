/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Merges the evidence of all processes. The result has one finding for each pattern and variable, or for each pattern,
 * variable and source line if the pattern is a property of lines.
 */
#ifndef MEMPHIS_MERGED_H
#define MEMPHIS_MERGED_H

#include "profile/finding.h"
#include "profile/profile.h"

struct memphis_merged {
	/* the numbers of samples are extrapolated to all samples of all processes */
	struct memphis_finding *list;
	size_t count, room;
	uint32_t *of;    /* by element of profile->evidence: index in the list */
	uint64_t one_in; /* the largest N for which only one in N samples was examined */
};

/*
 * Merges the evidence of the profile, including evidence that is too weak for a finding by itself. Returns 0 or
 * -ENOMEM. The caller must close the result in both cases.
 */
int memphis_merged_make(struct memphis_merged *merged, const struct memphis_profile *profile);
void memphis_merged_close(struct memphis_merged *merged);

#endif
