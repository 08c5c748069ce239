/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Variables on one node that several nodes use: whether each node has a part of its own, and whether they are only read, decides which remedy helps. If
 * the samples do not show it with a probability of 95 %, the finding is undecided, and says so.
 */
#ifndef MEMPHIS_UNDECIDED_H
#define MEMPHIS_UNDECIDED_H

#include "profile/finding.h"

/* Patterns between which samples decide. */
struct memphis_choice {
	enum memphis_pattern pattern;
	bool apart;
};
#define MEMPHIS_CHOICES 3
extern const struct memphis_choice memphis_choices[MEMPHIS_CHOICES];

/* Sets the pattern of a finding about variables on one node, by its odds; other findings remain as they are. */
void memphis_finding_decide(struct memphis_finding *finding);

/* Returns whether an undecided finding may be of the pattern: what it shows is not rather another one. */
bool memphis_finding_may_be(const struct memphis_finding *finding, const struct memphis_choice *choice);

/* What the samples of an undecided finding do not show. */
bool memphis_finding_parts_known(const struct memphis_finding *finding);

/* Returns how many times as many samples would decide, as far as these few show: at least 2. */
uint64_t memphis_finding_more(const struct memphis_finding *finding);

#endif
