// SPDX-License-Identifier: BSD-3-Clause
/* Judges what an event has counted. */
#include <inttypes.h>

#include "selftest/judge.h"

/* Limits of an event's count, as shares of the loads that it should count. */
#define LIMIT_COUNT_LOW  0.95
#define LIMIT_COUNT_HIGH 1.02
/* The same for lines in caches of others, some of which these caches have evicted. */
#define LIMIT_COUNT_PEER 0.5
/* An event may count so many of the loads that it is not about. */
#define LIMIT_STRAY 0.01

/* The number of interrupts times the period is the count of the event, give or take the period that each thread had begun. */
void memphis_judge_period(const struct memphis_judge *judge)
{
	const struct memphis_observation *observation = judge->observation;
	struct memphis_selftest_row *row = memphis_judge_row(judge, "period", "");
	const uint64_t stands_for = observation->accounting.interrupts * observation->period;
	const uint64_t most = observation->thread_count * observation->period;
	uint64_t difference;

	if (!row)
		return;
	difference = stands_for > observation->count ? stands_for - observation->count
						     : observation->count - stands_for;
	row->value = (double)difference;
	row->limit = (double)most;
	memphis_text_print(&row->evidence,
			   "%" PRIu64 " interrupts of %" PRIu64 " loads stand for %" PRIu64
			   ", and the event has counted %" PRIu64 ": a difference of %" PRIu64
			   ", at most %" PRIu64 " (%zu thread%s)",
			   (uint64_t)observation->accounting.interrupts, observation->period, stands_for,
			   observation->count, difference, most, observation->thread_count,
			   observation->thread_count == 1 ? "" : "s");
	row->verdict = difference <= most ? MEMPHIS_VERDICT_OK : MEMPHIS_VERDICT_FAIL;
	if (row->verdict == MEMPHIS_VERDICT_FAIL &&
	    (observation->accounting.throttled || observation->starved_ns))
		row->verdict = MEMPHIS_VERDICT_UNKNOWN;
	memphis_judge_remedy(
		row, "samples are missing, or are too many: estimates of numbers of loads would be wrong");
}

/* Returns the smallest share of the phase's loads that the event must count. */
static double least_share(const struct memphis_judge *judge, const struct memphis_phase *phase)
{
	if (!memphis_judge_is_good(phase) || memphis_judge_expects(judge, phase) != MEMPHIS_EXPECT_ALL)
		return 0;
	return phase->place == MEMPHIS_PLACE_MODIFIED ? LIMIT_COUNT_PEER : LIMIT_COUNT_LOW;
}

/* Returns the largest share. A phase whose pages were not where they should be may cause any event. */
static double largest_share(const struct memphis_judge *judge, const struct memphis_phase *phase)
{
	return memphis_judge_is_good(phase) && memphis_judge_expects(judge, phase) == MEMPHIS_EXPECT_NONE
		       ? LIMIT_STRAY
		       : LIMIT_COUNT_HIGH;
}

void memphis_judge_count(const struct memphis_judge *judge)
{
	const struct memphis_observation *observation = judge->observation;
	struct memphis_selftest_row *row = memphis_judge_row(judge, "count", "");
	double low = 0, high = 0, loads, count = (double)observation->count;
	const struct memphis_phase *phase;
	size_t i;

	if (!row)
		return;
	memphis_text_print(&row->evidence, "the event has counted %" PRIu64, observation->count);
	for (i = 0; i < observation->plan.phase_count; i++) {
		phase = &observation->plan.phases[i];
		loads = (double)phase->loads;
		low += loads * least_share(judge, phase);
		high += loads * largest_share(judge, phase);
		if (phase->loads && largest_share(judge, phase) > LIMIT_STRAY)
			memphis_text_print(&row->evidence, "; %s: %" PRIu64 " loads", phase->name,
					   phase->loads);
	}
	row->value = count;
	row->limit = low > 0 ? low : high;
	memphis_text_print(&row->evidence, "; expected are %.0f to %.0f", low, high);
	row->verdict = count >= low && count <= high ? MEMPHIS_VERDICT_OK : MEMPHIS_VERDICT_FAIL;
	if (count < low && (observation->accounting.throttled || observation->starved_ns))
		row->verdict = MEMPHIS_VERDICT_UNKNOWN;
	memphis_judge_remedy(row,
			     "the event counts other loads than its name says: do not use it on this CPU");
}
