// SPDX-License-Identifier: BSD-3-Clause
#include "diagnose/undecided.h"

#include <stdlib.h>

#define MORE_MAX 100 /* fewer samples than one in this number of those that decide show nothing */

const struct memphis_choice memphis_choices[MEMPHIS_CHOICES] = {
	{MEMPHIS_PATTERN_FIRST_TOUCH, true},
	{MEMPHIS_PATTERN_FIRST_TOUCH, false},
	{MEMPHIS_PATTERN_READ_SHARED, false},
};

/* Returns 1 or -1 if the odds are certain, otherwise 0. */
static int sign_of(int64_t odds)
{
	return (odds >= MEMPHIS_FINDING_ODDS) - (odds <= -MEMPHIS_FINDING_ODDS);
}

static bool is_choice(const struct memphis_finding *finding)
{
	return finding->home != MEMPHIS_NODE_UNKNOWN && (finding->pattern == MEMPHIS_PATTERN_FIRST_TOUCH ||
							 finding->pattern == MEMPHIS_PATTERN_READ_SHARED ||
							 finding->pattern == MEMPHIS_PATTERN_UNDECIDED);
}

/* Without any store in the samples, that the variable is only read is not known; what nodes share is interleaved then. */
static bool knows_stores(const struct memphis_finding *finding)
{
	return finding->store_share >= 0;
}

void memphis_finding_decide(struct memphis_finding *finding)
{
	const int apart = sign_of(finding->apart_odds), read = sign_of(finding->read_odds);

	if (!is_choice(finding))
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
	return sign_of(finding->apart_odds) != 0;
}

uint64_t memphis_finding_more(const struct memphis_finding *finding)
{
	const int64_t odds =
		llabs(memphis_finding_parts_known(finding) ? finding->read_odds : finding->apart_odds);
	const int64_t more = MEMPHIS_FINDING_ODDS / (odds ? odds : 1) + 1;

	return (uint64_t)(more > MORE_MAX ? MORE_MAX : more);
}
