/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Decides the pattern of variables that are on one node and used by several nodes. The remedy depends on two
 * questions: does each node use its own part of the variable, and is the variable only read? If the samples do not
 * answer these questions with a probability of 95 %, the finding is undecided, and its text says so.
 */
#ifndef MEMPHIS_UNDECIDED_H
#define MEMPHIS_UNDECIDED_H

#include "profile/finding.h"

/* A pattern that an undecided finding may have. `apart` is true if each node uses its own part. */
struct memphis_choice {
	enum memphis_pattern pattern;
	bool apart;
};
#define MEMPHIS_CHOICES 3
extern const struct memphis_choice memphis_choices[MEMPHIS_CHOICES];

/* Sets the pattern of a finding about variables on one node, according to its odds. Does not change other findings. */
void memphis_finding_decide(struct memphis_finding *finding);

/* Returns whether an undecided finding may have this pattern, which means that its odds do not favour another one. */
bool memphis_finding_may_be(const struct memphis_finding *finding, const struct memphis_choice *choice);

/*
 * Returns whether the finding shows with certainty if the nodes use the same parts. An undecided finding then does not
 * show whether the variable is only read.
 */
bool memphis_finding_parts_known(const struct memphis_finding *finding);

/*
 * Returns the factor by which the number of samples must grow to decide the pattern, at least 2. It is estimated from
 * the few samples that there are.
 */
uint64_t memphis_finding_more(const struct memphis_finding *finding);

#endif
