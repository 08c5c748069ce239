// SPDX-License-Identifier: BSD-3-Clause
/* Merges one profile into another. */
#include "profile/profile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "profile/numbers.h"

struct merging {
	struct memphis_profile *to, *from;
	struct memphis_numbers numbers;
	/* number of threads in `to` before the merge, which is the number of the first new thread */
	uint32_t threads;
};

static int add_strings(struct merging *merging)
{
	const struct memphis_strings *from = &merging->from->strings;
	uint32_t i;

	for (i = 1; i < from->count; i++) {
		merging->numbers.strings[i] = memphis_strings_add(
			&merging->to->strings, memphis_strings_get(from, i), memphis_strings_bytes(from, i));
		if (merging->numbers.strings[i] == MEMPHIS_NO_STRING)
			return -ENOMEM;
	}
	return 0;
}

static int add_cells(struct merging *merging)
{
	const struct memphis_numbers *numbers = &merging->numbers;
	const struct memphis_profile *from = merging->from;
	struct memphis_cell cell;
	size_t i;

	for (i = 0; i < from->cell_count; i++) {
		cell = from->cells[i];
		cell.key.variable = numbers->variables[cell.key.variable];
		cell.key.instruction = numbers->instructions[cell.key.instruction];
		if (from->by_region)
			cell.key.region = numbers->regions[cell.key.region];
		if (from->by_thread)
			cell.key.thread += merging->threads;
		if (memphis_profile_add_cell(merging->to, &cell))
			return -ENOMEM;
	}
	return 0;
}

static int move_heatmaps(struct merging *merging)
{
	struct memphis_profile *to = merging->to, *from = merging->from;
	struct memphis_heatmap *heatmap;
	size_t i;

	if (memphis_grow(&to->heatmaps, &to->heatmap_room, to->heatmap_count + from->heatmap_count,
			 sizeof(*heatmap)))
		return -ENOMEM;
	for (i = 0; i < from->heatmap_count; i++) {
		heatmap = &to->heatmaps[to->heatmap_count++];
		*heatmap = from->heatmaps[i];
		heatmap->process += (uint32_t)to->processes.count;
		memphis_heatmap_renumber(heatmap, &merging->numbers);
	}
	from->heatmap_count = 0;
	return 0;
}

static int add_evidence(struct merging *merging)
{
	struct memphis_profile *to = merging->to;
	const struct memphis_profile *from = merging->from;
	struct memphis_finding *finding;
	size_t i;

	if (memphis_grow(&to->evidence, &to->evidence_room, to->evidence_count + from->evidence_count,
			 sizeof(*finding)))
		return -ENOMEM;
	for (i = 0; i < from->evidence_count; i++) {
		finding = &to->evidence[to->evidence_count++];
		*finding = from->evidence[i];
		finding->process += (uint32_t)to->processes.count;
		memphis_finding_renumber(finding, &merging->numbers);
	}
	return 0;
}

static int move_processes(struct memphis_profile *to, struct memphis_profile *from)
{
	size_t before = to->processes.count, more = from->processes.count;
	struct memphis_timeline *timelines;

	if (memphis_grow(&to->processes.list, &to->processes.room, before + more,
			 sizeof(*to->processes.list)))
		return -ENOMEM;
	timelines = realloc(to->timelines, (before + more + 1) * sizeof(*timelines));
	if (!timelines)
		return -ENOMEM;
	to->timelines = timelines;
	if (more) {
		memcpy(to->processes.list + before, from->processes.list,
		       more * sizeof(*from->processes.list));
		memcpy(timelines + before, from->timelines, more * sizeof(*timelines));
	}
	to->processes.count += more;
	from->processes.count = 0;
	return 0;
}

static int merge_tables(struct merging *merging)
{
	struct memphis_profile *to = merging->to, *from = merging->from;
	int rc = memphis_numbers_open(&merging->numbers, from);

	if (!rc)
		rc = add_strings(merging);
	if (!rc)
		rc = memphis_numbers_move(&merging->numbers, to, from, false);
	if (!rc)
		rc = add_cells(merging);
	if (!rc)
		rc = move_heatmaps(merging);
	if (!rc)
		rc = add_evidence(merging);
	if (!rc)
		rc = memphis_totals_append(&to->totals, &from->totals, (uint32_t)to->processes.count);
	memphis_totals_close(&from->totals); /* before the list of processes grows */
	memphis_numbers_close(&merging->numbers);
	return rc ? rc : move_processes(to, from);
}

static int check_mergeable(struct memphis_profile *to, const struct memphis_profile *from,
			   struct memphis_error *error)
{
	const struct memphis_process *process;
	size_t i;
	int rc;

	if (!to->processes.count || !from->processes.count)
		return 0;
	if (strcmp(to->selection, from->selection) || to->by_thread != from->by_thread ||
	    to->by_region != from->by_region)
		return memphis_fail(error, -EINVAL,
				    "these profiles were reduced with different options; reduce them alike");
	for (i = 0; i < from->processes.count; i++) {
		process = &from->processes.list[i];
		rc = memphis_profile_has_process(to, process->run);
		if (rc)
			return rc < 0 ? memphis_fail(error, rc, "out of memory")
				      : memphis_fail(error, -EINVAL,
						     "process %" PRIu32 " is in two of these profiles",
						     process->pid);
	}
	return 0;
}

int memphis_profile_merge(struct memphis_profile *profile, struct memphis_profile *from,
			  struct memphis_error *error)
{
	struct merging merging = {.to = profile, .from = from};
	int rc = check_mergeable(profile, from, error);

	if (rc) {
		memphis_profile_close(from);
		return rc;
	}
	profile->processes.empty_files += from->processes.empty_files;
	profile->processes.damaged_files += from->processes.damaged_files;
	profile->processes.empty_directories += from->processes.empty_directories;
	if (!profile->processes.count) {
		memcpy(profile->selection, from->selection, sizeof(profile->selection));
		profile->by_region = from->by_region;
		profile->by_thread = from->by_thread;
	}
	merging.threads = memphis_profile_thread(profile, profile->processes.count);
	rc = merge_tables(&merging);
	memphis_profile_close(from);
	return rc ? memphis_fail(error, rc, "out of memory") : 0;
}
