// SPDX-License-Identifier: BSD-3-Clause
/* Judges the sources of samples, and in which buffers the samples of an event of loads by source are. */
#include <inttypes.h>

#include "profile/reasons.h"
#include "selftest/judge.h"

/* Prefetchers and other users of the memory may change the source of a few loads. */
#define LIMIT_SOURCE 0.90

/* Appends the sources of the samples of the phase, the most frequent first, at most three. */
static void put_sources(const struct memphis_judge *judge, struct memphis_text *text, size_t phase)
{
	const struct memphis_observation *observation = judge->observation;
	uint64_t counts[MEMPHIS_SOURCES + 1] = {0}, all = 0;
	size_t i, most, told;
	unsigned int source;

	for (i = 0; i < observation->sample_count; i++) {
		if (observation->samples[i].region != phase)
			continue;
		source = observation->samples[i].source;
		counts[source < MEMPHIS_SOURCES ? source : MEMPHIS_SOURCES]++;
		all++;
	}
	for (told = 0; told < 3; told++) {
		for (most = 0, i = 1; i <= MEMPHIS_SOURCES; i++)
			if (counts[i] > counts[most])
				most = i;
		if (!counts[most])
			break;
		memphis_text_print(text, "%s%s %.1f %%",
				   told ? ", " : "; sources: ", memphis_source_name((unsigned int)most),
				   100 * (double)counts[most] / (double)all);
		counts[most] = 0;
	}
}

static bool is_cache(unsigned int source)
{
	return source == MEMPHIS_SOURCE_L1 || source == MEMPHIS_SOURCE_L2 || source == MEMPHIS_SOURCE_L3 ||
	       source == MEMPHIS_SOURCE_FILL_BUFFER;
}

/* Returns true if source and flags are those of the place. What is remote within a package depends on the hardware. */
static bool is_source(const struct memphis_sample *sample, enum memphis_phase_place place)
{
	const bool remote = sample->flags & MEMPHIS_FLAG_REMOTE, dram = sample->source == MEMPHIS_SOURCE_DRAM;

	switch (place) {
	case MEMPHIS_PLACE_CACHE:
		return is_cache(sample->source) && !remote;
	case MEMPHIS_PLACE_OWN_NODE:
		return dram && !remote;
	case MEMPHIS_PLACE_OTHER_PACKAGE:
		return dram && remote;
	case MEMPHIS_PLACE_OWN_PACKAGE:
		return dram;
	default:
		return dram || sample->source == MEMPHIS_SOURCE_EXTENSION;
	}
}

static const char *const expected_sources[MEMPHIS_PLACES] = {
	[MEMPHIS_PLACE_CACHE] = "a cache of the own node: ",
	[MEMPHIS_PLACE_OWN_NODE] = "DRAM, not remote: ",
	[MEMPHIS_PLACE_OWN_PACKAGE] = "DRAM: ",
	[MEMPHIS_PLACE_OTHER_PACKAGE] = "DRAM, remote: ",
	[MEMPHIS_PLACE_NO_CPU] = "DRAM or extension memory: ",
};

static void judge_source(const struct memphis_judge *judge, size_t number)
{
	const struct memphis_observation *observation = judge->observation;
	const struct memphis_phase *phase = &observation->plan.phases[number];
	struct memphis_selftest_row *row = memphis_judge_row(judge, "source", phase->name);
	const struct memphis_sample *sample;
	uint64_t right = 0, remote = 0;
	size_t i;

	if (!row)
		return;
	for (i = 0; i < observation->sample_count; i++) {
		sample = &observation->samples[i];
		if (sample->region != number)
			continue;
		right += is_source(sample, phase->place);
		remote += !!(sample->flags & MEMPHIS_FLAG_REMOTE);
	}
	memphis_text_put(&row->evidence, expected_sources[phase->place]);
	row->verdict = memphis_judge_share(row, right, judge->samples[number], LIMIT_SOURCE);
	put_sources(judge, &row->evidence, number);
	if (phase->place != MEMPHIS_PLACE_CACHE && judge->samples[number])
		memphis_text_print(&row->evidence, "; flagged remote: %.1f %%",
				   100 * (double)remote / (double)judge->samples[number]);
	if (phase->place == MEMPHIS_PLACE_OWN_PACKAGE)
		memphis_text_put(&row->evidence, ", which is information: the node is in the own package");
	memphis_judge_remedy(
		row,
		"the hardware reports another source than the one that served these loads: selections by source would be wrong; a prefetcher that follows pointers could be a reason");
}

void memphis_judge_sources(const struct memphis_judge *judge)
{
	size_t i;

	for (i = 0; i < judge->observation->plan.phase_count; i++)
		if (memphis_judge_is_good(&judge->observation->plan.phases[i]))
			judge_source(judge, i);
}

void memphis_judge_phases(const struct memphis_judge *judge)
{
	const struct memphis_observation *observation = judge->observation;
	const struct memphis_plan *plan = &observation->plan;
	struct memphis_selftest_row *row = memphis_judge_row(judge, "source", "");
	const struct memphis_phase *phase;
	enum memphis_expectation expected;
	uint64_t right = 0, all = 0;
	struct memphis_text information = {0};
	size_t i;

	if (!row)
		return;
	for (i = 0; i < plan->phase_count; i++) {
		phase = &plan->phases[i];
		if (!memphis_judge_is_good(phase))
			continue;
		expected = memphis_judge_expects(judge, phase);
		all += judge->samples[i];
		if (expected != MEMPHIS_EXPECT_NONE)
			right += judge->samples[i];
		if (expected == MEMPHIS_EXPECT_ANY)
			memphis_text_print(&information, "; information: %.0f %% of the loads from %s (%s)",
					   100 * (double)(judge->samples[i] * observation->period) /
						   (double)phase->loads,
					   phase->name, memphis_place_names[phase->place]);
	}
	memphis_text_put(&row->evidence, "in the buffers that the event is about: ");
	row->verdict = memphis_judge_share(row, right, all, LIMIT_SOURCE);
	memphis_text_put(&row->evidence, information.bytes ? information.text : "");
	memphis_text_close(&information);
	memphis_judge_remedy(row,
			     "the event samples other loads than its name says: do not use it on this CPU");
}
