// SPDX-License-Identifier: BSD-3-Clause
/* Judges the samples of one event: whether they came, and their instruction, address and home node. */
#include <inttypes.h>

#include "base/share.h"
#include "selftest/judge.h"

/* Share below which instruction, address or home node are considered wrong, for which the hardware claims to be exact. */
#define LIMIT_EXACT 0.95

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

/* --- Samples came, and the accounting balances. */

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

static void judge_samples(const struct memphis_judge *judge)
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
			   " filtered, %zu in the "
			   "files",
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
		row, "fewer samples than the period predicts: see dmesg, and whether another program uses "
		     "perf (the "
		     "NMI watchdog is one); the hardware may count other loads than expected");
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
	 "the hardware reports another instruction than the one that made the access (skid): source lines "
	 "may be wrong"},
	{"address", is_word, "the word that was loaded: ",
	 "the hardware reports other addresses than those of the accesses: names of variables would be "
	 "wrong"},
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
				   "node %u has no room for a buffer that is larger than the caches",
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
	judge_samples(&judge);
	/* Fields are judged only if there must be samples. */
	for (i = 0; expects_samples && i < sizeof(fields) / sizeof(*fields); i++)
		judge_field(&judge, &fields[i]);
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
