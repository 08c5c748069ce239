/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds evidence: the access patterns that the heatmap of one variable in one process shows. Placement, which is the location of pages, is
 * judged for kinds of samples that include loads from memory. Sharing of cache lines is judged for kinds that include loads from other
 * caches. Loads that read little of the cache lines that they fetch are found with any kind that includes enough of them.
 */
#ifndef MEMPHIS_EVIDENCE_H
#define MEMPHIS_EVIDENCE_H

#include "evidence/suspect.h"

/*
 * Returns whether this kind of samples includes loads from memory and excludes loads from caches. Only such samples show where pages are.
 */
bool memphis_evidence_of_places(const struct memphis_select_kind *kind);

/*
 * Appends the evidence that the heatmap shows to profile->evidence. The `selected` samples of the heatmap must be the samples of `kind`.
 * `stores` is true if the process has any samples of stores. The evidence is all that a finding needs, and is far smaller than the heatmap.
 * Returns 0 or -ENOMEM.
 */
int memphis_evidence_add(struct memphis_profile *profile, const struct memphis_heatmap *heatmap,
			 const struct memphis_select_kind *kind, bool stores);

#endif
