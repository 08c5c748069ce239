// SPDX-License-Identifier: BSD-3-Clause
/* Filters a loaded profile by a selection. */
#include "profile/profile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/finding.h"
#include "profile/heatmap.h"
#include "profile/wait_source.h"

static int check_filter(const struct memphis_profile *profile, const struct memphis_selection *selection,
			const char *name, struct memphis_error *error)
{
	if (strcmp(profile->selection, selection->kind->name) && strcmp(profile->selection, "all"))
		return memphis_fail(
			error, -EINVAL,
			"%s: holds %s samples only, and %s are asked for; reduce the sample files with --select all",
			name, profile->selection, selection->kind->name);
	if (!profile->by_thread && (selection->by_thread || selection->which.text || selection->region))
		return memphis_fail(
			error, -EINVAL,
			"%s: does not tell threads apart, as %s needs; reduce the sample files with --by thread",
			name,
			selection->by_thread    ? "--by thread"
			: selection->which.text ? "--process"
						: "--region");
	if (!profile->by_region && (selection->by_region || selection->region))
		return memphis_fail(error, -EINVAL, "%s: does not tell regions apart", name);
	if (selection->by_region && selection->which.text)
		return memphis_fail(
			error, -EINVAL,
			"%s: knows how many samples a region has of all processes, not of one; --by region with --process needs the sample files",
			name);
	return memphis_selection_check(selection, &profile->processes, error);
}

/*
 * Returns an array with an element for each thread number: true if the thread belongs to a selected process. The
 * caller must free it. Returns NULL if memory is exhausted.
 */
static bool *list_wanted_threads(const struct memphis_profile *profile,
				 const struct memphis_selection *selection)
{
	const struct memphis_processes *processes = &profile->processes;
	bool *wanted = calloc(memphis_profile_thread(profile, processes->count) + 1, sizeof(*wanted));
	size_t i, j, at = 0;

	for (i = 0; wanted && i < processes->count; i++)
		for (j = 0; j < processes->list[i].thread_count; j++)
			wanted[at++] = memphis_selection_has(selection, &processes->list[i]);
	return wanted;
}

/* Adds the cell to the totals. The file has no totals for single regions, so they are computed from the cells. */
static int add_cell_to_totals(struct memphis_profile *profile, const struct memphis_cell *cell)
{
	uint32_t thread = cell->key.thread, process = 0;
	struct memphis_total *total;

	while (thread >= profile->processes.list[process].thread_count)
		thread -= (uint32_t)profile->processes.list[process++].thread_count;
	total = memphis_totals_get(&profile->totals, process, thread, cell->key.access);
	if (!total)
		return -ENOMEM;
	memphis_measure_add(&total->measure, &cell->measure);
	return 0;
}

/* Returns whether totals count this access. They count all selected accesses, and all loads that wait. */
static bool is_in_totals(const struct memphis_selection *selection, const struct memphis_access *access)
{
	return memphis_selection_takes(selection, access) ||
	       (access->flags & MEMPHIS_FLAG_LOAD && memphis_waits(access));
}

/* Returns whether the cell is in the selected region and process. Ignores its kind and node. */
static bool is_in_selection(const struct memphis_profile *profile, const struct memphis_selection *selection,
			    const struct memphis_cell *cell, const bool *wanted)
{
	struct memphis_selection place = *selection;

	place.kind = memphis_select_kind("all");
	place.node = -1;
	return memphis_profile_takes(profile, &place, cell) &&
	       (!profile->by_thread || wanted[cell->key.thread]);
}

static int filter_cells(struct memphis_profile *profile, const struct memphis_selection *selection,
			const bool *wanted)
{
	struct memphis_cell *cells = profile->cells, cell;
	const size_t count = profile->cell_count;
	size_t i;
	int rc = 0;

	memphis_table_close(&profile->cell_table);
	profile->cells = NULL;
	profile->cell_count = profile->cell_room = 0;
	for (i = 0; !rc && i < count; i++) {
		cell = cells[i];
		if (!is_in_selection(profile, selection, &cell, wanted))
			continue;
		if (selection->region && is_in_totals(selection, &cell.key.access))
			rc = add_cell_to_totals(profile, &cell);
		if (!memphis_selection_takes(selection, &cell.key.access))
			continue;
		if (!selection->by_region)
			cell.key.region = 0;
		if (!selection->by_thread)
			cell.key.thread = 0;
		if (!rc)
			rc = memphis_profile_add_cell(profile, &cell);
	}
	free(cells);
	return rc;
}

static void filter_totals(struct memphis_profile *profile, const struct memphis_selection *selection)
{
	struct memphis_totals *totals = &profile->totals;
	size_t kept = 0, i;

	for (i = 0; i < totals->count; i++)
		if (is_in_totals(selection, &totals->list[i].access) &&
		    memphis_selection_has(selection, &profile->processes.list[totals->list[i].process]))
			totals->list[kept++] = totals->list[i];
	totals->count = kept;
	memphis_strings_close(&totals->keys);
}

/*
 * Counts the selected samples of each thread again. The result is the same as if only the selected samples were read
 * from the files. The number of samples that were read does not change.
 */
static void count_selected(struct memphis_profile *profile, const struct memphis_selection *selection)
{
	const struct memphis_totals *totals = &profile->totals;
	struct memphis_process *process;
	size_t i, j;

	for (i = 0; i < profile->processes.count; i++) {
		process = &profile->processes.list[i];
		for (j = 0; j < process->thread_count; j++)
			process->threads[j].selected = 0;
	}
	for (i = 0; i < totals->count; i++)
		if (memphis_selection_takes(selection, &totals->list[i].access))
			profile->processes.list[totals->list[i].process]
				.threads[totals->list[i].thread]
				.selected += totals->list[i].measure.count;
}

/*
 * Drops timelines and heatmaps if the selection differs from that of the profile, because they cannot be computed from
 * a profile for another selection.
 */
static void filter_views_over_time(struct memphis_profile *profile, const struct memphis_selection *selection)
{
	const bool same = !strcmp(profile->selection, selection->kind->name) && selection->node < 0 &&
			  !selection->region;
	const struct memphis_process *list = profile->processes.list;
	struct memphis_heatmap *heatmaps = profile->heatmaps;
	size_t i, kept = 0;

	for (i = 0; i < profile->heatmap_count; i++)
		if (same && memphis_selection_has(selection, &list[heatmaps[i].process]))
			heatmaps[kept++] = heatmaps[i];
		else
			memphis_heatmap_close(&heatmaps[i]);
	profile->heatmap_count = kept;
	for (i = 0; i < profile->processes.count; i++)
		if (!same || !memphis_selection_has(selection, &list[i]))
			memphis_timeline_close(&profile->timelines[i]);
}

/*
 * Drops evidence that does not hold for the selection. A pattern describes all nodes and regions together, and may not
 * hold for a single one. It does not depend on the kind of samples, so evidence remains if only the kind is selected.
 */
static void filter_evidence(struct memphis_profile *profile, const struct memphis_selection *selection)
{
	const bool known = selection->node < 0 && !selection->region;
	struct memphis_process *list = profile->processes.list;
	struct memphis_finding *evidence = profile->evidence;
	size_t i, kept = 0;

	for (i = 0; i < profile->evidence_count; i++)
		if (known && memphis_selection_has(selection, &list[evidence[i].process]))
			evidence[kept++] = evidence[i];
	profile->evidence_count = kept;
	for (i = 0; i < profile->processes.count; i++)
		list[i].unjudged |= !known;
}

static void filter_regions(struct memphis_profile *profile, const struct memphis_selection *selection)
{
	const struct memphis_selection of_region = {
		.kind = memphis_select_kind("all"), .node = -1, .region = selection->region};
	struct memphis_cell cell = {.key.region = 0};
	size_t i;

	for (i = 0; i < profile->region_count; i++) {
		cell.key.region = (uint32_t)i;
		if (!memphis_profile_takes(profile, &of_region, &cell))
			profile->regions[i].written = 0;
	}
}

int memphis_profile_filter(struct memphis_profile *profile, const struct memphis_selection *selection,
			   const char *name, struct memphis_error *error)
{
	int rc = check_filter(profile, selection, name, error);
	bool *wanted;

	if (rc)
		return rc;
	wanted = list_wanted_threads(profile, selection);
	if (!wanted)
		return memphis_fail(error, -ENOMEM, "out of memory");
	if (selection->region) {
		memphis_totals_close(&profile->totals);
		filter_regions(profile, selection);
	}
	rc = filter_cells(profile, selection, wanted);
	free(wanted);
	if (rc)
		return memphis_fail(error, rc, "out of memory");
	if (!selection->region)
		filter_totals(profile, selection);
	count_selected(profile, selection);
	memset(&profile->examples, 0, sizeof(profile->examples));
	filter_views_over_time(profile, selection);
	filter_evidence(profile, selection);
	snprintf(profile->selection, sizeof(profile->selection), "%s", selection->kind->name);
	profile->by_region = selection->by_region;
	profile->by_thread = selection->by_thread;
	return 0;
}
