/* SPDX-License-Identifier: BSD-3-Clause */
/* Describes findings in a few words, for tables and summaries. finding_text.h has the complete sentences. */
#ifndef MEMPHIS_FINDING_GIST_H
#define MEMPHIS_FINDING_GIST_H

#include "profile/finding.h"
#include "profile/profile.h"

/* Appends what is wrong, for example "on node 0, used by nodes 0 to 3, each a different part". */
void memphis_finding_put_gist(const struct memphis_finding *finding, const struct memphis_profile *profile,
			      struct memphis_text *text);

/* Appends what to do, for example "initialise in parallel at model.c:31 (init)". */
void memphis_finding_put_remedy(const struct memphis_finding *finding, const struct memphis_profile *profile,
				struct memphis_text *text);

#endif
