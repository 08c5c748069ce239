// SPDX-License-Identifier: BSD-3-Clause
/* What an event should count, and the comparison of shares with their limits. */
#include <inttypes.h>

#include "base/share.h"
#include "selftest/judge.h"

/*
 * What events of loads by source count, by the place of the data. Within a package and for nodes without CPUs, the hardware decides what
 * "remote" is. Lines that another cache holds unmodified may also be served by memory.
 */
static const unsigned char expectations[MEMPHIS_EVENTS][MEMPHIS_PLACES] = {
	[MEMPHIS_EVENT_LOCAL_DRAM] = {[MEMPHIS_PLACE_OWN_NODE] = MEMPHIS_EXPECT_ALL,
				      [MEMPHIS_PLACE_OWN_PACKAGE] = MEMPHIS_EXPECT_ANY,
				      [MEMPHIS_PLACE_NO_CPU] = MEMPHIS_EXPECT_ANY},
	[MEMPHIS_EVENT_REMOTE_DRAM] = {[MEMPHIS_PLACE_OWN_PACKAGE] = MEMPHIS_EXPECT_ANY,
				       [MEMPHIS_PLACE_OTHER_PACKAGE] = MEMPHIS_EXPECT_ALL,
				       [MEMPHIS_PLACE_NO_CPU] = MEMPHIS_EXPECT_ANY},
	[MEMPHIS_EVENT_REMOTE_HITM] = {[MEMPHIS_PLACE_MODIFIED] = MEMPHIS_EXPECT_ALL},
	[MEMPHIS_EVENT_REMOTE_FORWARD] = {[MEMPHIS_PLACE_SHARED] = MEMPHIS_EXPECT_ANY},
};

enum memphis_expectation memphis_judge_expects(const struct memphis_judge *judge,
					       const struct memphis_phase *phase)
{
	const unsigned int event = judge->observation->event;

	return event == MEMPHIS_EVENT_ACCESS ? MEMPHIS_EXPECT_ALL
					     : (enum memphis_expectation)expectations[event][phase->place];
}

bool memphis_judge_is_good(const struct memphis_phase *phase)
{
	return phase->bytes && phase->bound;
}

struct memphis_selftest_row *memphis_judge_row(const struct memphis_judge *judge, const char *check,
					       const char *phase)
{
	return memphis_selftest_row(judge->rows, judge->event, check, phase);
}

enum memphis_verdict memphis_judge_share(struct memphis_selftest_row *row, uint64_t part, uint64_t whole,
					 double limit)
{
	struct memphis_share share = memphis_share_of(part, whole);

	row->value = share.share;
	row->limit = limit;
	memphis_text_print(&row->evidence, "%.1f %% of %" PRIu64 " (95 %% CI %.1f to %.1f), at least %.0f %%",
			   100 * share.share, whole, 100 * share.low, 100 * share.high, 100 * limit);
	if (whole < MEMPHIS_FEW_SAMPLES) {
		memphis_text_put(&row->remedy, "too few samples to judge: see the row samples");
		return MEMPHIS_VERDICT_UNKNOWN;
	}
	return share.low >= limit   ? MEMPHIS_VERDICT_OK
	       : share.high < limit ? MEMPHIS_VERDICT_FAIL
				    : MEMPHIS_VERDICT_WARN;
}

void memphis_judge_remedy(struct memphis_selftest_row *row, const char *remedy)
{
	if ((row->verdict == MEMPHIS_VERDICT_FAIL || row->verdict == MEMPHIS_VERDICT_WARN) &&
	    !row->remedy.bytes)
		memphis_text_put(&row->remedy, remedy);
}
