// SPDX-License-Identifier: BSD-3-Clause
/* Judges the samples of one event. */
#include "selftest/judge.h"

/* Phases that could not be carried out. */
static void tell_left_out(const struct memphis_judge *judge)
{
	const struct memphis_plan *plan = &judge->observation->plan;
	struct memphis_selftest_row *row;
	size_t i;

	for (i = 0; i < plan->phase_count; i++) {
		if (memphis_judge_is_good(&plan->phases[i]))
			continue;
		row = memphis_judge_row(judge, "memory", plan->phases[i].name);
		if (!row)
			return;
		row->verdict = MEMPHIS_VERDICT_UNKNOWN;
		memphis_text_print(&row->evidence,
				   plan->phases[i].bytes ? "not all pages of the buffer were on node %u"
							 : "node %u has no room for a buffer",
				   plan->phases[i].node);
		memphis_text_put(&row->remedy,
				 "free memory of this node (as root: echo 3 > /proc/sys/vm/drop_caches)");
	}
}

void memphis_selftest_judge(struct memphis_selftest_rows *rows, const struct memphis_observation *observation)
{
	struct memphis_judge judge = {.rows = rows,
				      .observation = observation,
				      .event = memphis_event_name(observation->hardware, observation->event)};
	const bool by_source = observation->event != MEMPHIS_EVENT_ACCESS;
	const struct memphis_plan *plan = &observation->plan;
	bool expects_samples = false;
	size_t i;

	for (i = 0; i < observation->sample_count; i++)
		if (observation->samples[i].region < plan->phase_count)
			judge.samples[observation->samples[i].region]++;
	for (i = 0; i < plan->phase_count; i++)
		expects_samples |= memphis_judge_is_good(&plan->phases[i]) &&
				   memphis_judge_expects(&judge, &plan->phases[i]) == MEMPHIS_EXPECT_ALL;
	tell_left_out(&judge);
	memphis_judge_samples(&judge);
	/* Fields are judged only if there must be samples. */
	if (expects_samples)
		memphis_judge_fields(&judge);
	if (by_source) {
		if (expects_samples)
			memphis_judge_phases(&judge);
		memphis_judge_count(&judge);
	} else {
		memphis_judge_sources(&judge);
		memphis_judge_latency(&judge);
	}
	if (observation->has_count)
		memphis_judge_period(&judge);
}
