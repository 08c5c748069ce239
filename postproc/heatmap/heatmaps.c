// SPDX-License-Identifier: BSD-3-Clause
/*
 * Creates the heatmap of each leading variable of a process, and searches the heatmap for evidence of problems.
 * Workers process several variables in parallel. They sort and sum records at the same time, but take turns, in the
 * order of the variables, for all steps that need names or change the profile.
 */
#include "heatmap/heatmaps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/workers.h"
#include "evidence/evidence.h"
#include "heatmap/second_pass.h"
#include "profile/condense.h"

#define READ_SAMPLES 500000 /* approximate number of samples to read per process */

/*
 * Groups the records by leading variable. Fills `gathered` with the leader->count records of the first leader, then
 * those of the second leader, and so on. Records of the same leader stay in the order in which they were read.
 */
static int collect_records(const struct memphis_second_pass *pass, const struct memphis_leader *leaders,
			   size_t count, struct memphis_heatmap_record **gathered)
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
 * Returns whether any population has enough samples of the variable for a finding. Most variables have too few, and
 * skipping them saves most of the time.
 */
static bool is_suspect(const struct memphis_leader *leader)
{
	static const uint64_t least[MEMPHIS_POPULATIONS] = {
		[MEMPHIS_REMOTE_LOADS] = MEMPHIS_FINDING_HINT,
		[MEMPHIS_MODIFIED_LOADS] = MEMPHIS_FINDING_WEAK,
		[MEMPHIS_FETCHES] = MEMPHIS_FINDING_SAMPLES,
	};
	unsigned int kind;

	for (kind = 0; kind < MEMPHIS_POPULATIONS; kind++)
		if (leader->kinds[kind] >= least[kind])
			return true;
	return false;
}

/* The state that all workers share while they make the heatmaps of a process. */
struct making {
	struct memphis_second_pass *pass;
	const struct memphis_leader *leaders;
	struct memphis_heatmap_record ***records; /* the records of each leader */
	struct memphis_turns turns;
};

/* The heatmaps that are made of one variable. */
struct made {
	struct memphis_heatmap heatmap;
	/*
	 * The heatmap in which patterns are searched, if it differs from `heatmap`. It differs in two cases:
	 * - the blocks are far apart: its bins then divide positions without gaps instead of addresses,
	 * - places in the program explain some remote loads: it then omits these loads.
	 *
	 * It owns its spots, uses, regions and extents. Its other arrays belong to `heatmap`.
	 */
	struct memphis_heatmap judged;
};

static void init_judged(struct made *made)
{
	struct memphis_heatmap_extent *extents = made->heatmap.extents;

	made->judged = made->heatmap;
	made->judged.spots = NULL;
	made->judged.uses = NULL;
	made->judged.regions = NULL;
	made->judged.spot_room = made->judged.use_room = made->judged.region_room = 0;
	made->heatmap.extents = NULL;
	made->heatmap.extent_count = 0;
	if (extents)
		memphis_heatmap_use_positions(&made->judged);
}

/* Lets the judged heatmap use the arrays that it shares with the complete one. */
static void copy_common_parts(struct made *made)
{
	const struct memphis_heatmap *from = &made->heatmap;
	struct memphis_heatmap *to = &made->judged;

	to->fields = from->fields;
	to->field_count = from->field_count;
	to->places = from->places;
	to->place_count = from->place_count;
	to->stores = from->stores;
	to->store_count = from->store_count;
	to->loads = from->loads;
	to->load_count = from->load_count;
	to->element_bytes = from->element_bytes;
}

static void close_judged(struct memphis_heatmap *judged)
{
	free(judged->spots);
	free(judged->uses);
	free(judged->regions);
	free(judged->extents);
}

/* Makes the parts of the heatmap that need neither names nor the profile. Workers can do this in parallel. */
static int sum_by_address(const struct memphis_second_pass *pass, struct made *made,
			  const struct memphis_leader *leader, struct memphis_heatmap_record **records)
{
	struct memphis_heatmap *heatmap = &made->heatmap;
	int rc;

	heatmap->selected = leader->selected;
	rc = memphis_heatmap_begin(heatmap, records, leader->count);
	if (!rc)
		rc = memphis_heatmap_sum_accesses(heatmap, records, leader->count);
	if (!rc && is_suspect(leader))
		memphis_heatmap_find_reuse(pass, heatmap, records, leader->count);
	memphis_heatmap_find_small_blocks(pass, heatmap, records, leader->count);
	if (!rc && is_suspect(leader))
		rc = memphis_heatmap_find_extents(heatmap, records, leader->count);
	if (rc || !heatmap->extents)
		return rc;
	init_judged(made);
	return memphis_heatmap_sum_accesses(&made->judged, records, leader->count);
}

/*
 * Makes the parts of the heatmap that need names or the profile: the instructions of first stores, the places, and the
 * stores, loads and fields. Only one worker may do this at a time, because it looks up names and changes the profile,
 * which all workers share.
 */
static int sum_by_instruction(struct memphis_second_pass *pass, struct made *made,
			      const struct memphis_leader *leader, struct memphis_heatmap_record **records)
{
	int rc = memphis_heatmap_first_stores(pass, &made->heatmap, records);

	if (!rc)
		rc = memphis_heatmap_first_stores(pass, &made->judged, records);
	if (!rc)
		rc = memphis_heatmap_fill_places(pass, &made->heatmap, records, leader->count);
	return rc ? rc : memphis_heatmap_sum(pass, &made->heatmap, records, leader->count);
}

/*
 * Finds the evidence about the variable. First finds places in the program that explain remote loads, for example a
 * serial loop. Then searches the remaining remote loads for other patterns.
 */
static int find_evidence(struct memphis_second_pass *pass, struct made *made,
			 const struct memphis_leader *leader, struct memphis_heatmap_record **records)
{
	struct memphis_profile *profile = pass->join->profile;
	struct memphis_heatmap *judged = made->judged.spots ? &made->judged : &made->heatmap;
	int rc;

	copy_common_parts(made);
	rc = memphis_evidence_add_of_places(profile, judged, pass->stores);
	if (rc <= 0)
		return rc ? rc : memphis_evidence_add(profile, judged, pass->stores);
	/* `heatmap` keeps all accesses, because the report shows it. Only `judged` omits the explained ones. */
	if (judged == &made->heatmap)
		init_judged(made);
	memphis_heatmap_leave_explained(pass, &made->judged, records, leader->count);
	rc = memphis_heatmap_sum_accesses(&made->judged, records, leader->count);
	if (!rc)
		rc = memphis_heatmap_first_stores(pass, &made->judged, records);
	return rc ? rc : memphis_evidence_add(profile, &made->judged, pass->stores);
}

static int keep_heatmap(struct memphis_second_pass *pass, struct memphis_heatmap *heatmap,
			const struct memphis_leader *leader, struct memphis_heatmap_record **records)
{
	struct memphis_profile *profile = pass->join->profile;
	struct memphis_heatmap *kept;
	int rc = memphis_heatmap_fill_parts(pass, heatmap, records, leader->count);

	profile->processes.list[pass->process].heatmaps++;
	if (!rc)
		rc = memphis_heatmap_fill_latencies(heatmap, records, leader->count);
	if (!rc)
		rc = memphis_heatmap_fill_moments(pass, heatmap, records, leader->count);
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

/*
 * Completes the heatmap and adds its evidence to the profile. Also adds the heatmap to the profile if the variable is
 * one of those whose heatmaps are kept.
 */
static int finish_heatmap(struct memphis_second_pass *pass, struct made *made,
			  const struct memphis_leader *leader, struct memphis_heatmap_record **records)
{
	int rc = sum_by_instruction(pass, made, leader, records);

	if (!rc && is_suspect(leader))
		rc = find_evidence(pass, made, leader, records);
	return rc || !leader->kept ? rc : keep_heatmap(pass, &made->heatmap, leader, records);
}

static int make_heatmap(void *context, unsigned int worker, size_t number, struct memphis_error *error)
{
	struct making *making = context;
	struct memphis_second_pass *pass = making->pass;
	const struct memphis_leader *leader = &making->leaders[number];
	struct memphis_heatmap_record **records = making->records[number];
	const bool wanted = is_suspect(leader) || leader->kept;
	struct made made = {.heatmap = {.process = (uint32_t)pass->process, .variable = leader->variable}};
	int rc = 0;

	(void)worker;
	made.heatmap.one_in = pass->of > pass->wanted ? (pass->of + pass->wanted - 1) / pass->wanted : 1;
	if (wanted)
		rc = sum_by_address(pass, &made, leader, records);
	memphis_turn_begin(&making->turns, number);
	if (!rc && wanted)
		rc = finish_heatmap(pass, &made, leader, records);
	memphis_turn_end(&making->turns);
	close_judged(&made.judged);
	memphis_heatmap_close(&made.heatmap);
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
		rc = collect_records(pass, leaders, count, records);
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

int memphis_heatmaps_make(struct memphis_namer *namer, struct memphis_owner_numbers *numbers,
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
		/*
		 * A report shows all heatmaps. A saved profile of many processes does not contain all, because they
		 * would double its size.
		 */
		if (selection->all_apart && namer->join->profile->heatmap_count > MEMPHIS_HEATMAPS_AT_ONCE)
			memphis_profile_drop_heatmaps(namer->join->profile);
	}
	memphis_second_pass_close(&pass);
	return rc;
}
