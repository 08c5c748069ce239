// SPDX-License-Identifier: BSD-3-Clause
/* Combines the evidence of all processes into findings, and keeps the significant ones. */
#include "diagnose/diagnosis.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "diagnose/causes.h"
#include "diagnose/crowded.h"
#include "diagnose/finding_text.h"
#include "profile/reasons.h"

struct diagnosis {
	struct memphis_findings *findings;
	const struct memphis_rows *rows;
	const struct memphis_profile *profile;
	uint64_t samples; /* number of samples that were read from the files, selected or not */
	uint64_t one_in;  /* the largest N of any evidence for which one in N samples was examined */
	uint64_t populations[MEMPHIS_POPULATIONS]; /* number of samples by enum memphis_population */
	/* By cell of the profile: a finding about placement already includes the waiting of its remote loads. */
	bool *claimed;
};

static bool is_same_line(const struct memphis_profile *profile, uint32_t a, uint32_t b)
{
	const struct memphis_profile_frame *x = memphis_program_frame(profile, a),
					   *y = memphis_program_frame(profile, b);

	return x->path == y->path && x->line == y->line;
}

/*
 * Counts the samples of each population in the selected processes, regions and nodes, whatever kind of samples is
 * selected. The totals contain only samples of the selected regions, so regions are not tested here.
 */
static void count_populations(struct diagnosis *diagnosis)
{
	const struct memphis_selection *selection = diagnosis->rows->view->selection;
	const struct memphis_profile *profile = diagnosis->profile;
	const struct memphis_total *total, *end = profile->totals.list + profile->totals.count;
	unsigned int kind;

	for (total = profile->totals.list; total < end; total++) {
		if (!memphis_selection_has(selection, &profile->processes.list[total->process]) ||
		    (selection->node >= 0 && total->access.node != selection->node))
			continue;
		for (kind = 0; kind < MEMPHIS_POPULATIONS; kind++)
			if (memphis_population_has(kind, &total->access))
				diagnosis->populations[kind] += total->measure.count;
	}
}

static void count_samples(struct diagnosis *diagnosis)
{
	const struct memphis_profile *profile = diagnosis->profile;
	const struct memphis_process *process;
	size_t i;

	for (process = profile->processes.list; process < profile->processes.list + profile->processes.count;
	     process++)
		for (i = 0; i < process->thread_count; i++)
			diagnosis->samples += process->threads[i].read;
}

static bool is_placement(const struct memphis_finding *finding)
{
	return memphis_patterns[finding->pattern].among == MEMPHIS_REMOTE_LOADS;
}

static bool has_one_home(const struct memphis_finding *finding)
{
	return finding->pattern == MEMPHIS_PATTERN_FIRST_TOUCH ||
	       finding->pattern == MEMPHIS_PATTERN_READ_SHARED ||
	       finding->pattern == MEMPHIS_PATTERN_UNDECIDED;
}

/*
 * Adds the waiting times of the finding's cells to `waits`. A cell counts for at most one finding about placement. The
 * gains of these findings can therefore be added, and their sum is at most what local memory would save in total.
 */
static void sum_waits(const struct diagnosis *diagnosis, const struct memphis_finding *finding,
		      struct memphis_waits *waits)
{
	const struct memphis_profile *profile = diagnosis->profile;
	const bool of_line = memphis_patterns[finding->pattern].of_line, placement = is_placement(finding);
	const struct memphis_cell *cell;
	size_t i;

	for (i = 0; i < profile->cell_count; i++) {
		cell = &profile->cells[i];
		if (diagnosis->findings->exact[cell->key.variable] != finding->variable ||
		    (placement && diagnosis->claimed[i]) ||
		    (of_line && !is_same_line(profile, cell->key.instruction, finding->instruction)) ||
		    !memphis_profile_takes(profile, diagnosis->rows->view->selection, cell))
			continue;
		memphis_waits_add_cell(waits, &diagnosis->rows->waiting, cell);
		diagnosis->claimed[i] |= placement;
	}
}

/*
 * Returns whether the selection includes most loads of the population that wait for data. In the population of loads
 * that fetched a line, these are loads from local memory. If the selection includes only some of them, the gain is
 * unknown.
 */
static bool selects_most_of(const struct memphis_selection *selection, enum memphis_population population)
{
	const uint16_t node = selection->node < 0 ? 0 : (uint16_t)selection->node;
	const struct memphis_access most[MEMPHIS_POPULATIONS] = {
		[MEMPHIS_REMOTE_LOADS] = {.source = MEMPHIS_SOURCE_DRAM,
					  .flags = MEMPHIS_FLAG_LOAD | MEMPHIS_FLAG_REMOTE,
					  .node = node,
					  .home = node + 1},
		[MEMPHIS_MODIFIED_LOADS] = {.source = MEMPHIS_SOURCE_PEER_CACHE,
					    .flags = MEMPHIS_FLAG_LOAD | MEMPHIS_FLAG_HITM,
					    .node = node,
					    .home = node},
		[MEMPHIS_FETCHES] = {.source = MEMPHIS_SOURCE_DRAM,
				     .flags = MEMPHIS_FLAG_LOAD,
				     .node = node,
				     .home = node},
	};

	return memphis_selection_takes(selection, &most[population]);
}

/*
 * Estimates how many cycles a fix would save (the gain), from the waiting of the selected samples of the finding's
 * variables. What is saved depends on the pattern:
 * - placement: remote loads become local loads,
 * - sharing: loads no longer wait for lines from other caches,
 * - strides: if each line is used completely, fewer lines are fetched.
 */
static void estimate_gain(const struct diagnosis *diagnosis, struct memphis_finding *finding,
			  const struct memphis_waits *sum)
{
	const struct memphis_waiting *waiting = &diagnosis->rows->waiting;
	const double unread = 1 - finding->read_bytes.value / MEMPHIS_CACHE_LINE;
	struct memphis_waits waits = *sum, shared = {.spread = 0};

	switch (memphis_patterns[finding->pattern].among) {
	case MEMPHIS_FETCHES:
		finding->gain_known = memphis_waits_count(&waits) > 0;
		finding->gain = memphis_waited(waiting, &waits);
		finding->gain.value *= unread;
		finding->gain.low *= unread;
		finding->gain.high *= unread;
		break;
	case MEMPHIS_MODIFIED_LOADS:
		shared.sources[MEMPHIS_WAIT_PEER_CACHE] = waits.sources[MEMPHIS_WAIT_PEER_CACHE];
		shared.sources[MEMPHIS_WAIT_REMOTE_CACHE] = waits.sources[MEMPHIS_WAIT_REMOTE_CACHE];
		finding->gain_known = memphis_waits_count(&shared) > 0;
		finding->gain = memphis_waited(waiting, &shared);
		break;
	default:
		finding->gain_known = memphis_gain_is_known(&waits);
		finding->gain = memphis_gain(waiting, &waits);
	}
	finding->gain_known &=
		selects_most_of(diagnosis->rows->view->selection, memphis_patterns[finding->pattern].among);
	/* The lower limit assumes that all samples that may belong to another variable do. */
	finding->gain.low *= memphis_finding_certainty(finding);
}

/*
 * Estimates the gains of the findings that are kept. Each sample counts for only one finding about placement. Findings
 * about its source line come first, and those about its whole variable second. places[i] is the index of cause i in
 * the list of findings, or MEMPHIS_NONE.
 */
static int estimate_gains(struct diagnosis *diagnosis, const struct memphis_merged *merged,
			  const struct memphis_causes *causes, const uint32_t *places)
{
	struct memphis_findings *findings = diagnosis->findings;
	struct memphis_waits *waits = calloc(findings->count + 1, sizeof(*waits));
	const struct memphis_finding *finding;
	unsigned int whole;
	uint32_t place;
	size_t i;

	diagnosis->claimed = calloc(diagnosis->profile->cell_count + 1, sizeof(*diagnosis->claimed));
	if (diagnosis->claimed && waits) {
		for (whole = 0; whole < 2; whole++)
			for (finding = merged->list; finding < merged->list + merged->count; finding++) {
				place = places[causes->of[finding->number]];
				if (place != MEMPHIS_NONE &&
				    memphis_patterns[finding->pattern].of_line != whole)
					sum_waits(diagnosis, finding, &waits[place]);
			}
		for (i = 0; i < findings->count; i++) {
			estimate_gain(diagnosis, &findings->list[i], &waits[i]);
			if (has_one_home(&findings->list[i]))
				memphis_finding_crowd(&findings->list[i], diagnosis->rows);
		}
	}
	free(waits);
	free(diagnosis->claimed);
	return diagnosis->claimed && waits ? 0 : -ENOMEM;
}

static double known_gain(const struct memphis_finding *finding)
{
	return finding->gain_known ? finding->gain.value : 0;
}

static int compare_findings(const void *a, const void *b)
{
	const struct memphis_finding *x = a, *y = b;
	const bool x_strided = memphis_patterns[x->pattern].among == MEMPHIS_FETCHES,
		   y_strided = memphis_patterns[y->pattern].among == MEMPHIS_FETCHES;

	/*
	 * Placement comes before strides, because it determines which thread should run a loop. The order of the loop
	 * is the next question.
	 */
	if (x_strided != y_strided)
		return x_strided ? 1 : -1;
	return memphis_order(known_gain(y), known_gain(x)) ?:
	       memphis_order(y->samples, x->samples) ?:
	       memphis_order(x->variable, y->variable) ?:
	       memphis_order(x->pattern, y->pattern) ?:
	       memphis_order(x->instruction, y->instruction);
}

/*
 * Returns the share of `part` in `whole`. Both numbers are extrapolated, so the confidence interval is computed from
 * the number of samples that were really examined. `part` may exceed `whole`.
 */
static struct memphis_share examined_share(uint64_t part, uint64_t whole, uint64_t one_in)
{
	if (whole < part)
		whole = part;
	return memphis_share_of(part / one_in, whole / one_in);
}

/* Sets the share of the finding in its population. Returns whether the finding is significant. */
static bool is_significant(const struct diagnosis *diagnosis, struct memphis_finding *finding)
{
	const uint64_t one_in = diagnosis->one_in;
	const uint64_t population = diagnosis->populations[memphis_patterns[finding->pattern].among],
		       certain = (uint64_t)((double)finding->samples * memphis_finding_certainty(finding));

	finding->share = examined_share(finding->samples, population, one_in);
	finding->share.low = examined_share(certain, population, one_in).low;
	return finding->samples >= MEMPHIS_FINDING_SAMPLES * finding->one_in &&
	       finding->share.low >= MEMPHIS_FINDING_SHARE &&
	       examined_share(finding->samples, diagnosis->samples, one_in).low >= MEMPHIS_FINDING_OF_ALL;
}

static bool is_significant_sum(const void *context, const struct memphis_finding *sum)
{
	struct memphis_finding finding = *sum;

	return is_significant(context, &finding);
}

/* A process that shows the pattern of a finding. */
struct witness {
	uint32_t finding, process;
};

static int compare_witnesses(const void *a, const void *b)
{
	const struct witness *x = a, *y = b;

	return memphis_order(x->finding, y->finding) ?: memphis_order(x->process, y->process);
}

/*
 * Sets the number of processes of each finding. A process counts once, even if it shows the pattern in several
 * variables. If evidence represents several processes (condense.h), the number is a lower limit.
 */
static int count_processes(struct diagnosis *diagnosis)
{
	const struct memphis_profile *profile = diagnosis->profile;
	struct memphis_findings *findings = diagnosis->findings;
	struct witness *witnesses = calloc(profile->evidence_count + 1, sizeof(*witnesses));
	uint32_t *counts = calloc(findings->count + 1, sizeof(*counts));
	size_t count = 0, i;

	for (i = 0; witnesses && i < profile->evidence_count; i++)
		if (findings->of[i] != MEMPHIS_NONE)
			witnesses[count++] = (struct witness){findings->of[i], profile->evidence[i].process};
	memphis_sort(witnesses, count, compare_witnesses);
	for (i = 0; counts && i < count; i++)
		counts[witnesses[i].finding] += !i || compare_witnesses(&witnesses[i - 1], &witnesses[i]);
	for (i = 0; counts && i < findings->count; i++)
		if (counts[i] > findings->list[i].processes)
			findings->list[i].processes = counts[i];
	i = counts && witnesses;
	free(witnesses);
	free(counts);
	return i ? 0 : -ENOMEM;
}

/* Sorts the findings, and sets findings->of to the finding of each element of the evidence. Returns 0 or -ENOMEM. */
static int sort_findings(struct diagnosis *diagnosis, const struct memphis_merged *merged,
			 const struct memphis_causes *causes, uint32_t *places)
{
	struct memphis_findings *findings = diagnosis->findings;
	uint32_t i;

	memphis_sort(findings->list, findings->count, compare_findings);
	for (i = 0; i < causes->count; i++)
		places[i] = MEMPHIS_NONE;
	for (i = 0; i < findings->count; i++)
		places[findings->list[i].number] = i;
	for (i = 0; i < diagnosis->profile->evidence_count; i++)
		findings->of[i] = places[causes->of[merged->of[i]]];
	return count_processes(diagnosis);
}

/* Keeps the significant causes as findings, sorts them, and writes their sentences. Returns 0 or -ENOMEM. */
static int keep_significant(struct diagnosis *diagnosis, const struct memphis_merged *merged,
			    struct memphis_causes *causes)
{
	struct memphis_findings *findings = diagnosis->findings;
	uint32_t *places = malloc((causes->count + 1) * sizeof(*places));
	size_t i;
	int rc = -ENOMEM;

	findings->list = calloc(causes->count + 1, sizeof(*findings->list));
	findings->strides = calloc(causes->count + 1, sizeof(*findings->strides));
	findings->of = calloc(diagnosis->profile->evidence_count + 1, sizeof(*findings->of));
	findings->parts = causes->parts;
	causes->parts = NULL;
	if (places && findings->list && findings->strides && findings->of) {
		for (i = 0; i < causes->count; i++) {
			places[i] = MEMPHIS_NONE;
			findings->list[findings->count] = causes->list[i];
			if (is_significant(diagnosis, &findings->list[findings->count]))
				places[i] = (uint32_t)findings->count++;
		}
		rc = estimate_gains(diagnosis, merged, causes, places);
		findings->count = memphis_causes_join_strides(findings->list, findings->count,
							      diagnosis->profile, findings->strides);
		if (!rc)
			rc = sort_findings(diagnosis, merged, causes, places);
	}
	free(places);
	for (i = 0; !rc && i < findings->count; i++)
		rc = memphis_finding_word(&findings->list[i], diagnosis->profile);
	return rc;
}

/* A variable, with its name without the sign "~" of an estimate. */
struct candidate {
	const struct memphis_variable *variable;
	const char *name;
	bool is_exact;
	uint32_t index;
};

/*
 * Compares two variables, but ignores whether they are estimated. An exact variable and its estimated counterpart are
 * equal. The counterpart has the samples of the same variable that are outside recorded blocks.
 */
static int compare_identities(const struct candidate *a, const struct candidate *b)
{
	const struct memphis_variable *x = a->variable, *y = b->variable;

	return memphis_order(x->segment, y->segment)
		       ?: memphis_order(x->qualified, y->qualified)
				  ?: memphis_order(x->site, y->site)
					     ?: memphis_order(x->object, y->object)
							?: memphis_order(x->declared, y->declared)
								   ?: memphis_order(x->unit, y->unit)
									      ?: strcmp(a->name, b->name);
}

static int compare_candidates(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;

	return compare_identities(a, b) ?: memphis_order(a->is_exact, b->is_exact) ?: memphis_order(b->index, a->index);
}

/* Lists all variables, sorted by identity. If a variable is both exact and estimated, the estimated one comes first. */
static void sort_candidates(struct candidate *list, const struct memphis_profile *profile)
{
	size_t i;

	for (i = 0; i < profile->variable_count; i++) {
		const struct memphis_variable *variable = &profile->variables[i];
		const char *name = memphis_profile_text(profile, variable->name);
		const char *how = memphis_profile_text(profile, variable->how);

		list[i] = (struct candidate){variable, name + (*name == '~'),
					     memphis_how_of(how) != MEMPHIS_HOW_ESTIMATED, (uint32_t)i};
	}
	memphis_sort(list, profile->variable_count, compare_candidates);
}

/* Maps each estimated variable to its exact counterpart, because a finding is about exact and estimated samples together. */
static int map_estimates_to_exact(struct diagnosis *diagnosis)
{
	const struct memphis_profile *profile = diagnosis->profile;
	size_t count = profile->variable_count, i;
	struct candidate *list = malloc((count + 1) * sizeof(*list));
	uint32_t *exact = malloc((count + 1) * sizeof(*exact));

	diagnosis->findings->exact = exact;
	if (!list || !exact) {
		free(list);
		return -ENOMEM;
	}
	sort_candidates(list, profile);
	/* The loop runs backwards, because the exact variable follows the estimated one in the list and must be set first. */
	for (i = count; i-- > 0;) {
		bool is_same =
			i + 1 < count && !list[i].is_exact && !compare_identities(&list[i], &list[i + 1]);

		exact[list[i].index] = is_same ? exact[list[i + 1].index] : list[i].index;
	}
	free(list);
	return 0;
}

int memphis_diagnose(struct memphis_findings *findings, const struct memphis_rows *rows)
{
	struct diagnosis diagnosis = {.findings = findings, .rows = rows, .profile = rows->profile};
	struct memphis_merged merged = {.count = 0};
	struct memphis_causes causes = {.count = 0};
	int rc;

	memset(findings, 0, sizeof(*findings));
	rc = map_estimates_to_exact(&diagnosis);
	count_samples(&diagnosis);
	count_populations(&diagnosis);
	if (!rc)
		rc = memphis_merged_make(&merged, rows->profile);
	diagnosis.one_in = merged.one_in;
	if (!rc)
		rc = memphis_causes_make(&causes, rows->profile, &merged, is_significant_sum, &diagnosis);
	if (!rc)
		rc = keep_significant(&diagnosis, &merged, &causes);
	memphis_causes_close(&causes);
	memphis_merged_close(&merged);
	return rc;
}

void memphis_findings_close(struct memphis_findings *findings)
{
	size_t i;

	for (i = 0; i < findings->count; i++) {
		free(findings->list[i].sentence);
		free(findings->list[i].advice);
	}
	free(findings->list);
	free(findings->parts);
	free(findings->strides);
	free(findings->of);
	free(findings->exact);
	memset(findings, 0, sizeof(*findings));
}
