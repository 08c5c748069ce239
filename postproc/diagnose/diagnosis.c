// SPDX-License-Identifier: BSD-3-Clause
/* Combines the evidence of all processes into findings, and keeps the significant ones. */
#include "diagnose/diagnosis.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "diagnose/finding_text.h"

struct diagnosis {
	struct memphis_findings *findings;
	const struct memphis_rows *rows;
	const struct memphis_profile *profile;
	uint64_t samples; /* number of samples in the files, selected or not */
};

/* The samples of a variable by one instruction, with its source line. */
struct touch {
	uint64_t count;
	uint32_t path, line, instruction;
};

static int compare_touches(const void *a, const void *b)
{
	const struct touch *x = a, *y = b;

	return memphis_order(x->path, y->path) ?:
	       memphis_order(x->line, y->line) ?:
	       memphis_order(x->instruction, y->instruction);
}

/* Sets the instruction to the first one of the line with most samples. Touches are sorted by line; ties go to the lower instruction. */
static void choose_line(const struct touch *touches, size_t count, struct memphis_finding *finding)
{
	const struct touch *first = touches, *touch;
	uint64_t line = 0, most = 0;

	for (touch = touches; touch < touches + count; touch++) {
		if (touch->path != first->path || touch->line != first->line) {
			first = touch;
			line = 0;
		}
		line += touch->count;
		if (touch->line &&
		    (line > most || (line == most && first->instruction < finding->instruction))) {
			most = line;
			finding->instruction = first->instruction;
		}
	}
}

/* Finds the line with most samples of the variable, on the node of the finding if there is one. Returns 0 or -ENOMEM. */
static int find_line(const struct diagnosis *diagnosis, struct memphis_finding *finding)
{
	const struct memphis_profile *profile = diagnosis->profile;
	struct touch *touches = calloc(profile->instruction_count + 1, sizeof(*touches));
	const struct memphis_profile_frame *frame;
	const struct memphis_cell *cell;
	size_t count = 0, i;

	if (!touches)
		return -ENOMEM;
	for (cell = profile->cells; cell < profile->cells + profile->cell_count; cell++)
		if (cell->key.variable == finding->variable &&
		    (finding->node == MEMPHIS_NODE_UNKNOWN || cell->key.access.node == finding->node) &&
		    memphis_profile_takes(profile, diagnosis->rows->view->selection, cell))
			touches[cell->key.instruction].count += cell->measure.count;
	for (i = 0; i < profile->instruction_count; i++) {
		if (!touches[i].count)
			continue;
		frame = memphis_program_frame(profile, (uint32_t)i);
		touches[count++] = (struct touch){touches[i].count, frame->path, frame->line, (uint32_t)i};
	}
	qsort(touches, count, sizeof(*touches), compare_touches);
	choose_line(touches, count, finding);
	free(touches);
	return 0;
}

static bool is_same_line(const struct memphis_profile *profile, uint32_t a, uint32_t b)
{
	const struct memphis_profile_frame *x = memphis_program_frame(profile, a),
					   *y = memphis_program_frame(profile, b);

	return x->path == y->path && x->line == y->line;
}

/* A stride is a property of the source line; every other pattern is one of the variable. */
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
	return evidence->select == finding->select && is_same(profile, finding, evidence);
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
	finding->worst = samples;
	finding->one_in = most_one_in(evidence);
	return 0;
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

/*
 * Estimates what the finding costs, from the selected samples of its variable. Pages on the right node turn loads from remote memory into
 * local ones; lines that are not shared are not fetched from other caches; with full use of each line, fewer lines are fetched.
 */
static void find_gain(const struct diagnosis *diagnosis, struct memphis_finding *finding)
{
	const struct memphis_pattern_kind *pattern = &memphis_patterns[finding->pattern];
	const struct memphis_waiting *waiting = &diagnosis->rows->waiting;
	const struct memphis_profile *profile = diagnosis->profile;
	const double unread = 1 - finding->read_bytes.value / MEMPHIS_CACHE_LINE;
	struct memphis_waits waits = {.spread = 0}, shared = {.spread = 0};
	const struct memphis_cell *cell;

	for (cell = profile->cells; cell < profile->cells + profile->cell_count; cell++)
		if (cell->key.variable == finding->variable &&
		    (!pattern->of_line ||
		     is_same_line(profile, cell->key.instruction, finding->instruction)) &&
		    memphis_profile_takes(profile, diagnosis->rows->view->selection, cell))
			memphis_waits_add_cell(&waits, waiting, cell);
	if (pattern->of_line) {
		finding->gain_known = memphis_waits_count(&waits) > 0;
		finding->gain = memphis_waited(waiting, &waits);
		finding->gain.value *= unread;
		finding->gain.low *= unread;
		finding->gain.high *= unread;
	} else if (pattern->of_caches) {
		shared.sources[MEMPHIS_WAIT_PEER_CACHE] = waits.sources[MEMPHIS_WAIT_PEER_CACHE];
		shared.sources[MEMPHIS_WAIT_REMOTE_CACHE] = waits.sources[MEMPHIS_WAIT_REMOTE_CACHE];
		finding->gain_known = memphis_waits_count(&shared) > 0;
		finding->gain = memphis_waited(waiting, &shared);
	} else {
		finding->gain_known = memphis_gain_is_known(&waits);
		finding->gain = memphis_gain(waiting, &waits);
	}
}

static double gain_of(const struct memphis_finding *finding)
{
	return finding->gain_known ? finding->gain.value : 0;
}

static int compare_findings(const void *a, const void *b)
{
	const struct memphis_finding *x = a, *y = b;
	const bool x_line = memphis_patterns[x->pattern].of_line,
		   y_line = memphis_patterns[y->pattern].of_line;

	/*
	 * Where memory lies and who uses it is more important than strides: it decides which thread should run a loop, before the order of
	 * the loop.
	 */
	if (x_line != y_line)
		return x_line ? 1 : -1;
	return memphis_order(gain_of(y), gain_of(x)) ?:
	       memphis_order(y->samples, x->samples) ?:
	       memphis_order(x->variable, y->variable) ?:
	       memphis_order(x->pattern, y->pattern);
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
	int rc = 0;

	for (i = 0; i < findings->count; i++) {
		finding = &findings->list[i];
		finding->share = share_of(finding->samples, diagnosis->rows->selected, one_in);
		if (finding->share.low >= MEMPHIS_FINDING_SHARE &&
		    share_of(finding->samples, diagnosis->samples, one_in).low >= MEMPHIS_FINDING_OF_ALL)
			findings->list[kept++] = *finding;
	}
	findings->count = kept;
	for (i = 0; i < findings->count; i++)
		find_gain(diagnosis, &findings->list[i]);
	memphis_sort(findings->list, findings->count, compare_findings);
	for (i = 0; !rc && i < findings->count; i++) {
		if (!memphis_patterns[findings->list[i].pattern].of_line)
			rc = find_line(diagnosis, &findings->list[i]);
		if (!rc)
			rc = memphis_finding_word(&findings->list[i], diagnosis->profile);
	}
	return rc;
}

int memphis_diagnose(struct memphis_findings *findings, const struct memphis_rows *rows)
{
	struct diagnosis diagnosis = {.findings = findings, .rows = rows, .profile = rows->profile};
	const struct memphis_profile *profile = rows->profile;
	const char *select = rows->view->selection->kind->name;
	size_t i;
	int rc = 0;

	memset(findings, 0, sizeof(*findings));
	count_samples(&diagnosis);
	for (i = 0; !rc && i < profile->evidence_count; i++)
		if (!strcmp(memphis_profile_text(profile, profile->evidence[i].select), select))
			rc = add_finding(findings, profile, &profile->evidence[i]);
	return rc ? rc : finish_findings(&diagnosis);
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
