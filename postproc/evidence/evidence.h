/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds evidence, which is the access patterns that the heatmap of one variable in one process shows. Uses all samples
 * of the variable, whichever samples the user selects for the report.
 */
#ifndef MEMPHIS_EVIDENCE_H
#define MEMPHIS_EVIDENCE_H

#include "evidence/suspect.h"

/*
 * Searches for patterns at single places in the program (serial phases), and appends them to profile->evidence. Finds
 * none if a pattern of the whole variable explains all its remote loads. Sets `phase` of the places that these
 * patterns explain. `stores` is true if the process has samples of stores. Returns the number of patterns, or -ENOMEM.
 */
int memphis_evidence_add_of_places(struct memphis_profile *profile, const struct memphis_heatmap *heatmap,
				   bool stores);

/*
 * Appends the other evidence in the heatmap to profile->evidence: wrong placement, from the remote loads that no place
 * explains; shared cache lines; loads that use only a small part of the lines that they fetch. Findings are made only
 * from this evidence, which is much smaller than the heatmap. Returns 0 or -ENOMEM.
 */
int memphis_evidence_add(struct memphis_profile *profile, const struct memphis_heatmap *heatmap, bool stores);

#endif
