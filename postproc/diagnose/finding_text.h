/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes findings as sentences, or as parts of sentences. */
#ifndef MEMPHIS_FINDING_TEXT_H
#define MEMPHIS_FINDING_TEXT_H

#include "profile/finding.h"
#include "profile/profile.h"

/* Sets the sentence and the advice of the finding. The finding's owner must free both. Returns 0 or -ENOMEM. */
int memphis_finding_word(struct memphis_finding *finding, const struct memphis_profile *profile);

/*
 * Appends the part of the sentence between the names of the variables and the numbers of samples, for example " lies
 * on node 0, and is used by ...".
 */
void memphis_finding_describe(const struct memphis_finding *finding, const struct memphis_profile *profile,
			      struct memphis_text *text);

/* Appends the names of the variables, for example "[heap]:tx and [heap]:ty". */
void memphis_finding_put_variables(const struct memphis_finding *finding,
				   const struct memphis_profile *profile, struct memphis_text *text);

/* Appends a description of the stride in the same loop, for example "[heap]:tx is read in small parts at ...". */
void memphis_finding_put_stride(const struct memphis_finding *finding, const struct memphis_profile *profile,
				struct memphis_text *text);

/*
 * If some samples have an estimated owner, appends the share of samples that probably belong to the variable, for
 * example ", partly estimated, 97 % right".
 */
void memphis_finding_put_certainty(const struct memphis_finding *finding, struct memphis_text *text);

/* Appends the place with the most samples, if one is known, for example " at model.c:44 (step)" or " in memset (libc.so.6)". */
void memphis_finding_locate(const struct memphis_finding *finding, const struct memphis_profile *profile,
			    struct memphis_text *text);

/* Returns whether the variables of the finding are used at different source lines. */
bool memphis_finding_is_at_places(const struct memphis_finding *finding,
				  const struct memphis_profile *profile);

/* Returns whether most remote accesses go to ranges whose pages are on several nodes, as in interleaved memory. */
bool memphis_finding_is_interleaved(const struct memphis_finding *finding);

/*
 * Appends the place that initialises the variables, for example " at model.c:31 (init)". If this place is not certain,
 * or not in the program itself, appends where the variables are allocated, for example " what is allocated at
 * model.c:12 and elsewhere".
 */
void memphis_finding_put_initialised(const struct memphis_finding *finding,
				     const struct memphis_profile *profile, struct memphis_text *text);

/*
 * Appends how an undecided finding would get enough samples: with a shorter sampling period, a longer run, or both. For
 * example "sample 4 times as often (--period 2048), or run 4 times as long".
 */
void memphis_finding_put_period(const struct memphis_finding *finding, const struct memphis_profile *profile,
				struct memphis_text *text);

/* Returns whether the advice is to bind the process to a node, because one thread does all the work. */
bool memphis_finding_needs_binding(const struct memphis_finding *finding,
				   const struct memphis_profile *profile);

#endif
