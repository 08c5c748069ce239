/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Groups findings by cause. If one change of the program would fix the patterns of several variables, they become one
 * finding (a cause) with a list of these variables.
 */
#ifndef MEMPHIS_CAUSES_H
#define MEMPHIS_CAUSES_H

#include "diagnose/merged.h"

struct memphis_causes {
	/* one finding for each cause, with its parts and the sums of their samples */
	struct memphis_finding *list;
	size_t count;
	struct memphis_finding *parts; /* the memory for the parts of all causes */
	uint32_t *of;                  /* index in `list`, by finding of the merged evidence */
};

/* Returns whether a finding with the samples, doubts and pattern of `sum` is significant. */
typedef bool memphis_is_enough(const void *context, const struct memphis_finding *sum);

/*
 * Groups the merged evidence. Groups that are not significant alone are joined with other such groups that have the
 * same pattern and home node. Returns 0 or -ENOMEM. The caller must close the causes in both cases.
 */
int memphis_causes_make(struct memphis_causes *causes, const struct memphis_profile *profile,
			const struct memphis_merged *merged, memphis_is_enough *is_enough,
			const void *context);
void memphis_causes_close(struct memphis_causes *causes);

/*
 * Attaches each stride in the list to a finding about the placement of one of its variables in the same function, namely
 * the one with the most samples. The stride moves from the list to `strides`, and becomes the second sentence of that
 * finding. Returns the new length of the list.
 */
size_t memphis_causes_join_strides(struct memphis_finding *list, size_t count,
				   const struct memphis_profile *profile, struct memphis_finding *strides);

#endif
