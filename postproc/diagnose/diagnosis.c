// SPDX-License-Identifier: BSD-3-Clause
/* Combines the evidence of all processes into findings, and keeps the significant ones. */
#include "diagnose/diagnosis.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "diagnose/finding_text.h"
#include "profile/reasons.h"

struct diagnosis {
	struct memphis_findings *findings;
	const struct memphis_rows *rows;
	const struct memphis_profile *profile;
	uint64_t samples;                          /* number of samples in the files, selected or not */
	uint64_t populations[MEMPHIS_POPULATIONS]; /* number of samples by enum memphis_population */
	/* By cell: whether its remote loads are those of a finding about placement that was weighed before. */
	bool *claimed;
	uint32_t *exact; /* by variable: the row of which it has the estimated samples, or itself */
};

static bool is_same_line(const struct memphis_profile *profile, uint32_t a, uint32_t b)
{
	const struct memphis_profile_frame *x = memphis_program_frame(profile, a),
					   *y = memphis_program_frame(profile, b);

	return x->path == y->path && x->line == y->line;
}

/* Strides and serial phases are properties of the source line; every other pattern is one of the variable. */
static bool is_same(const struct memphis_profile *profile, const struct memphis_finding *a,
		    const struct memphis_finding *b)
{
	return a->pattern == b->pattern && a->variable == b->variable &&
	       (!memphis_patterns[a->pattern].of_line ||
		is_same_line(profile, a->instruction, b->instruction));
}

bool memphis_finding_has(const struct memphis_profile *profile, const struct memphis_finding *finding,
			 const struct memphis_finding *evidence)
{
	return is_same(profile, finding, evidence);
}

/* Returns N if one in N samples was read of the process with the fewest samples read. */
static uint64_t most_one_in(const struct memphis_finding *evidence)
{
	return evidence->one_in > evidence->others_one_in ? evidence->one_in : evidence->others_one_in;
}

/* Merges evidence of the same pattern and variable from several processes; details are those of the process with most samples. */
static int add_finding(struct memphis_findings *findings, const struct memphis_profile *profile,
		       const struct memphis_finding *evidence)
{
	const uint64_t samples = evidence->samples * evidence->one_in;
	struct memphis_finding *finding, before;
	size_t i;

	for (i = 0; i < findings->count; i++) {
		finding = &findings->list[i];
		if (!is_same(profile, finding, evidence))
			continue;
		before = *finding;
		if (samples > before.worst) {
			*finding = *evidence;
			finding->worst = samples;
		}
		finding->samples = before.samples + samples + evidence->others;
		finding->doubt_ppm = before.doubt_ppm + evidence->doubt_ppm * evidence->one_in +
				     evidence->others_doubt_ppm;
		finding->processes = before.processes + evidence->processes;
		finding->one_in =
			before.one_in > most_one_in(evidence) ? before.one_in : most_one_in(evidence);
		return 0;
	}
	finding = memphis_append(findings->list, findings->count, findings->room);
	if (!finding)
		return -ENOMEM;
	*finding = *evidence;
	finding->samples = samples + evidence->others;
	finding->doubt_ppm = evidence->doubt_ppm * evidence->one_in + evidence->others_doubt_ppm;
	finding->worst = samples;
	finding->one_in = most_one_in(evidence);
	return 0;
}

/* Counts the samples of the selected processes, regions and nodes, of whatever kind. */
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

/* Returns the largest N of any finding for which one in N samples was examined. In some processes more samples were examined. */
static uint64_t largest_one_in(const struct memphis_findings *findings)
{
	uint64_t one_in = 1;
	size_t i;

	for (i = 0; i < findings->count; i++)
		if (findings->list[i].one_in > one_in)
			one_in = findings->list[i].one_in;
	return one_in;
}

static bool is_placement(const struct memphis_finding *finding)
{
	return memphis_patterns[finding->pattern].among == MEMPHIS_REMOTE_LOADS;
}

/* Sums what the taken cells of the finding's variable waited for. Of placement, each cell belongs to one finding, so that gains may be added. */
static void sum_waits(const struct diagnosis *diagnosis, const struct memphis_finding *finding,
		      struct memphis_waits *waits)
{
	const struct memphis_profile *profile = diagnosis->profile;
	const bool of_line = memphis_patterns[finding->pattern].of_line, placement = is_placement(finding);
	const struct memphis_cell *cell;
	size_t i;

	for (i = 0; i < profile->cell_count; i++) {
		cell = &profile->cells[i];
		if (diagnosis->exact[cell->key.variable] != finding->variable ||
		    (placement && diagnosis->claimed[i]) ||
		    (of_line && !is_same_line(profile, cell->key.instruction, finding->instruction)) ||
		    !memphis_profile_takes(profile, diagnosis->rows->view->selection, cell))
			continue;
		memphis_waits_add_cell(waits, &diagnosis->rows->waiting, cell);
		diagnosis->claimed[i] |= placement;
	}
}

/*
 * Estimates what the finding costs, from the selected samples of its variable. Pages on the right node turn loads from remote memory into
 * local ones; lines that are not shared are not fetched from other caches; with full use of each line, fewer lines are fetched.
 */
static void find_gain(const struct diagnosis *diagnosis, struct memphis_finding *finding)
{
	const struct memphis_waiting *waiting = &diagnosis->rows->waiting;
	const double unread = 1 - finding->read_bytes.value / MEMPHIS_CACHE_LINE;
	struct memphis_waits waits = {.spread = 0}, shared = {.spread = 0};

	sum_waits(diagnosis, finding, &waits);
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
	/* At worst, all samples that may be of another variable are. */
	finding->gain.low *= memphis_finding_certainty(finding);
}

/* Weighs the findings of a source line before those of the whole variable, which have the rest. */
static int find_gains(struct diagnosis *diagnosis)
{
	struct memphis_findings *findings = diagnosis->findings;
	unsigned int whole;
	size_t i;

	diagnosis->claimed = calloc(diagnosis->profile->cell_count + 1, sizeof(*diagnosis->claimed));
	if (!diagnosis->claimed)
		return -ENOMEM;
	for (whole = 0; whole < 2; whole++)
		for (i = 0; i < findings->count; i++)
			if (memphis_patterns[findings->list[i].pattern].of_line != whole)
				find_gain(diagnosis, &findings->list[i]);
	free(diagnosis->claimed);
	return 0;
}

static double gain_of(const struct memphis_finding *finding)
{
	return finding->gain_known ? finding->gain.value : 0;
}

static int compare_findings(const void *a, const void *b)
{
	const struct memphis_finding *x = a, *y = b;
	const bool x_strided = x->pattern == MEMPHIS_PATTERN_STRIDED,
		   y_strided = y->pattern == MEMPHIS_PATTERN_STRIDED;

	/*
	 * Where memory lies and who uses it is more important than strides: it decides which thread should run a loop, before the order of
	 * the loop.
	 */
	if (x_strided != y_strided)
		return x_strided ? 1 : -1;
	return memphis_order(gain_of(y), gain_of(x)) ?:
	       memphis_order(y->samples, x->samples) ?:
	       memphis_order(x->variable, y->variable) ?:
	       memphis_order(x->pattern, y->pattern) ?:
	       memphis_order(x->instruction, y->instruction);
}

/* Returns the share and its interval, computed from the examined samples. `part` is extrapolated, and may exceed `whole`. */
static struct memphis_share share_of(uint64_t part, uint64_t whole, uint64_t one_in)
{
	if (whole < part)
		whole = part;
	return memphis_share_of(part / one_in, whole / one_in);
}

/* Drops insignificant findings, sorts the others, and writes their sentences. */
static int finish_findings(struct diagnosis *diagnosis)
{
	struct memphis_findings *findings = diagnosis->findings;
	uint64_t one_in = largest_one_in(findings);
	struct memphis_finding *finding;
	size_t kept = 0, i;
	int rc;

	for (i = 0; i < findings->count; i++) {
		finding = &findings->list[i];
		finding->share =
			share_of(finding->samples,
				 diagnosis->populations[memphis_patterns[finding->pattern].among], one_in);
		finding->share.low =
			share_of((uint64_t)((double)finding->samples * memphis_finding_certainty(finding)),
				 diagnosis->populations[memphis_patterns[finding->pattern].among], one_in)
				.low;
		if (finding->share.low >= MEMPHIS_FINDING_SHARE &&
		    share_of(finding->samples, diagnosis->samples, one_in).low >= MEMPHIS_FINDING_OF_ALL)
			findings->list[kept++] = *finding;
	}
	findings->count = kept;
	rc = find_gains(diagnosis);
	memphis_sort(findings->list, findings->count, compare_findings);
	for (i = 0; !rc && i < findings->count; i++)
		rc = memphis_finding_word(&findings->list[i], diagnosis->profile);
	return rc;
}

/* Returns whether the estimated variable has the samples of the other one outside recorded blocks. */
static bool is_estimate_of(const struct memphis_profile *profile, const struct memphis_variable *estimated,
			   const struct memphis_variable *other)
{
	const char *name = memphis_profile_text(profile, estimated->name);

	return estimated->segment == other->segment && estimated->qualified == other->qualified &&
	       estimated->site == other->site && estimated->object == other->object &&
	       estimated->declared == other->declared && estimated->unit == other->unit &&
	       !strcmp(name + (*name == '~'), memphis_profile_text(profile, other->name));
}

/* Findings are about exact and estimated samples of a variable together. */
static int find_exact(struct diagnosis *diagnosis)
{
	const struct memphis_profile *profile = diagnosis->profile;
	const struct memphis_variable *variables = profile->variables;
	size_t i, j;

	diagnosis->exact = calloc(profile->variable_count + 1, sizeof(*diagnosis->exact));
	if (!diagnosis->exact)
		return -ENOMEM;
	for (i = 0; i < profile->variable_count; i++) {
		diagnosis->exact[i] = (uint32_t)i;
		if (memphis_how_of(memphis_profile_text(profile, variables[i].how)) != MEMPHIS_HOW_ESTIMATED)
			continue;
		for (j = 0; j < profile->variable_count; j++)
			if (j != i && is_estimate_of(profile, &variables[i], &variables[j]))
				diagnosis->exact[i] = (uint32_t)j;
	}
	return 0;
}

int memphis_diagnose(struct memphis_findings *findings, const struct memphis_rows *rows)
{
	struct diagnosis diagnosis = {.findings = findings, .rows = rows, .profile = rows->profile};
	const struct memphis_profile *profile = rows->profile;
	size_t i;
	int rc = find_exact(&diagnosis);

	memset(findings, 0, sizeof(*findings));
	count_samples(&diagnosis);
	count_populations(&diagnosis);
	for (i = 0; !rc && i < profile->evidence_count; i++)
		rc = add_finding(findings, profile, &profile->evidence[i]);
	if (!rc)
		rc = finish_findings(&diagnosis);
	free(diagnosis.exact);
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
	memset(findings, 0, sizeof(*findings));
}
