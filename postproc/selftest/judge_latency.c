// SPDX-License-Identifier: BSD-3-Clause
/* Judges the order of the median latencies. */
#include <math.h>
#include <stdlib.h>

#include "selftest/judge.h"

struct median {
	unsigned int value, low, high;
};

static int by_value(const void *a, const void *b)
{
	return *(const uint16_t *)a - *(const uint16_t *)b;
}

/*
 * Returns the median latency of the phase, and the interval between the order statistics that enclose it with a confidence of
 * 95 % (normal approximation of the binomial distribution). Returns false if memory is exhausted.
 */
static bool find_median(const struct memphis_judge *judge, size_t phase, struct median *median)
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
	qsort(values, used, sizeof(*values), by_value);
	median->value = values[used / 2];
	median->low = values[(size_t)fmax(0, floor((double)used / 2 - reach))];
	median->high = values[(size_t)fmin((double)used - 1, ceil((double)used / 2 + reach))];
	free(values);
	return true;
}

/* Verdict on the statement that the latency of `slow` is higher than that of `fast`. */
static enum memphis_verdict is_slower(const struct median *slow, const struct median *fast)
{
	return slow->low > fast->high    ? MEMPHIS_VERDICT_OK
	       : slow->high <= fast->low ? MEMPHIS_VERDICT_FAIL
					 : MEMPHIS_VERDICT_WARN;
}

static void worsen(enum memphis_verdict *verdict, enum memphis_verdict other)
{
	if (other == MEMPHIS_VERDICT_FAIL || *verdict == MEMPHIS_VERDICT_OK)
		*verdict = other;
}

/*
 * Memory must be slower than the cache, and memory of other packages slower than that of the own node. Within a package the difference may
 * be small, and memory of a node without CPUs may be of another kind: these are information.
 */
void memphis_judge_latency(const struct memphis_judge *judge)
{
	const struct memphis_plan *plan = &judge->observation->plan;
	struct memphis_selftest_row *row = memphis_judge_row(judge, "latency", "");
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
		if (!memphis_judge_is_good(phase) || judge->samples[i] < MEMPHIS_FEW_SAMPLES ||
		    !find_median(judge, i, &one))
			continue;
		memphis_text_print(&row->evidence, "%s %s: %u (%u to %u)", has_cache || has_own ? "," : ":",
				   phase->name, one.value, one.low, one.high);
		if (phase->place == MEMPHIS_PLACE_CACHE) {
			cache = one;
			has_cache = true;
			continue;
		}
		if (has_cache)
			worsen(&row->verdict, is_slower(&one, &cache));
		if (phase->place == MEMPHIS_PLACE_OWN_NODE) {
			own = one;
			has_own = true;
		} else if (has_own && phase->place == MEMPHIS_PLACE_OTHER_PACKAGE) {
			worsen(&row->verdict, is_slower(&one, &own));
		}
	}
	if (!has_cache || !has_own) {
		row->verdict = MEMPHIS_VERDICT_UNKNOWN;
		memphis_text_put(&row->remedy, "too few samples to judge: see the row samples");
	}
	memphis_judge_remedy(
		row,
		"latencies do not increase from the cache to the own memory and to that of other packages: do not rely on min_latency and on latencies of reports");
}
