/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds evidence: the access patterns that the heatmap of one variable in one process shows. They are decided by all samples of the variable,
 * whatever samples the report selects.
 */
#ifndef MEMPHIS_EVIDENCE_H
#define MEMPHIS_EVIDENCE_H

#include "evidence/suspect.h"

/*
 * Appends the patterns of single places of the program to profile->evidence, unless a pattern explains all remote loads of the variable. `stores`
 * is true if the process has any samples of stores. Returns the number of these patterns, which have set `phase` of the places that they explain,
 * or -ENOMEM.
 */
int memphis_evidence_add_of_places(struct memphis_profile *profile, const struct memphis_heatmap *heatmap,
				   bool stores);

/*
 * Appends the other evidence that the heatmap shows: placement, by the remote loads that no place explains; sharing of cache lines; loads that read little of
 * the cache lines that they fetch. The evidence is all that a finding needs, and is far smaller than the heatmap. Returns 0 or -ENOMEM.
 */
int memphis_evidence_add(struct memphis_profile *profile, const struct memphis_heatmap *heatmap, bool stores);

#endif
