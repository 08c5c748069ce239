// SPDX-License-Identifier: BSD-3-Clause
#include "diagnose/merged.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "diagnose/undecided.h"

/* A process that shows the pattern of a finding. */
struct witness {
	uint32_t process, finding;
};

struct merging {
	struct memphis_merged *merged;
	const struct memphis_profile *profile;
	struct witness *witnesses; /* one per element of the evidence, sorted */
	uint64_t *samples;         /* extrapolated number of samples, by finding */
};

static bool is_same_line(const struct memphis_profile *profile, uint32_t a, uint32_t b)
{
	const struct memphis_profile_frame *x = memphis_program_frame(profile, a),
					   *y = memphis_program_frame(profile, b);

	return x->path == y->path && x->line == y->line;
}

/*
 * Returns whether two elements of the evidence belong to the same finding. Patterns of a source line, such as strides
 * and serial phases, must be at the same line. All other patterns are properties of a variable.
 */
static bool is_same_pattern(const struct memphis_profile *profile, const struct memphis_finding *a,
			    const struct memphis_finding *b)
{
	return a->pattern == b->pattern && a->variable == b->variable &&
	       (!memphis_patterns[a->pattern].of_line ||
		is_same_line(profile, a->instruction, b->instruction));
}

static uint64_t extrapolate_samples(const struct memphis_finding *evidence)
{
	return evidence->samples * evidence->one_in;
}

/*
 * Creates a finding for each pattern and variable (and source line, if the pattern has one), and sets merged->of for
 * each element of the evidence. Does not compute sums yet. Returns 0 or -ENOMEM.
 */
static int group_evidence(struct merging *merging)
{
	struct memphis_merged *merged = merging->merged;
	const struct memphis_profile *profile = merging->profile;
	struct memphis_finding *finding;
	size_t i, j;

	for (i = 0; i < profile->evidence_count; i++) {
		for (j = 0; j < merged->count; j++)
			if (is_same_pattern(profile, &merged->list[j], &profile->evidence[i]))
				break;
		merged->of[i] = (uint32_t)j;
		if (j < merged->count)
			continue;
		finding = memphis_append(merged->list, merged->count, merged->room);
		if (!finding)
			return -ENOMEM;
		*finding = profile->evidence[i];
	}
	return 0;
}

static bool is_placement(const struct memphis_finding *finding)
{
	return memphis_patterns[finding->pattern].among == MEMPHIS_REMOTE_LOADS;
}

/* Returns the finding about the variable's placement that has the most samples in all processes together. */
static uint32_t strongest_placement(const struct merging *merging, uint32_t variable)
{
	const struct memphis_merged *merged = merging->merged;
	uint32_t best = MEMPHIS_NONE, i;

	for (i = 0; i < merged->count; i++)
		if (merged->list[i].variable == variable && is_placement(&merged->list[i]) &&
		    (best == MEMPHIS_NONE || merging->samples[i] > merging->samples[best]))
			best = i;
	return best;
}

static int compare_witnesses(const void *a, const void *b)
{
	const struct witness *x = a, *y = b;

	return memphis_order(x->process, y->process) ?: memphis_order(x->finding, y->finding);
}

/*
 * Assigns weak evidence of a process to the variable's pattern with the most samples, unless the process also shows
 * this pattern itself. If many processes have few samples each, some of them show another pattern than the majority
 * only by chance.
 */
static void follow_majority(struct merging *merging)
{
	const struct memphis_profile *profile = merging->profile;
	const struct memphis_finding *evidence;
	struct memphis_merged *merged = merging->merged;
	struct witness witness;
	size_t i;

	for (i = 0; i < profile->evidence_count; i++) {
		evidence = &profile->evidence[i];
		merging->samples[merged->of[i]] += extrapolate_samples(evidence) + evidence->others;
		merging->witnesses[i] = (struct witness){evidence->process, merged->of[i]};
	}
	memphis_sort(merging->witnesses, profile->evidence_count, compare_witnesses);
	for (i = 0; i < profile->evidence_count; i++) {
		evidence = &profile->evidence[i];
		if (!is_placement(evidence) || evidence->samples >= MEMPHIS_FINDING_SAMPLES)
			continue;
		witness =
			(struct witness){evidence->process, strongest_placement(merging, evidence->variable)};
		if (!bsearch(&witness, merging->witnesses, profile->evidence_count, sizeof(witness),
			     compare_witnesses))
			merged->of[i] = witness.finding;
	}
}

/* Adds the numbers of the evidence to the sum. Takes all other members from the process with the most samples. */
static void add_evidence(const struct memphis_profile *profile, struct memphis_finding *sum,
			 const struct memphis_finding *evidence)
{
	const struct memphis_finding before = *sum;
	const uint64_t samples = extrapolate_samples(evidence);

	if (samples > before.worst && is_same_pattern(profile, sum, evidence)) {
		*sum = *evidence;
		sum->worst = samples;
	}
	sum->samples = before.samples + samples + evidence->others;
	sum->apart_odds = before.apart_odds + evidence->apart_odds;
	sum->read_odds = before.read_odds + evidence->read_odds;
	sum->doubt_ppm =
		before.doubt_ppm + evidence->doubt_ppm * evidence->one_in + evidence->others_doubt_ppm;
	sum->processes = before.processes + evidence->processes - 1;
	sum->number = before.number;
	sum->one_in = before.one_in;
	if (evidence->one_in > sum->one_in)
		sum->one_in = evidence->one_in;
	if (evidence->others_one_in > sum->one_in)
		sum->one_in = evidence->others_one_in;
}

/*
 * Sums the evidence of each finding. Counts each of its processes once, including the other processes that condensed
 * evidence represents.
 */
static void sum_evidence(struct merging *merging)
{
	const struct memphis_profile *profile = merging->profile;
	struct witness *witnesses = merging->witnesses;
	struct memphis_merged *merged = merging->merged;
	struct memphis_finding *finding;
	size_t i;

	for (finding = merged->list; finding < merged->list + merged->count; finding++) {
		finding->samples = finding->doubt_ppm = finding->worst = finding->processes = 0;
		finding->apart_odds = finding->read_odds = 0;
		finding->one_in = 1;
		finding->number = (uint32_t)(finding - merged->list);
	}
	for (i = 0; i < profile->evidence_count; i++) {
		finding = &merged->list[merged->of[i]];
		add_evidence(profile, finding, &profile->evidence[i]);
		if (finding->one_in > merged->one_in)
			merged->one_in = finding->one_in;
		witnesses[i] = (struct witness){profile->evidence[i].process, merged->of[i]};
	}
	memphis_sort(witnesses, profile->evidence_count, compare_witnesses);
	for (i = 0; i < profile->evidence_count; i++)
		if (!i || compare_witnesses(&witnesses[i - 1], &witnesses[i]))
			merged->list[witnesses[i].finding].processes++;
}

int memphis_merged_make(struct memphis_merged *merged, const struct memphis_profile *profile)
{
	struct merging merging = {.merged = merged, .profile = profile};
	size_t i;
	int rc = 0;

	*merged = (struct memphis_merged){.one_in = 1};
	merged->of = calloc(profile->evidence_count + 1, sizeof(*merged->of));
	merging.witnesses = calloc(profile->evidence_count + 1, sizeof(*merging.witnesses));
	merging.samples = calloc(profile->evidence_count + 1, sizeof(*merging.samples));
	if (!merged->of || !merging.witnesses || !merging.samples)
		rc = -ENOMEM;
	if (!rc)
		rc = group_evidence(&merging);
	if (!rc) {
		follow_majority(&merging);
		sum_evidence(&merging);
		for (i = 0; i < merged->count; i++)
			memphis_finding_decide(&merged->list[i]);
	}
	free(merging.witnesses);
	free(merging.samples);
	return rc;
}

void memphis_merged_close(struct memphis_merged *merged)
{
	free(merged->list);
	free(merged->of);
	memset(merged, 0, sizeof(*merged));
}
