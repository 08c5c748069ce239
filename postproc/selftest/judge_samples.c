// SPDX-License-Identifier: BSD-3-Clause
/* Judges whether samples came and the accounting balances; and instruction, address and home node of the samples. */
#include <inttypes.h>

#include "selftest/judge.h"

/* Share below which instruction, address or home node are considered wrong, for which the hardware claims to be exact. */
#define LIMIT_EXACT 0.95

static uint64_t sum_filtered(const struct memphis_accounting *accounting)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < MEMPHIS_REASONS_MAX; i++)
		sum += accounting->filtered[i];
	return sum;
}

static enum memphis_verdict find_phases_without(const struct memphis_judge *judge,
						struct memphis_selftest_row *row)
{
	const struct memphis_plan *plan = &judge->observation->plan;
	enum memphis_verdict verdict = MEMPHIS_VERDICT_OK;
	const struct memphis_phase *phase;
	double expected;
	size_t i;

	for (i = 0; i < plan->phase_count; i++) {
		phase = &plan->phases[i];
		if (!memphis_judge_is_good(phase) ||
		    memphis_judge_expects(judge, phase) != MEMPHIS_EXPECT_ALL)
			continue;
		expected = (double)phase->loads / (double)judge->observation->period;
		memphis_text_print(&row->evidence, "; %s: %" PRIu64 " of about %.0f", phase->name,
				   judge->samples[i], expected);
		if (judge->samples[i] < MEMPHIS_FEW_SAMPLES)
			verdict = MEMPHIS_VERDICT_FAIL;
		else if ((double)judge->samples[i] < expected / 2 && verdict == MEMPHIS_VERDICT_OK)
			verdict = MEMPHIS_VERDICT_WARN;
	}
	return verdict;
}

void memphis_judge_samples(const struct memphis_judge *judge)
{
	const struct memphis_observation *observation = judge->observation;
	const struct memphis_accounting *accounting = &observation->accounting;
	const uint64_t filtered = sum_filtered(accounting);
	struct memphis_selftest_row *row = memphis_judge_row(judge, "samples", "");

	if (!row)
		return;
	row->value = (double)observation->sample_count;
	memphis_text_print(&row->evidence,
			   "%" PRIu64 " interrupts = %" PRIu64 " kept + %" PRIu64 " lost + %" PRIu64
			   " filtered, %zu in the files",
			   (uint64_t)accounting->interrupts, (uint64_t)accounting->kept,
			   (uint64_t)accounting->lost, filtered, observation->sample_count);
	row->verdict = find_phases_without(judge, row);
	if (accounting->throttled)
		memphis_text_print(&row->evidence, "; perf paused sampling %" PRIu64 " times",
				   (uint64_t)accounting->throttled);
	if (observation->starved_ns)
		memphis_text_put(&row->evidence, "; another user had the hardware for a part of the time");
	if (accounting->interrupts != accounting->kept + accounting->lost + filtered ||
	    accounting->kept != observation->sample_count) {
		row->verdict = MEMPHIS_VERDICT_FAIL;
		memphis_text_put(&row->remedy, "the accounting does not balance: please report it");
	} else if (row->verdict == MEMPHIS_VERDICT_OK && (accounting->lost || observation->starved_ns)) {
		row->verdict = MEMPHIS_VERDICT_WARN;
	}
	memphis_judge_remedy(
		row,
		"fewer samples than the period predicts: see dmesg, and whether another program uses perf (the NMI watchdog is one); the hardware may count other loads than expected");
}

/* --- Instruction, address and home node of each sample. */

static bool is_load(const struct memphis_observation *observation, const struct memphis_sample *sample)
{
	return sample->pc == observation->pc;
}

static bool is_word(const struct memphis_observation *observation, const struct memphis_sample *sample)
{
	const struct memphis_phase *phase = &observation->plan.phases[sample->region];

	return sample->address - phase->low < phase->bytes &&
	       (sample->address - phase->low) % MEMPHIS_SELFTEST_STRIDE == MEMPHIS_SELFTEST_OFFSET;
}

static bool is_home(const struct memphis_observation *observation, const struct memphis_sample *sample)
{
	return sample->home_node == observation->plan.phases[sample->region].node;
}

static bool is_of_phase(const struct memphis_observation *observation, const struct memphis_sample *sample)
{
	return sample->region < observation->plan.phase_count &&
	       memphis_judge_is_good(&observation->plan.phases[sample->region]);
}

static const struct field {
	const char *check;
	bool (*is_right)(const struct memphis_observation *observation, const struct memphis_sample *sample);
	const char *what, *remedy;
} fields[] = {
	{"instruction", is_load, "exactly the load: ",
	 "the hardware reports another instruction than the one that made the access (skid): source lines may be wrong"},
	{"address", is_word, "the word that was loaded: ",
	 "the hardware reports other addresses than those of the accesses: names of variables would be wrong"},
	{"home", is_home, "the node that the page is bound to: ",
	 "the home nodes of the samples are wrong: please report it; was NUMA balancing on (memphis node)?"},
};

/* Describes the most frequent difference between the instruction of a sample and the load, in bytes. */
static void put_skid(const struct memphis_judge *judge, struct memphis_selftest_row *row)
{
	const struct memphis_observation *observation = judge->observation;
	size_t i, after = 0, others = 0;
	int64_t distance;

	for (i = 0; i < observation->sample_count; i++) {
		if (!is_of_phase(observation, &observation->samples[i]))
			continue;
		distance = (int64_t)(observation->samples[i].pc - observation->pc);
		after += distance > 0 && distance < 16;
		others += distance < 0 || distance >= 16;
	}
	if (after || others)
		memphis_text_print(&row->evidence, "; %zu within 15 bytes after it, %zu elsewhere", after,
				   others);
}

static void judge_field(const struct memphis_judge *judge, const struct field *field)
{
	const struct memphis_observation *observation = judge->observation;
	struct memphis_selftest_row *row = memphis_judge_row(judge, field->check, "");
	uint64_t right = 0, all = 0;
	size_t i;

	if (!row)
		return;
	for (i = 0; i < observation->sample_count; i++) {
		if (!is_of_phase(observation, &observation->samples[i]))
			continue;
		all++;
		right += field->is_right(observation, &observation->samples[i]);
	}
	memphis_text_put(&row->evidence, field->what);
	row->verdict = memphis_judge_share(row, right, all, LIMIT_EXACT);
	if (field->is_right == is_load)
		put_skid(judge, row);
	memphis_judge_remedy(row, field->remedy);
}

void memphis_judge_fields(const struct memphis_judge *judge)
{
	size_t i;

	for (i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		judge_field(judge, &fields[i]);
}
