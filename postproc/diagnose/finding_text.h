/* SPDX-License-Identifier: BSD-3-Clause */
/* Findings as sentences, or parts of sentences. */
#ifndef MEMPHIS_FINDING_TEXT_H
#define MEMPHIS_FINDING_TEXT_H

#include "profile/finding.h"
#include "profile/profile.h"

/* Sets the sentence and the advice of the finding, both malloc'ed. Returns 0 or -ENOMEM. */
int memphis_finding_word(struct memphis_finding *finding, const struct memphis_profile *profile);

/* Appends the part of the sentence between the variables and the numbers of samples: " lies on node 0, and is used by ...". */
void memphis_finding_describe(const struct memphis_finding *finding, const struct memphis_profile *profile,
			      struct memphis_text *text);

/* Appends the names of the variables: "[heap]:tx and [heap]:ty". */
void memphis_finding_put_variables(const struct memphis_finding *finding,
				   const struct memphis_profile *profile, struct memphis_text *text);

/* Appends the stride of the same loop: "[heap]:tx is read in small parts at ...". */
void memphis_finding_put_stride(const struct memphis_finding *finding, const struct memphis_profile *profile,
				struct memphis_text *text);

/* If the variable is estimated, appends the share of samples that belong to it: ", partly estimated, 97 % right". */
void memphis_finding_put_certainty(const struct memphis_finding *finding, struct memphis_text *text);

/* Appends the place with most samples, if a place is known: " at model.c:44 (step)", " in memset (libc.so.6)". */
void memphis_finding_locate(const struct memphis_finding *finding, const struct memphis_profile *profile,
			    struct memphis_text *text);

/* Returns whether the variables of the finding are used at different lines. */
bool memphis_finding_is_at_places(const struct memphis_finding *finding,
				  const struct memphis_profile *profile);

/*
 * Appends the place that initialises the variables, " at model.c:31 (init)", if it is certain and in the program; otherwise the place of their allocation:
 * " what is allocated at model.c:12 and elsewhere".
 */
void memphis_finding_put_initialised(const struct memphis_finding *finding,
				     const struct memphis_profile *profile, struct memphis_text *text);

/* Appends the period with which an undecided finding would get enough samples: "sample 4 times as often (--period 2048) or as long". */
void memphis_finding_put_period(const struct memphis_finding *finding, const struct memphis_profile *profile,
				struct memphis_text *text);

/* Returns whether one thread does all the work, so that the advice is to bind the process. */
bool memphis_finding_needs_binding(const struct memphis_finding *finding,
				   const struct memphis_profile *profile);

#endif
