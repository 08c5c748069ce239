/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Groups findings by remedy. If one change of the program would fix the patterns of several variables, they are one finding with a list of these
 * variables.
 */
#ifndef MEMPHIS_CAUSES_H
#define MEMPHIS_CAUSES_H

#include "diagnose/merged.h"

struct memphis_causes {
	struct memphis_finding *list; /* each with its parts, and the sums of their samples */
	size_t count;
	struct memphis_finding *parts; /* of all causes */
	uint32_t *of;                  /* by finding of the merged evidence: number of its cause */
};

/* Returns whether a finding with these samples, doubts and this pattern is significant. */
typedef bool memphis_is_enough(const void *context, const struct memphis_finding *sum);

/*
 * Groups the merged evidence. Groups that are not significant alone are joined with others of the same pattern and home node. Returns 0 or -ENOMEM; close
 * the causes in either case.
 */
int memphis_causes_make(struct memphis_causes *causes, const struct memphis_profile *profile,
			const struct memphis_merged *merged, memphis_is_enough *is_enough,
			const void *context);
void memphis_causes_close(struct memphis_causes *causes);

/*
 * Attaches each stride in the list to a finding about placement in the same loop: the one with most samples. The stride becomes its second sentence, and
 * moves from the list to `strides`. Returns the new length of the list.
 */
size_t memphis_causes_join_strides(struct memphis_finding *list, size_t count,
				   const struct memphis_profile *profile, struct memphis_finding *strides);

#endif
