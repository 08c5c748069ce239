// SPDX-License-Identifier: BSD-3-Clause
/* From close-ups to findings: those that are worth a word. */
#include "diagnosis.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "patterns.h"
#include "sharing.h"

struct diagnosis {
	struct memphis_findings *findings;
	const struct memphis_rows *rows;
	const struct memphis_profile *profile;
	uint64_t samples; /* in the files, selected or not */
	bool stores;      /* are sampled at all */
};

/* The calipers with most of the pattern's samples: `remote` ones, or those of lines that were found modified. */
static void find_regions(const struct memphis_closeup *closeup, bool remote, struct memphis_finding *finding)
{
	const struct memphis_closeup_region *region, *end = closeup->regions + closeup->region_count;
	struct memphis_finding_region *kept = finding->regions;
	uint64_t sum = 0, count;
	size_t at;

	for (region = closeup->regions; region < end; region++)
		sum += remote ? region->remote : region->hitm;
	for (region = closeup->regions; region < end; region++) {
		count = remote ? region->remote : region->hitm;
		if (region->region <= MEMPHIS_REGION_UNKNOWN ||
		    (double)count < MEMPHIS_FINDING_REGION * (double)sum)
			continue;
		for (at = finding->region_count; at && kept[at - 1].share * (double)sum < (double)count; at--)
			if (at < MEMPHIS_FINDING_REGIONS)
				kept[at] = kept[at - 1];
		if (at == MEMPHIS_FINDING_REGIONS)
			continue;
		kept[at] = (struct memphis_finding_region){region->region, (double)count / (double)sum};
		finding->region_count += finding->region_count < MEMPHIS_FINDING_REGIONS;
	}
}

/* Samples of an instruction that the variable was touched by. */
struct touch {
	uint64_t count;
	uint32_t path, line, instruction;
};

static int compare_touches(const void *a, const void *b)
{
	const struct touch *x = a, *y = b;

	if (x->path != y->path)
		return x->path < y->path ? -1 : 1;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return (x->instruction > y->instruction) - (x->instruction < y->instruction);
}

/* Of the lines with most samples the first one's instruction. Touches are sorted. */
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

/* The instruction that stands for the line with most samples of the variable, on the finding's node if there is one. */
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
		    memphis_view_takes(profile, diagnosis->rows->view, cell))
			touches[cell->key.instruction].count += cell->count;
	for (i = 0; i < profile->instruction_count; i++) {
		if (!touches[i].count)
			continue;
		frame = &profile->frames[profile->instructions[i].frame];
		touches[count++] = (struct touch){touches[i].count, frame->path, frame->line, (uint32_t)i};
	}
	qsort(touches, count, sizeof(*touches), compare_touches);
	choose_line(touches, count, finding);
	free(touches);
	return 0;
}

/* The same pattern of the same variable in another process is one finding, told of the process where it is worst. */
static int add_finding(struct diagnosis *diagnosis, const struct memphis_closeup *closeup,
		       struct memphis_finding *finding)
{
	struct memphis_findings *findings = diagnosis->findings;
	struct memphis_finding *other;
	uint64_t samples;
	uint32_t processes;
	size_t i;

	if (finding->samples < MEMPHIS_FINDING_SAMPLES)
		return 0;
	finding->samples *= closeup->one_in ? closeup->one_in : 1;
	for (i = 0; i < findings->count; i++) {
		other = &findings->list[i];
		if (other->pattern != finding->pattern || other->variable != finding->variable)
			continue;
		samples = other->samples + finding->samples;
		processes = other->processes + 1;
		if (finding->samples > other->samples / other->processes)
			*other = *finding;
		other->samples = samples;
		other->processes = processes;
		return 0;
	}
	other = memphis_append(findings->list, findings->count, findings->room);
	if (!other)
		return -ENOMEM;
	*other = *finding;
	return 0;
}

#define TAKES(mask, source) (!(mask) || (mask) >> MEMPHIS_SOURCE_##source & 1)

static int look_at(struct diagnosis *diagnosis, const struct memphis_closeup *closeup)
{
	const uint16_t caches = 1 << MEMPHIS_SOURCE_L1 | 1 << MEMPHIS_SOURCE_L2 | 1 << MEMPHIS_SOURCE_L3 |
				1 << MEMPHIS_SOURCE_PEER_CACHE;
	const struct memphis_select_kind *kind = diagnosis->rows->view->selection->kind;
	struct memphis_look look = {.profile = diagnosis->profile,
				    .closeup = closeup,
				    .process = &diagnosis->profile->processes.list[closeup->process],
				    .stores = diagnosis->stores};
	struct memphis_finding finding;
	int rc = 0;

	if (kind->sources && !(kind->sources & caches)) {
		rc = memphis_placement_make(&look.placement, closeup);
		if (!rc && memphis_find_pattern(&look, &finding)) {
			memphis_find_initialised(&look, &finding);
			find_regions(closeup, true, &finding);
			rc = add_finding(diagnosis, closeup, &finding);
		}
		memphis_placement_close(&look.placement);
	}
	if (!rc && TAKES(kind->sources, PEER_CACHE)) {
		memphis_finding_begin(&look, &finding);
		if (memphis_find_sharing(closeup, &finding)) {
			find_regions(closeup, false, &finding);
			rc = add_finding(diagnosis, closeup, &finding);
		}
	}
	return rc;
}

static void count_samples(struct diagnosis *diagnosis)
{
	const struct memphis_profile *profile = diagnosis->profile;
	const struct memphis_closeup *closeup;
	const struct memphis_process *process;
	size_t i;

	for (process = profile->processes.list; process < profile->processes.list + profile->processes.count;
	     process++)
		for (i = 0; i < process->thread_count; i++)
			diagnosis->samples += process->threads[i].read;
	for (closeup = profile->closeups; closeup < profile->closeups + profile->closeup_count; closeup++)
		for (i = 0; i < closeup->use_count; i++)
			diagnosis->stores |= closeup->uses[i].stores > 0;
}

/* Of so many samples one was looked at; of a few processes more. */
static uint64_t looked_at_one_in(const struct diagnosis *diagnosis)
{
	const struct memphis_profile *profile = diagnosis->profile;
	uint64_t one_in = 1;
	size_t i;

	for (i = 0; i < profile->closeup_count; i++)
		if (profile->closeups[i].one_in > one_in)
			one_in = profile->closeups[i].one_in;
	return one_in;
}

static int compare_findings(const void *a, const void *b)
{
	const struct memphis_finding *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	if (x->variable != y->variable)
		return x->variable < y->variable ? -1 : 1;
	return (x->pattern > y->pattern) - (x->pattern < y->pattern);
}

/* Of as many independent samples as were looked at; others may have been looked at than exactly one in so many. */
static struct memphis_share share_of(uint64_t part, uint64_t whole, uint64_t one_in)
{
	if (whole < part)
		whole = part;
	return memphis_share_of(part / one_in, whole / one_in);
}

/* Drops what is not worth a word, and words the rest. */
static int judge(struct diagnosis *diagnosis)
{
	struct memphis_findings *findings = diagnosis->findings;
	uint64_t one_in = looked_at_one_in(diagnosis);
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
	if (findings->count)
		qsort(findings->list, findings->count, sizeof(*findings->list), compare_findings);
	for (i = 0; !rc && i < findings->count; i++) {
		rc = find_line(diagnosis, &findings->list[i]);
		if (!rc)
			rc = memphis_finding_word(&findings->list[i], diagnosis->profile);
	}
	return rc;
}

int memphis_diagnose(struct memphis_findings *findings, const struct memphis_rows *rows)
{
	struct diagnosis diagnosis = {.findings = findings, .rows = rows, .profile = rows->profile};
	size_t i;
	int rc = 0;

	memset(findings, 0, sizeof(*findings));
	count_samples(&diagnosis);
	for (i = 0; !rc && i < rows->profile->closeup_count; i++)
		rc = look_at(&diagnosis, &rows->profile->closeups[i]);
	return rc ? rc : judge(&diagnosis);
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
