/* SPDX-License-Identifier: BSD-3-Clause */
/* Detects false and true sharing of cache lines. */
#ifndef MEMPHIS_LINE_SHARING_H
#define MEMPHIS_LINE_SHARING_H

#include "profile/finding.h"
#include "profile/heatmap.h"

/*
 * Fills in the pattern and its evidence: false or true sharing, depending on which has more samples. Returns false if the variable shows
 * neither.
 */
bool memphis_find_sharing(const struct memphis_heatmap *heatmap, struct memphis_finding *finding);

#endif
