// SPDX-License-Identifier: BSD-3-Clause
/*
 * Creates the heatmap of each leading variable of a process, and finds evidence in the heatmap. Workers sort and sum the records of several
 * variables at the same time; steps that need names or the profile are done in turns.
 */
#include "heatmap/heatmaps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/workers.h"
#include "evidence/evidence.h"
#include "heatmap/second_pass.h"
#include "profile/condense.h"

#define READ_SAMPLES 500000 /* approximate number per process */

/* Marks the records of samples of this kind as selected. */
static void select_records(struct memphis_heatmap *heatmap, unsigned int kind,
			   struct memphis_heatmap_record **records, size_t count)
{
	size_t i;

	heatmap->selected = 0;
	for (i = 0; i < count; i++) {
		records[i]->selected = records[i]->kinds >> kind & 1;
		heatmap->selected += records[i]->selected;
	}
}

/* Fills `gathered` with the records of each leader in turn, leader->count records each, in the order in which they were read. */
static int gather(const struct memphis_second_pass *pass, const struct memphis_leader *leaders, size_t count,
		  struct memphis_heatmap_record **gathered)
{
	struct memphis_heatmap_record ***next = calloc(count + 1, sizeof(*next));
	size_t first = 0, i;
	uint32_t slot;

	if (!next)
		return -ENOMEM;
	for (i = 0; i < count; first += leaders[i++].count) {
		next[i] = &gathered[first];
		pass->slots[leaders[i].variable] = (uint32_t)i + 1;
	}
	for (i = 0; i < pass->count; i++) {
		slot = pass->slots[pass->numbers->variables[pass->samples[i]->owner]];
		if (slot)
			*next[slot - 1]++ = pass->samples[i];
	}
	for (i = 0; i < count; i++)
		pass->slots[leaders[i].variable] = 0;
	free(next);
	return 0;
}

/*
 * Returns whether there are enough remote samples, samples of fetches, or samples of modified cache lines for a finding. Most variables have too few;
 * skipping them saves most of the time.
 */
static bool is_suspect(const struct memphis_second_pass *pass, struct memphis_heatmap_record *const *records,
		       size_t count, unsigned int kind)
{
	const bool places = memphis_evidence_of_places(pass->kinds[kind].kind);
	size_t remote = 0, fetched = 0, hitm = 0, i;

	for (i = 0; i < count; i++) {
		remote += (records[i]->kinds >> kind & 1) && records[i]->node != records[i]->home;
		fetched += (records[i]->kinds >> kind & 1) && memphis_fetched(records[i]);
		hitm += !!(records[i]->flags & MEMPHIS_FLAG_HITM);
	}
	return (places && remote >= MEMPHIS_FINDING_SAMPLES) || fetched >= MEMPHIS_FINDING_SAMPLES ||
	       hitm >= MEMPHIS_FINDING_SAMPLES;
}

/* The heatmaps of a process, which several workers make. */
struct making {
	struct memphis_second_pass *pass;
	const struct memphis_leader *leaders;
	struct memphis_heatmap_record ***records; /* by leader */
	struct memphis_turns turns;
};

/* Returns the highest kind below `kind` that is to be examined, or MEMPHIS_PASS_KINDS if there is none. */
static unsigned int kind_below(const struct memphis_second_pass *pass, const struct memphis_leader *leader,
			       struct memphis_heatmap_record *const *records, unsigned int kind)
{
	while (kind--)
		if ((leader->kinds >> kind & 1) && (!kind || is_suspect(pass, records, leader->count, kind)))
			return kind;
	return MEMPHIS_PASS_KINDS;
}

/* Makes the parts of the heatmap that need neither names nor the profile, for the first kind. */
static int begin_heatmap(struct memphis_heatmap *heatmap, const struct memphis_leader *leader,
			 struct memphis_heatmap_record **records, unsigned int kind)
{
	int rc;

	select_records(heatmap, kind, records, leader->count);
	rc = memphis_heatmap_places(heatmap, records, leader->count);
	return rc ? rc : memphis_heatmap_sum_selected(heatmap, records, leader->count);
}

/*
 * Finds the variable's evidence for each kind of samples. Kind 0, the current selection, is last because its heatmap is kept. The sums that
 * depend on the selection take most of the time, and are computed again only for kinds that show placement.
 */
static int find_evidence(struct memphis_second_pass *pass, struct memphis_heatmap *heatmap,
			 const struct memphis_leader *leader, struct memphis_heatmap_record **records,
			 const unsigned int first)
{
	const struct memphis_select_kind *selected;
	unsigned int kind = first;
	int rc;

	rc = memphis_heatmap_first_stores(pass, heatmap, records);
	if (!rc)
		rc = memphis_heatmap_sum(pass, heatmap, records, leader->count);
	for (; !rc && kind < MEMPHIS_PASS_KINDS; kind = kind_below(pass, leader, records, kind)) {
		selected = pass->kinds[kind].kind;
		if (kind != first)
			select_records(heatmap, kind, records, leader->count);
		memphis_heatmap_loads_select(heatmap, records, leader->count);
		if (kind != first && (!kind || memphis_evidence_of_places(selected))) {
			rc = memphis_heatmap_sum_selected(heatmap, records, leader->count);
			if (!rc)
				rc = memphis_heatmap_first_stores(pass, heatmap, records);
		}
		if (!rc)
			rc = memphis_evidence_add(pass->join->profile, heatmap, selected, pass->stores);
	}
	return rc;
}

/* Adds the evidence of a heatmap that was begun, and the heatmap itself if it is to be kept, to the profile. */
static int finish_heatmap(struct memphis_second_pass *pass, struct memphis_heatmap *heatmap,
			  const struct memphis_leader *leader, struct memphis_heatmap_record **records,
			  unsigned int kind)
{
	struct memphis_profile *profile = pass->join->profile;
	struct memphis_heatmap *kept;
	int rc = kind < MEMPHIS_PASS_KINDS ? find_evidence(pass, heatmap, leader, records, kind) : 0;

	profile->processes.list[pass->process].heatmaps += leader->kept;
	if (rc || !leader->kept)
		return rc;
	rc = memphis_heatmap_parts(pass, heatmap, records, leader->count);
	if (!rc)
		rc = memphis_heatmap_latencies(heatmap, records, leader->count);
	if (rc)
		return rc;
	memphis_heatmap_trim(heatmap);
	kept = memphis_append(profile->heatmaps, profile->heatmap_count, profile->heatmap_room);
	if (!kept)
		return -ENOMEM;
	*kept = *heatmap;
	memset(heatmap, 0, sizeof(*heatmap));
	return 0;
}

static int make_heatmap(void *context, unsigned int worker, size_t number, struct memphis_error *error)
{
	struct making *making = context;
	struct memphis_second_pass *pass = making->pass;
	const struct memphis_leader *leader = &making->leaders[number];
	struct memphis_heatmap_record **records = making->records[number];
	struct memphis_heatmap heatmap = {.process = (uint32_t)pass->process, .variable = leader->variable};
	const unsigned int kind = kind_below(pass, leader, records, pass->kind_count);
	int rc = 0;

	(void)worker;
	heatmap.one_in = pass->of > pass->wanted ? (pass->of + pass->wanted - 1) / pass->wanted : 1;
	if (kind < MEMPHIS_PASS_KINDS)
		rc = begin_heatmap(&heatmap, leader, records, kind);
	memphis_turn_begin(&making->turns, number);
	if (!rc)
		rc = finish_heatmap(pass, &heatmap, leader, records, kind);
	memphis_turn_end(&making->turns);
	memphis_heatmap_close(&heatmap);
	return rc ? memphis_fail(error, rc, "out of memory") : 0;
}

static int make_heatmaps(struct memphis_second_pass *pass, struct memphis_error *error)
{
	struct making making = {.pass = pass, .turns = MEMPHIS_TURNS};
	struct memphis_heatmap_record **records;
	struct memphis_leader *leaders;
	size_t count, i;
	int rc = memphis_leaders_find(pass, &leaders, &count);

	making.leaders = leaders;
	making.records = calloc(count + 1, sizeof(*making.records));
	records = malloc((pass->count + 1) * sizeof(*records));
	if (!rc && records && making.records)
		rc = gather(pass, leaders, count, records);
	else
		rc = -ENOMEM;
	if (rc)
		memphis_fail(error, rc, "out of memory");
	for (i = 0; !rc && i < count; i++)
		making.records[i] = i ? making.records[i - 1] + leaders[i - 1].count : records;
	if (!rc)
		rc = memphis_workers_run(memphis_workers(pass->join->processes->jobs, count), count,
					 make_heatmap, &making, error);
	free(records);
	free(making.records);
	free(leaders);
	return rc;
}

int memphis_heatmaps_make(struct memphis_namer *namer, const struct memphis_owner_numbers *numbers,
			  struct memphis_error *error)
{
	const struct memphis_selection *selection = namer->join->selection;
	const struct memphis_processes *processes = namer->join->processes;
	struct memphis_second_pass pass;
	size_t i;
	int rc;

	rc = memphis_second_pass_open(&pass, namer, numbers);
	if (rc)
		memphis_fail(error, rc, "out of memory");
	for (i = 0; !rc && i < processes->count; i++) {
		if (!memphis_selection_has(selection, &processes->list[i]))
			continue;
		rc = memphis_second_pass_read(&pass, i, READ_SAMPLES, error);
		if (!rc)
			rc = make_heatmaps(&pass, error);
		/* A report shows all of them; a profile of many processes would need as much space again for them. */
		if (selection->all_apart && namer->join->profile->heatmap_count > MEMPHIS_HEATMAPS_AT_ONCE)
			memphis_profile_drop_heatmaps(namer->join->profile);
	}
	memphis_second_pass_close(&pass);
	return rc;
}
