// SPDX-License-Identifier: BSD-3-Clause
/* Merges one profile into another: adds each row to the destination and translates all references to the new numbers. */
#include "profile/profile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "profile/finding.h"
#include "profile/heatmap.h"

/* Tables that translate row numbers in `from` to row numbers in `to`. */
struct translation {
	struct memphis_profile *to;
	const struct memphis_profile *from;
	uint32_t *strings, *objects, *variables, *instructions, *chains, *regions;
	uint32_t threads; /* number of threads in `to` before the merge: the first new number */
};

static int translate_strings(struct translation *translation)
{
	const struct memphis_strings *from = &translation->from->strings;
	size_t i;

	for (i = 1; i < from->count; i++) {
		translation->strings[i] =
			memphis_strings_add(&translation->to->strings, memphis_strings_get(from, (uint32_t)i),
					    memphis_strings_bytes(from, (uint32_t)i));
		if (translation->strings[i] == MEMPHIS_NO_STRING)
			return -ENOMEM;
	}
	return 0;
}

static int translate_objects(struct translation *translation)
{
	const uint32_t *strings = translation->strings;
	struct memphis_object object;
	size_t i;

	for (i = 0; i < translation->from->object_count; i++) {
		object = translation->from->objects[i];
		object.path = strings[object.path];
		object.build_id = strings[object.build_id];
		object.found = strings[object.found];
		object.debug_path = strings[object.debug_path];
		object.split_missing = strings[object.split_missing];
		translation->objects[i] = memphis_profile_object(translation->to, &object);
		if (translation->objects[i] == MEMPHIS_NONE)
			return -ENOMEM;
	}
	return 0;
}

static int translate_variables(struct translation *translation)
{
	const uint32_t *strings = translation->strings;
	struct memphis_variable variable;
	size_t i;

	for (i = 0; i < translation->from->variable_count; i++) {
		variable = translation->from->variables[i];
		variable.segment = strings[variable.segment];
		variable.name = strings[variable.name];
		variable.qualified = strings[variable.qualified];
		variable.site = strings[variable.site];
		variable.how = strings[variable.how];
		variable.why_not = strings[variable.why_not];
		translation->variables[i] = memphis_profile_variable(translation->to, &variable);
		if (translation->variables[i] == MEMPHIS_NONE)
			return -ENOMEM;
	}
	return 0;
}

/* Adds the instructions with a chain, or those without one. The latter, among them all calls of chains, are added first. */
static int translate_instructions(struct translation *translation, bool with_chain)
{
	const struct memphis_profile *from = translation->from;
	struct memphis_profile_frame *frames = NULL;
	const struct memphis_instruction *instruction;
	size_t room = 0, i, j;
	uint32_t object;

	for (i = 0; i < from->instruction_count; i++) {
		instruction = &from->instructions[i];
		if ((instruction->chain != MEMPHIS_NONE) != with_chain)
			continue;
		if (memphis_grow(&frames, &room, instruction->frame_count, sizeof(*frames)))
			goto no_memory;
		for (j = 0; j < instruction->frame_count; j++) {
			frames[j] = from->frames[instruction->frame + j];
			frames[j].function = translation->strings[frames[j].function];
			frames[j].path = translation->strings[frames[j].path];
		}
		object = instruction->object == MEMPHIS_NONE ? MEMPHIS_NONE
							     : translation->objects[instruction->object];
		translation->instructions[i] = memphis_profile_called_instruction(
			translation->to, object, instruction->pc,
			with_chain ? translation->chains[instruction->chain] : MEMPHIS_NONE, frames,
			instruction->frame_count);
		if (translation->instructions[i] == MEMPHIS_NONE)
			goto no_memory;
		memphis_profile_set_type(translation->to, translation->instructions[i],
					 translation->strings[instruction->type],
					 translation->strings[instruction->member], instruction->no_type);
		memphis_profile_set_called(translation->to, translation->instructions[i],
					   translation->strings[instruction->called]);
	}
	free(frames);
	return 0;

no_memory:
	free(frames);
	return -ENOMEM;
}

static int translate_chains(struct translation *translation)
{
	const struct memphis_profile *from = translation->from;
	uint32_t *calls = malloc((from->call_count + 1) * sizeof(*calls));
	const struct memphis_chain *chain;
	size_t i, j;
	int rc = calls ? 0 : -ENOMEM;

	for (i = 0; !rc && i < from->chain_count; i++) {
		chain = &from->chains[i];
		for (j = 0; j < chain->call_count; j++)
			calls[j] = translation->instructions[from->calls[chain->call + j]];
		translation->chains[i] = memphis_profile_chain(translation->to, chain->reason, chain->program,
							       calls, chain->call_count);
		rc = translation->chains[i] == MEMPHIS_NONE ? -ENOMEM : 0;
	}
	free(calls);
	return rc;
}

static int translate_regions(struct translation *translation)
{
	const struct memphis_profile_region *region;
	uint32_t row;
	size_t i;

	for (i = 0; i < translation->from->region_count; i++) {
		region = &translation->from->regions[i];
		row = memphis_profile_region(translation->to, translation->strings[region->name],
					     translation->regions[region->parent]);
		if (row == MEMPHIS_NONE)
			return -ENOMEM;
		translation->regions[i] = i < 2 ? (uint32_t)i : row;
		translation->to->regions[translation->regions[i]].written += region->written;
	}
	return 0;
}

static int translate_cells(struct translation *translation)
{
	struct memphis_cell cell;
	size_t i;

	for (i = 0; i < translation->from->cell_count; i++) {
		cell = translation->from->cells[i];
		cell.key.variable = translation->variables[cell.key.variable];
		cell.key.instruction = translation->instructions[cell.key.instruction];
		if (translation->from->by_region)
			cell.key.region = translation->regions[cell.key.region];
		if (translation->from->by_thread)
			cell.key.thread += translation->threads;
		if (memphis_profile_add(translation->to, &cell))
			return -ENOMEM;
	}
	return 0;
}

static int translate_heatmaps(struct translation *translation, struct memphis_profile *from)
{
	struct memphis_profile *to = translation->to;
	struct memphis_heatmap *heatmap;
	size_t i, j;

	if (memphis_grow(&to->heatmaps, &to->heatmap_room, to->heatmap_count + from->heatmap_count,
			 sizeof(*heatmap)))
		return -ENOMEM;
	for (i = 0; i < from->heatmap_count; i++) {
		heatmap = &to->heatmaps[to->heatmap_count++];
		*heatmap = from->heatmaps[i];
		heatmap->process += (uint32_t)to->processes.count;
		heatmap->variable = translation->variables[heatmap->variable];
		for (j = 0; j < heatmap->field_count; j++)
			heatmap->fields[j].name = translation->strings[heatmap->fields[j].name];
		for (j = 0; j < heatmap->part_count; j++)
			heatmap->parts[j].name = translation->strings[heatmap->parts[j].name];
		for (j = 0; j < heatmap->use_count; j++)
			if (heatmap->uses[j].first_store != MEMPHIS_NONE)
				heatmap->uses[j].first_store =
					translation->instructions[heatmap->uses[j].first_store];
		for (j = 0; j < heatmap->store_count; j++)
			heatmap->stores[j].instruction =
				translation->instructions[heatmap->stores[j].instruction];
		for (j = 0; j < heatmap->load_count; j++)
			heatmap->loads[j].instruction =
				translation->instructions[heatmap->loads[j].instruction];
		for (j = 0; j < heatmap->region_count; j++)
			heatmap->regions[j].region = translation->regions[heatmap->regions[j].region];
	}
	from->heatmap_count = 0;
	return 0;
}

static int translate_evidence(struct translation *translation)
{
	const struct memphis_profile *from = translation->from;
	struct memphis_profile *to = translation->to;
	const struct memphis_numbers numbers = {translation->strings, translation->variables,
						translation->instructions, translation->regions};
	struct memphis_finding *finding;
	size_t i;

	if (memphis_grow(&to->evidence, &to->evidence_room, to->evidence_count + from->evidence_count,
			 sizeof(*finding)))
		return -ENOMEM;
	for (i = 0; i < from->evidence_count; i++) {
		finding = &to->evidence[to->evidence_count++];
		*finding = from->evidence[i];
		finding->process += (uint32_t)to->processes.count;
		memphis_finding_renumber(finding, &numbers);
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

static int translate(struct translation *translation, struct memphis_profile *from)
{
	struct memphis_profile *to = translation->to;
	int rc;

	translation->strings = calloc(from->strings.count + 1, sizeof(uint32_t));
	translation->objects = calloc(from->object_count + 1, sizeof(uint32_t));
	translation->variables = calloc(from->variable_count + 1, sizeof(uint32_t));
	translation->instructions = calloc(from->instruction_count + 1, sizeof(uint32_t));
	translation->chains = calloc(from->chain_count + 1, sizeof(uint32_t));
	translation->regions = calloc(from->region_count + 2, sizeof(uint32_t));
	if (!translation->strings || !translation->objects || !translation->variables ||
	    !translation->instructions || !translation->chains || !translation->regions)
		return -ENOMEM;
	rc = translate_strings(translation);
	if (!rc)
		rc = translate_objects(translation);
	if (!rc)
		rc = translate_variables(translation);
	if (!rc)
		rc = translate_instructions(translation, false);
	if (!rc)
		rc = translate_chains(translation);
	if (!rc)
		rc = translate_instructions(translation, true);
	if (!rc)
		rc = translate_regions(translation);
	if (!rc)
		rc = translate_cells(translation);
	if (!rc)
		rc = translate_heatmaps(translation, from);
	if (!rc)
		rc = translate_evidence(translation);
	if (!rc)
		rc = memphis_totals_append(&to->totals, &from->totals, (uint32_t)to->processes.count);
	return rc ? rc : move_processes(to, from);
}

static int check_merge(struct memphis_profile *to, const struct memphis_profile *from,
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
	struct translation translation = {.to = profile, .from = from};
	int rc = check_merge(profile, from, error);

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
	translation.threads = memphis_profile_thread(profile, profile->processes.count);
	rc = translate(&translation, from);
	free(translation.strings);
	free(translation.objects);
	free(translation.variables);
	free(translation.instructions);
	free(translation.chains);
	free(translation.regions);
	memphis_profile_close(from);
	return rc ? memphis_fail(error, rc, "out of memory") : 0;
}
