// SPDX-License-Identifier: BSD-3-Clause
/* Judges the samples of one event. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "profile/reasons.h"
#include "selftest/selftest.h"

/* The state of judging one event. All confidence intervals are for 95 %. */
struct judge {
	struct memphis_selftest_rows *rows;
	const struct memphis_observation *observation;
	const char *event;
	uint64_t samples[MEMPHIS_SELFTEST_PHASES]; /* number of samples in each phase */
};

/* Minimum number of samples in a phase for judging a share. */
#define FEW_SAMPLES 30

/* Which loads of a phase an event should count. */
enum expectation {
	EXPECT_NONE,
	EXPECT_ANY, /* unknown: depends on the hardware, for example on its definition of "remote" */
	EXPECT_ALL
};

/* ---- which loads an event should count, and comparison of shares with their limits ---- */

/*
 * Which loads the events for loads by source should count, by the place of the data. The hardware determines
 * whether loads from another node in the same package, or from a node without CPUs, count as "remote". Lines
 * that another cache holds unmodified may also come from memory.
 */
static const unsigned char expectations[MEMPHIS_EVENTS][MEMPHIS_PLACES] = {
	[MEMPHIS_EVENT_LOCAL_DRAM] = {[MEMPHIS_PLACE_OWN_NODE] = EXPECT_ALL,
				      [MEMPHIS_PLACE_OWN_PACKAGE] = EXPECT_ANY,
				      [MEMPHIS_PLACE_NO_CPU] = EXPECT_ANY},
	[MEMPHIS_EVENT_REMOTE_DRAM] = {[MEMPHIS_PLACE_OWN_PACKAGE] = EXPECT_ANY,
				       [MEMPHIS_PLACE_OTHER_PACKAGE] = EXPECT_ALL,
				       [MEMPHIS_PLACE_NO_CPU] = EXPECT_ANY},
	[MEMPHIS_EVENT_REMOTE_HITM] = {[MEMPHIS_PLACE_MODIFIED] = EXPECT_ALL},
	[MEMPHIS_EVENT_REMOTE_FORWARD] = {[MEMPHIS_PLACE_SHARED] = EXPECT_ANY},
};

static enum expectation expected_loads(const struct judge *judge, const struct memphis_phase *phase)
{
	const unsigned int event = judge->observation->event;

	return event == MEMPHIS_EVENT_ACCESS ? EXPECT_ALL
					     : (enum expectation)expectations[event][phase->place];
}

/* Returns true if the phase was carried out as planned. */
static bool is_phase_valid(const struct memphis_phase *phase)
{
	return phase->bytes && phase->bound;
}

/* Appends a row of the event. Returns NULL if memory is exhausted. */
static struct memphis_selftest_row *add_row(const struct judge *judge, const char *check, const char *phase)
{
	return memphis_selftest_row(judge->rows, judge->event, check, phase);
}

/*
 * Compares a share with its lower limit. The verdict is OK if the whole confidence interval is at or above
 * the limit, FAIL if it is below, and WARN if it contains the limit. It is UNKNOWN if there are too few
 * samples.
 */
static enum memphis_verdict judge_share(struct memphis_selftest_row *row, uint64_t part, uint64_t whole,
					double limit)
{
	struct memphis_share share = memphis_share_of(part, whole);

	row->value = share.share;
	row->limit = limit;
	memphis_text_print(&row->evidence, "%.1f %% of %" PRIu64 " (95 %% CI %.1f to %.1f), at least %.0f %%",
			   100 * share.share, whole, 100 * share.low, 100 * share.high, 100 * limit);
	if (whole < FEW_SAMPLES) {
		memphis_text_put(&row->remedy, "too few samples to judge: see the row samples");
		return MEMPHIS_VERDICT_UNKNOWN;
	}
	return share.low >= limit   ? MEMPHIS_VERDICT_OK
	       : share.high < limit ? MEMPHIS_VERDICT_FAIL
				    : MEMPHIS_VERDICT_WARN;
}

/* Stores the remedy if the verdict of the row is FAIL or WARN. */
static void set_remedy(struct memphis_selftest_row *row, const char *remedy)
{
	if ((row->verdict == MEMPHIS_VERDICT_FAIL || row->verdict == MEMPHIS_VERDICT_WARN) &&
	    !row->remedy.bytes)
		memphis_text_put(&row->remedy, remedy);
}

/* ---- the count of an event ---- */

/* Limits of an event's count, as fractions of the number of loads that it should count. */
#define LIMIT_COUNT_LOW  0.95
#define LIMIT_COUNT_HIGH 1.02
/* Lower limit for lines in caches of other CPUs. These caches may have evicted some of the lines. */
#define LIMIT_COUNT_PEER 0.5
/* Upper limit for the fraction of other loads that an event may count by mistake. */
#define LIMIT_STRAY 0.01

/*
 * Checks that the number of interrupts times the period equals the count of the event. A difference of one
 * incomplete period per thread is allowed.
 */
static void judge_period(const struct judge *judge)
{
	const struct memphis_observation *observation = judge->observation;
	struct memphis_selftest_row *row = add_row(judge, "period", "");
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
	set_remedy(row, "samples are missing, or are too many: estimates of numbers of loads would be wrong");
}

/* Returns the smallest fraction of the phase's loads, from 0 to 1, that the event must count to pass the check. */
static double least_expected_share(const struct judge *judge, const struct memphis_phase *phase)
{
	if (!is_phase_valid(phase) || expected_loads(judge, phase) != EXPECT_ALL)
		return 0;
	return phase->place == MEMPHIS_PLACE_MODIFIED ? LIMIT_COUNT_PEER : LIMIT_COUNT_LOW;
}

/*
 * Returns the largest fraction of the phase's loads that the event may count. If the pages of a phase were on
 * the wrong node, its loads may cause any event.
 */
static double largest_expected_share(const struct judge *judge, const struct memphis_phase *phase)
{
	return is_phase_valid(phase) && expected_loads(judge, phase) == EXPECT_NONE ? LIMIT_STRAY
										    : LIMIT_COUNT_HIGH;
}

static void judge_count(const struct judge *judge)
{
	const struct memphis_observation *observation = judge->observation;
	struct memphis_selftest_row *row = add_row(judge, "count", "");
	double low = 0, high = 0, loads, count = (double)observation->count;
	const struct memphis_phase *phase;
	size_t i;

	if (!row)
		return;
	memphis_text_print(&row->evidence, "the event has counted %" PRIu64, observation->count);
	for (i = 0; i < observation->plan.phase_count; i++) {
		phase = &observation->plan.phases[i];
		loads = (double)phase->loads;
		low += loads * least_expected_share(judge, phase);
		high += loads * largest_expected_share(judge, phase);
		if (phase->loads && largest_expected_share(judge, phase) > LIMIT_STRAY)
			memphis_text_print(&row->evidence, "; %s: %" PRIu64 " loads", phase->name,
					   phase->loads);
	}
	row->value = count;
	row->limit = low > 0 ? low : high;
	memphis_text_print(&row->evidence, "; expected are %.0f to %.0f", low, high);
	row->verdict = count >= low && count <= high ? MEMPHIS_VERDICT_OK : MEMPHIS_VERDICT_FAIL;
	if (count < low && (observation->accounting.throttled || observation->starved_ns))
		row->verdict = MEMPHIS_VERDICT_UNKNOWN;
	set_remedy(row, "the event counts other loads than its name says: do not use it on this CPU");
}

/* ---- the order of the median latencies ---- */

struct median {
	unsigned int value, low, high;
};

static int compare_values(const void *a, const void *b)
{
	return *(const uint16_t *)a - *(const uint16_t *)b;
}

/*
 * Finds the median latency of the phase. Its confidence interval of 95 % is between two order statistics, by
 * the normal approximation of the binomial distribution. Returns false if memory is exhausted.
 */
static bool find_median(const struct judge *judge, size_t phase, struct median *median)
{
	const struct memphis_observation *observation = judge->observation;
	const size_t count = judge->samples[phase];
	uint16_t *values = malloc((count ? count : 1) * sizeof(*values));
	size_t i, used = 0;
	double reach = 1.96 * sqrt((double)count) / 2;

	if (!values || !count) {
		free(values);
		return false;
	}
	for (i = 0; i < observation->sample_count; i++)
		if (observation->samples[i].region == phase)
			values[used++] = observation->samples[i].latency_cycles;
	qsort(values, used, sizeof(*values), compare_values);
	median->value = values[used / 2];
	median->low = values[(size_t)fmax(0, floor((double)used / 2 - reach))];
	median->high = values[(size_t)fmin((double)used - 1, ceil((double)used / 2 + reach))];
	free(values);
	return true;
}

/* Judges whether the latency of `slow` is higher than the latency of `fast`. */
static enum memphis_verdict judge_slower(const struct median *slow, const struct median *fast)
{
	return slow->low > fast->high    ? MEMPHIS_VERDICT_OK
	       : slow->high <= fast->low ? MEMPHIS_VERDICT_FAIL
					 : MEMPHIS_VERDICT_WARN;
}

static void set_worse(enum memphis_verdict *verdict, enum memphis_verdict other)
{
	if (other == MEMPHIS_VERDICT_FAIL || *verdict == MEMPHIS_VERDICT_OK)
		*verdict = other;
}

/*
 * Checks that memory is slower than the cache, and memory of other packages slower than memory of the CPU's
 * own node. Other memory is not compared with that of the own node: within a package, the difference may be
 * small, and a node without CPUs may have another kind of memory.
 */
static void judge_latency(const struct judge *judge)
{
	const struct memphis_plan *plan = &judge->observation->plan;
	struct memphis_selftest_row *row = add_row(judge, "latency", "");
	struct median cache = {0}, own = {0}, one;
	bool has_cache = false, has_own = false;
	const struct memphis_phase *phase;
	size_t i;

	if (!row)
		return;
	row->verdict = MEMPHIS_VERDICT_OK;
	memphis_text_put(&row->evidence, "median cycles (95 % CI)");
	for (i = 0; i < plan->phase_count; i++) {
		phase = &plan->phases[i];
		if (!is_phase_valid(phase) || judge->samples[i] < FEW_SAMPLES || !find_median(judge, i, &one))
			continue;
		memphis_text_print(&row->evidence, "%s %s: %u (%u to %u)", has_cache || has_own ? "," : ":",
				   phase->name, one.value, one.low, one.high);
		if (phase->place == MEMPHIS_PLACE_CACHE) {
			cache = one;
			has_cache = true;
			continue;
		}
		if (has_cache)
			set_worse(&row->verdict, judge_slower(&one, &cache));
		if (phase->place == MEMPHIS_PLACE_OWN_NODE) {
			own = one;
			has_own = true;
		} else if (has_own && phase->place == MEMPHIS_PLACE_OTHER_PACKAGE) {
			set_worse(&row->verdict, judge_slower(&one, &own));
		}
	}
	if (!has_cache || !has_own) {
		row->verdict = MEMPHIS_VERDICT_UNKNOWN;
		memphis_text_put(&row->remedy, "too few samples to judge: see the row samples");
	}
	set_remedy(
		row,
		"latencies do not increase from the cache to the own memory and to that of other packages: do not rely on min_latency and on latencies of reports");
}

/* ---- number of samples and balance of the accounting; instruction, address and home node of the samples ---- */

/* Minimum fraction of correct instructions, addresses and home nodes. The hardware is specified to report them exactly. */
#define LIMIT_EXACT 0.95

static uint64_t sum_filtered(const struct memphis_accounting *accounting)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < MEMPHIS_REASONS_MAX; i++)
		sum += accounting->filtered[i];
	return sum;
}

static enum memphis_verdict check_phase_samples(const struct judge *judge, struct memphis_selftest_row *row)
{
	const struct memphis_plan *plan = &judge->observation->plan;
	enum memphis_verdict verdict = MEMPHIS_VERDICT_OK;
	const struct memphis_phase *phase;
	double expected;
	size_t i;

	for (i = 0; i < plan->phase_count; i++) {
		phase = &plan->phases[i];
		if (!is_phase_valid(phase) || expected_loads(judge, phase) != EXPECT_ALL)
			continue;
		expected = (double)phase->loads / (double)judge->observation->period;
		memphis_text_print(&row->evidence, "; %s: %" PRIu64 " of about %.0f", phase->name,
				   judge->samples[i], expected);
		if (judge->samples[i] < FEW_SAMPLES)
			verdict = MEMPHIS_VERDICT_FAIL;
		else if ((double)judge->samples[i] < expected / 2 && verdict == MEMPHIS_VERDICT_OK)
			verdict = MEMPHIS_VERDICT_WARN;
	}
	return verdict;
}

/* Adds the row about the number of samples and the balance of the accounting. */
static void judge_samples(const struct judge *judge)
{
	const struct memphis_observation *observation = judge->observation;
	const struct memphis_accounting *accounting = &observation->accounting;
	const uint64_t filtered = sum_filtered(accounting);
	struct memphis_selftest_row *row = add_row(judge, "samples", "");

	if (!row)
		return;
	row->value = (double)observation->sample_count;
	memphis_text_print(&row->evidence,
			   "%" PRIu64 " interrupts = %" PRIu64 " kept + %" PRIu64 " lost + %" PRIu64
			   " filtered, %zu in the files",
			   (uint64_t)accounting->interrupts, (uint64_t)accounting->kept,
			   (uint64_t)accounting->lost, filtered, observation->sample_count);
	row->verdict = check_phase_samples(judge, row);
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
	set_remedy(
		row,
		"fewer samples than the period predicts: see dmesg, and whether another program uses perf (the NMI watchdog is one); the hardware may count other loads than expected");
}

/* ---- instruction, address and home node of each sample ---- */

static bool has_right_instruction(const struct memphis_observation *observation,
				  const struct memphis_sample *sample)
{
	return sample->pc == observation->pc;
}

static bool has_right_address(const struct memphis_observation *observation,
			      const struct memphis_sample *sample)
{
	const struct memphis_phase *phase = &observation->plan.phases[sample->region];

	return sample->address - phase->low < phase->bytes &&
	       (sample->address - phase->low) % MEMPHIS_SELFTEST_STRIDE == MEMPHIS_SELFTEST_OFFSET;
}

static bool has_right_home(const struct memphis_observation *observation, const struct memphis_sample *sample)
{
	return sample->home_node == observation->plan.phases[sample->region].node;
}

static bool is_of_valid_phase(const struct memphis_observation *observation,
			      const struct memphis_sample *sample)
{
	return sample->region < observation->plan.phase_count &&
	       is_phase_valid(&observation->plan.phases[sample->region]);
}

static const struct field {
	const char *check;
	bool (*is_right)(const struct memphis_observation *observation, const struct memphis_sample *sample);
	const char *what, *remedy;
} fields[] = {
	{"instruction", has_right_instruction, "exactly the load: ",
	 "the hardware reports another instruction than the one that made the access (skid): source lines may be wrong"},
	{"address", has_right_address, "the word that was loaded: ",
	 "the hardware reports other addresses than those of the accesses: names of variables would be wrong"},
	{"home", has_right_home, "the node that the page is bound to: ",
	 "the home nodes of the samples are wrong: please report it; was NUMA balancing on (memphis node)?"},
};

/* Appends how many samples have an instruction up to 15 bytes after the load instruction, and how many have another wrong one. */
static void put_skid(const struct judge *judge, struct memphis_selftest_row *row)
{
	const struct memphis_observation *observation = judge->observation;
	size_t i, after = 0, others = 0;
	int64_t distance;

	for (i = 0; i < observation->sample_count; i++) {
		if (!is_of_valid_phase(observation, &observation->samples[i]))
			continue;
		distance = (int64_t)(observation->samples[i].pc - observation->pc);
		after += distance > 0 && distance < 16;
		others += distance < 0 || distance >= 16;
	}
	if (after || others)
		memphis_text_print(&row->evidence, "; %zu within 15 bytes after it, %zu elsewhere", after,
				   others);
}

static void judge_field(const struct judge *judge, const struct field *field)
{
	const struct memphis_observation *observation = judge->observation;
	struct memphis_selftest_row *row = add_row(judge, field->check, "");
	uint64_t right = 0, all = 0;
	size_t i;

	if (!row)
		return;
	for (i = 0; i < observation->sample_count; i++) {
		if (!is_of_valid_phase(observation, &observation->samples[i]))
			continue;
		all++;
		right += field->is_right(observation, &observation->samples[i]);
	}
	memphis_text_put(&row->evidence, field->what);
	row->verdict = judge_share(row, right, all, LIMIT_EXACT);
	if (field->is_right == has_right_instruction)
		put_skid(judge, row);
	set_remedy(row, field->remedy);
}

static void judge_fields(const struct judge *judge)
{
	size_t i;

	for (i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		judge_field(judge, &fields[i]);
}

/* ---- data sources of samples; and for an event of loads by source, the buffers with its samples ---- */

/*
 * Minimum fraction of samples with the expected source. Prefetchers and other users of the memory may change
 * the source of a few loads.
 */
#define LIMIT_SOURCE 0.90

/* Appends the most frequent sources of the phase's samples, at most three. */
static void put_sources(const struct judge *judge, struct memphis_text *text, size_t phase)
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

static bool is_cache_source(unsigned int source)
{
	return source == MEMPHIS_SOURCE_L1 || source == MEMPHIS_SOURCE_L2 || source == MEMPHIS_SOURCE_L3 ||
	       source == MEMPHIS_SOURCE_FILL_BUFFER;
}

/* Returns true if source and flags of the sample match the place. Within a package, the hardware determines what is remote. */
static bool has_right_source(const struct memphis_sample *sample, enum memphis_phase_place place)
{
	const bool remote = sample->flags & MEMPHIS_FLAG_REMOTE, dram = sample->source == MEMPHIS_SOURCE_DRAM;

	switch (place) {
	case MEMPHIS_PLACE_CACHE:
		return is_cache_source(sample->source) && !remote;
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

static void judge_source(const struct judge *judge, size_t number)
{
	const struct memphis_observation *observation = judge->observation;
	const struct memphis_phase *phase = &observation->plan.phases[number];
	struct memphis_selftest_row *row = add_row(judge, "source", phase->name);
	const struct memphis_sample *sample;
	uint64_t right = 0, remote = 0;
	size_t i;

	if (!row)
		return;
	for (i = 0; i < observation->sample_count; i++) {
		sample = &observation->samples[i];
		if (sample->region != number)
			continue;
		right += has_right_source(sample, phase->place);
		remote += !!(sample->flags & MEMPHIS_FLAG_REMOTE);
	}
	memphis_text_put(&row->evidence, expected_sources[phase->place]);
	row->verdict = judge_share(row, right, judge->samples[number], LIMIT_SOURCE);
	put_sources(judge, &row->evidence, number);
	if (phase->place != MEMPHIS_PLACE_CACHE && judge->samples[number])
		memphis_text_print(&row->evidence, "; flagged remote: %.1f %%",
				   100 * (double)remote / (double)judge->samples[number]);
	if (phase->place == MEMPHIS_PLACE_OWN_PACKAGE)
		memphis_text_put(&row->evidence, ", which is information: the node is in the own package");
	set_remedy(
		row,
		"the hardware reports another source than the one that served these loads: selections by source would be wrong; a prefetcher that follows pointers could be a reason");
}

static void judge_sources(const struct judge *judge)
{
	size_t i;

	for (i = 0; i < judge->observation->plan.phase_count; i++)
		if (is_phase_valid(&judge->observation->plan.phases[i]))
			judge_source(judge, i);
}

static void judge_phases(const struct judge *judge)
{
	const struct memphis_observation *observation = judge->observation;
	const struct memphis_plan *plan = &observation->plan;
	struct memphis_selftest_row *row = add_row(judge, "source", "");
	const struct memphis_phase *phase;
	enum expectation expected;
	uint64_t right = 0, all = 0;
	struct memphis_text information = {0};
	size_t i;

	if (!row)
		return;
	for (i = 0; i < plan->phase_count; i++) {
		phase = &plan->phases[i];
		if (!is_phase_valid(phase))
			continue;
		expected = expected_loads(judge, phase);
		all += judge->samples[i];
		if (expected != EXPECT_NONE)
			right += judge->samples[i];
		if (expected == EXPECT_ANY)
			memphis_text_print(&information, "; information: %.0f %% of the loads from %s (%s)",
					   100 * (double)(judge->samples[i] * observation->period) /
						   (double)phase->loads,
					   phase->name, memphis_place_names[phase->place]);
	}
	memphis_text_put(&row->evidence, "in the buffers that the event is about: ");
	row->verdict = judge_share(row, right, all, LIMIT_SOURCE);
	memphis_text_put(&row->evidence, information.bytes ? information.text : "");
	memphis_text_close(&information);
	set_remedy(row, "the event samples other loads than its name says: do not use it on this CPU");
}

/* Appends a row about the phases that could not be carried out. */
static void add_left_out_row(const struct judge *judge)
{
	const struct memphis_plan *plan = &judge->observation->plan;
	struct memphis_selftest_row *row;
	size_t i;

	for (i = 0; i < plan->phase_count; i++) {
		if (is_phase_valid(&plan->phases[i]))
			continue;
		row = add_row(judge, "memory", plan->phases[i].name);
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
	struct judge judge = {.rows = rows,
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
		expects_samples |= is_phase_valid(&plan->phases[i]) &&
				   expected_loads(&judge, &plan->phases[i]) == EXPECT_ALL;
	add_left_out_row(&judge);
	judge_samples(&judge);
	/* Judge the fields of samples only if some phase must have produced samples. */
	if (expects_samples)
		judge_fields(&judge);
	if (by_source) {
		if (expects_samples)
			judge_phases(&judge);
		judge_count(&judge);
	} else {
		judge_sources(&judge);
		judge_latency(&judge);
	}
	if (observation->has_count)
		judge_period(&judge);
}
