/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Variables on one node that several nodes use. The remedy depends on two questions: whether each node uses a part of its own, and whether the variable
 * is only read. If the samples do not answer them with a probability of 95 %, the finding is undecided, and its text says so.
 */
#ifndef MEMPHIS_UNDECIDED_H
#define MEMPHIS_UNDECIDED_H

#include "profile/finding.h"

/* A pattern that an undecided finding may turn out to have. */
struct memphis_choice {
	enum memphis_pattern pattern;
	bool apart;
};
#define MEMPHIS_CHOICES 3
extern const struct memphis_choice memphis_choices[MEMPHIS_CHOICES];

/* Sets the pattern of a finding about variables on one node, by its odds; other findings remain as they are. */
void memphis_finding_decide(struct memphis_finding *finding);

/* Returns whether an undecided finding may have the pattern: the odds do not favour another one. */
bool memphis_finding_may_be(const struct memphis_finding *finding, const struct memphis_choice *choice);

/* Returns whether it is known if nodes use the same parts; then it is not known whether the variable is only read. */
bool memphis_finding_parts_known(const struct memphis_finding *finding);

/* Returns the factor by which more samples are needed to decide, estimated from the few samples: at least 2. */
uint64_t memphis_finding_more(const struct memphis_finding *finding);

#endif
