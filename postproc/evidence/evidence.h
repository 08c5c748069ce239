/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds evidence: the patterns that one variable of one process follows, as its heatmap shows them. */
#ifndef MEMPHIS_EVIDENCE_H
#define MEMPHIS_EVIDENCE_H

#include "evidence/suspect.h"

/* Does this kind of samples tell of where pages are? The others tell of cache lines alone, whatever parts of a variable they are of. */
bool memphis_evidence_of_places(const struct memphis_select_kind *kind);

/*
 * Adds to profile->evidence what a close-up shows, whose `selected` samples are those of this kind. `stores`: some of the process's samples are
 * stores. The evidence is far smaller than the close-up, and no other part of it is needed for a finding. 0 or -ENOMEM.
 */
int memphis_evidence_add(struct memphis_profile *profile, const struct memphis_heatmap *heatmap,
			 const struct memphis_select_kind *kind, bool stores);

#endif
