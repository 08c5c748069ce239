/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds evidence: the access patterns that the heatmap of one variable in one process shows. The patterns depend on all samples of the variable,
 * whatever samples the report selects.
 */
#ifndef MEMPHIS_EVIDENCE_H
#define MEMPHIS_EVIDENCE_H

#include "evidence/suspect.h"

/*
 * Appends the patterns of single places of the program to profile->evidence, unless another pattern explains all remote loads of the variable. Sets
 * `phase` of the places that these patterns explain. `stores` is true if the process has any samples of stores. Returns the number of patterns, or
 * -ENOMEM.
 */
int memphis_evidence_add_of_places(struct memphis_profile *profile, const struct memphis_heatmap *heatmap,
				   bool stores);

/*
 * Appends the other evidence of the heatmap: placement, from the remote loads that no place explains; sharing of cache lines; loads that use little of the
 * cache lines that they fetch. A finding needs only the evidence, which is much smaller than the heatmap. Returns 0 or -ENOMEM.
 */
int memphis_evidence_add(struct memphis_profile *profile, const struct memphis_heatmap *heatmap, bool stores);

#endif
