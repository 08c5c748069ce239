/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds evidence: the patterns that one variable of one process follows, as its heatmap shows them. Placement (where the pages are) is
 * judged for kinds of samples that take loads from memory; sharing of cache lines for kinds that take loads from other caches.
 */
#ifndef MEMPHIS_EVIDENCE_H
#define MEMPHIS_EVIDENCE_H

#include "evidence/suspect.h"

/* Does this kind of samples take loads from memory and none from caches? Only such samples show where pages are. */
bool memphis_evidence_of_places(const struct memphis_select_kind *kind);

/*
 * Appends the evidence that the heatmap shows to profile->evidence. The `selected` samples of the heatmap must be the samples of `kind`.
 * `stores`: some samples of the process are stores. A finding needs the evidence only, which is far smaller than the heatmap. 0 or -ENOMEM.
 */
int memphis_evidence_add(struct memphis_profile *profile, const struct memphis_heatmap *heatmap,
			 const struct memphis_select_kind *kind, bool stores);

#endif
