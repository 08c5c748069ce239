// SPDX-License-Identifier: BSD-3-Clause
#include "diagnose/undecided.h"

#include <stdlib.h>

#define MORE_MAX \
	100 /* upper limit of the factor: if samples are fewer than one in 100 of those needed, they show nothing */

const struct memphis_choice memphis_choices[MEMPHIS_CHOICES] = {
	{MEMPHIS_PATTERN_FIRST_TOUCH, true},
	{MEMPHIS_PATTERN_FIRST_TOUCH, false},
	{MEMPHIS_PATTERN_READ_SHARED, false},
};

/* Returns 1 if the odds are certainly positive, -1 if they are certainly negative, and 0 otherwise. */
static int certain_sign(int64_t odds)
{
	return (odds >= MEMPHIS_FINDING_ODDS) - (odds <= -MEMPHIS_FINDING_ODDS);
}

static bool can_be_undecided(const struct memphis_finding *finding)
{
	return finding->home != MEMPHIS_NODE_UNKNOWN && (finding->pattern == MEMPHIS_PATTERN_FIRST_TOUCH ||
							 finding->pattern == MEMPHIS_PATTERN_READ_SHARED ||
							 finding->pattern == MEMPHIS_PATTERN_UNDECIDED);
}

/*
 * Returns whether stores were sampled. If not, it is unknown whether the variable is only read, and the advice for
 * shared variables is to interleave their pages.
 */
static bool knows_stores(const struct memphis_finding *finding)
{
	return finding->store_share >= 0;
}

void memphis_finding_decide(struct memphis_finding *finding)
{
	const int apart = certain_sign(finding->apart_odds), read = certain_sign(finding->read_odds);

	if (!can_be_undecided(finding))
		return;
	finding->apart = apart > 0;
	if (apart > 0 || (apart < 0 && (read < 0 || !knows_stores(finding))))
		finding->pattern = MEMPHIS_PATTERN_FIRST_TOUCH;
	else if (apart < 0 && read > 0)
		finding->pattern = MEMPHIS_PATTERN_READ_SHARED;
	else
		finding->pattern = MEMPHIS_PATTERN_UNDECIDED;
}

bool memphis_finding_may_be(const struct memphis_finding *finding, const struct memphis_choice *choice)
{
	if (choice->apart)
		return finding->apart_odds >= 0;
	if (finding->apart_odds > 0)
		return false;
	return choice->pattern == MEMPHIS_PATTERN_READ_SHARED
		       ? knows_stores(finding) && finding->read_odds >= 0
		       : !knows_stores(finding) || finding->read_odds <= 0;
}

bool memphis_finding_parts_known(const struct memphis_finding *finding)
{
	return certain_sign(finding->apart_odds) != 0;
}

uint64_t memphis_finding_more(const struct memphis_finding *finding)
{
	const int64_t odds =
		llabs(memphis_finding_parts_known(finding) ? finding->read_odds : finding->apart_odds);
	const int64_t more = MEMPHIS_FINDING_ODDS / (odds ? odds : 1) + 1;

	return (uint64_t)(more > MORE_MAX ? MORE_MAX : more);
}
