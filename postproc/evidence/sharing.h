/* SPDX-License-Identifier: BSD-3-Clause */
/* Cache lines that go to and fro between threads that write to them. */
#ifndef MEMPHIS_SHARING_H
#define MEMPHIS_SHARING_H

#include "profile/finding.h"
#include "profile/heatmap.h"

/* Fills in what is known of the sharing of lines, true or false, whichever has more samples; false if there is none. */
bool memphis_find_sharing(const struct memphis_heatmap *heatmap, struct memphis_finding *finding);

#endif
