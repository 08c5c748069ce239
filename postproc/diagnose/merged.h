/* SPDX-License-Identifier: BSD-3-Clause */
/* The evidence of all processes by pattern and variable, and by source line if the pattern is a property of lines. */
#ifndef MEMPHIS_MERGED_H
#define MEMPHIS_MERGED_H

#include "profile/finding.h"
#include "profile/profile.h"

struct memphis_merged {
	struct memphis_finding *list; /* samples are extrapolated to all samples of all processes */
	size_t count, room;
	uint32_t *of;    /* by evidence of the profile: index in the list */
	uint64_t one_in; /* the largest N of any evidence for which one in N samples was examined */
};

/* Merges the evidence of the profile, including evidence that is too weak for a finding of its own. Returns 0 or -ENOMEM; close it in either case. */
int memphis_merged_make(struct memphis_merged *merged, const struct memphis_profile *profile);
void memphis_merged_close(struct memphis_merged *merged);

#endif
