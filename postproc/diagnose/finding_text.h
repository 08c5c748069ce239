/* SPDX-License-Identifier: BSD-3-Clause */
/* Findings in words. */
#ifndef MEMPHIS_FINDING_TEXT_H
#define MEMPHIS_FINDING_TEXT_H

#include "profile/finding.h"
#include "profile/profile.h"

/* Fills in the finding's sentence and advice, malloc'ed. 0 or -ENOMEM. */
int memphis_finding_word(struct memphis_finding *finding, const struct memphis_profile *profile);

#endif
