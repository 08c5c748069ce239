// SPDX-License-Identifier: BSD-3-Clause
/* What was sampled, by name: made piece by piece, and merged. */
#include "profile/profile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/binary.h"
#include "heatmap/heatmap.h"
#include "diagnose/diagnosis.h"

/* The library knows of 128 levels; what claims to be deeper counts as the region around it. */
#define REGION_DEPTH_MAX 1000

_Static_assert(sizeof(struct memphis_cell_key) == 32, "keys are compared as bytes: no padding");

uint32_t memphis_profile_string(struct memphis_profile *profile, const char *text)
{
	return text ? memphis_strings_add_text(&profile->strings, text) : 0;
}

const char *memphis_profile_text(const struct memphis_profile *profile, uint32_t string)
{
	return string ? memphis_strings_get(&profile->strings, string) : NULL;
}

/*
 * Number of the key, counted from 0 in the order in which keys came; MEMPHIS_NONE without memory. Number 0 of a pool is the
 * empty string, which is no key.
 */
static uint32_t number_of(struct memphis_strings *keys, const void *key, size_t bytes)
{
	uint32_t number = memphis_strings_add(keys, key, bytes);

	return number == MEMPHIS_NO_STRING ? MEMPHIS_NONE : number - 1;
}

/* What one machine did not find another one may have. Whichever came first. */
static bool better_found(const struct memphis_profile *profile, const struct memphis_object *a,
			 const struct memphis_object *b)
{
	int order;

	if (a->state != b->state)
		return a->state < b->state;
	if (a->has_debug != b->has_debug)
		return a->has_debug;
	order = strcmp(memphis_strings_get(&profile->strings, a->found),
		       memphis_strings_get(&profile->strings, b->found));
	if (!order)
		order = strcmp(memphis_strings_get(&profile->strings, a->debug_path),
			       memphis_strings_get(&profile->strings, b->debug_path));
	if (!order)
		order = strcmp(memphis_strings_get(&profile->strings, a->split_missing),
			       memphis_strings_get(&profile->strings, b->split_missing));
	return order < 0;
}

uint32_t memphis_profile_object(struct memphis_profile *profile, const struct memphis_object *object)
{
	uint32_t key[] = {object->path, object->build_id}, number;
	struct memphis_object *kept;

	number = number_of(&profile->object_keys, key, sizeof(key));
	if (number == MEMPHIS_NONE)
		return MEMPHIS_NONE;
	if (number < profile->object_count) {
		if (better_found(profile, object, &profile->objects[number]))
			profile->objects[number] = *object;
		return number;
	}
	kept = memphis_append(profile->objects, profile->object_count, profile->object_room);
	if (!kept)
		return MEMPHIS_NONE;
	*kept = *object;
	return number;
}

uint32_t memphis_profile_variable(struct memphis_profile *profile, const struct memphis_variable *variable)
{
	uint32_t number = number_of(&profile->variable_keys, variable, sizeof(*variable));
	struct memphis_variable *kept;

	if (number == MEMPHIS_NONE || number < profile->variable_count)
		return number;
	kept = memphis_append(profile->variables, profile->variable_count, profile->variable_room);
	if (!kept)
		return MEMPHIS_NONE;
	*kept = *variable;
	return number;
}

/* Texts by what they say; what is not known comes last. */
static int compare_texts(const struct memphis_profile *profile, uint32_t a, uint32_t b)
{
	if (a == b)
		return 0;
	if (!a || !b)
		return a ? -1 : 1;
	return strcmp(memphis_profile_text(profile, a), memphis_profile_text(profile, b));
}

/* As with objects: frames that are known win, and of two that are, those that come first by what they say. */
static bool better_frames(const struct memphis_profile *profile, const struct memphis_profile_frame *a,
			  size_t a_count, const struct memphis_profile_frame *b, size_t b_count)
{
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < a_count && i < b_count; i++) {
		rc = compare_texts(profile, a[i].function, b[i].function);
		if (!rc)
			rc = compare_texts(profile, a[i].path, b[i].path);
		if (!rc)
			rc = (a[i].line < b[i].line) - (a[i].line > b[i].line);
	}
	return rc < 0 || (!rc && a_count > b_count);
}

static int set_frames(struct memphis_profile *profile, struct memphis_instruction *instruction,
		      const struct memphis_profile_frame *frames, size_t count)
{
	if (memphis_grow(&profile->frames, &profile->frame_room, profile->frame_count + count,
			 sizeof(*frames)))
		return -ENOMEM;
	instruction->frame = (uint32_t)profile->frame_count;
	instruction->frame_count = (uint32_t)count;
	memcpy(profile->frames + profile->frame_count, frames, count * sizeof(*frames));
	profile->frame_count += count;
	return 0;
}

uint32_t memphis_profile_instruction(struct memphis_profile *profile, uint32_t object, uint64_t pc,
				     const struct memphis_profile_frame *frames, size_t count)
{
	uint64_t key[] = {object, pc};
	uint32_t number = number_of(&profile->instruction_keys, key, sizeof(key));
	struct memphis_instruction *kept;

	if (number == MEMPHIS_NONE)
		return MEMPHIS_NONE;
	if (number < profile->instruction_count) {
		kept = &profile->instructions[number];
		if (!better_frames(profile, frames, count, profile->frames + kept->frame, kept->frame_count))
			return number;
	} else {
		kept = memphis_append(profile->instructions, profile->instruction_count,
				      profile->instruction_room);
		if (!kept)
			return MEMPHIS_NONE;
		kept->pc = pc;
		kept->object = object;
	}
	return set_frames(profile, kept, frames, count) ? MEMPHIS_NONE : number;
}

static struct memphis_profile_region *append_region(struct memphis_profile *profile, uint32_t name,
						    uint32_t parent)
{
	struct memphis_profile_region *region =
		memphis_append(profile->regions, profile->region_count, profile->region_room);

	if (region) {
		region->name = name;
		region->parent = parent;
		region->depth = parent ? profile->regions[parent].depth + 1 : 0;
	}
	return region;
}

uint32_t memphis_profile_region(struct memphis_profile *profile, uint32_t name, uint32_t parent)
{
	uint32_t key[] = {name, parent}, row;

	if (!profile->region_count && (!append_region(profile, 0, 0) || !append_region(profile, 0, 0)))
		return MEMPHIS_NONE;
	if (!name)
		return parent;
	if (profile->regions[parent].depth == REGION_DEPTH_MAX)
		return parent;
	row = number_of(&profile->region_keys, key, sizeof(key));
	if (row == MEMPHIS_NONE)
		return MEMPHIS_NONE;
	row += 2; /* those that are always there have no key */
	return row < profile->region_count || append_region(profile, name, parent) ? row : MEMPHIS_NONE;
}

uint32_t memphis_profile_thread(const struct memphis_profile *profile, size_t process)
{
	size_t i, number = 0;

	for (i = 0; i < process; i++)
		number += profile->processes.list[i].thread_count;
	return (uint32_t)number;
}

const struct memphis_thread *memphis_profile_thread_of(const struct memphis_profile *profile, uint32_t number,
						       const struct memphis_process **process)
{
	const struct memphis_process *at = profile->processes.list;

	for (; number >= at->thread_count; at++)
		number -= (uint32_t)at->thread_count;
	*process = at;
	return &at->threads[number];
}

static uint32_t *slot_of(const struct memphis_profile *profile, const struct memphis_cell_key *key)
{
	size_t at = memphis_hash(key, sizeof(*key)) & (profile->cell_slot_count - 1);

	while (profile->cell_slots[at] &&
	       memcmp(&profile->cells[profile->cell_slots[at] - 1].key, key, sizeof(*key)) != 0)
		at = (at + 1) & (profile->cell_slot_count - 1);
	return &profile->cell_slots[at];
}

static int widen(struct memphis_profile *profile)
{
	size_t count = 1024, i;
	uint32_t *slots;

	/* Cells may have come without slots, from where they were sorted. */
	while (count <= profile->cell_count * 2)
		count *= 2;
	slots = calloc(count, sizeof(*slots));
	if (!slots || profile->cell_count >= MEMPHIS_NONE) {
		free(slots);
		return -ENOMEM;
	}
	free(profile->cell_slots);
	profile->cell_slots = slots;
	profile->cell_slot_count = count;
	for (i = 0; i < profile->cell_count; i++)
		*slot_of(profile, &profile->cells[i].key) = (uint32_t)i + 1;
	return 0;
}

static void add_numbers(struct memphis_cell *sum, const struct memphis_cell *cell)
{
	sum->count += cell->count;
	sum->accesses += cell->accesses;
	sum->latency_cycles += cell->latency_cycles;
	if (cell->latency_max_cycles > sum->latency_max_cycles)
		sum->latency_max_cycles = cell->latency_max_cycles;
	if (cell->low < sum->low)
		sum->low = cell->low;
	if (cell->high > sum->high)
		sum->high = cell->high;
}

int memphis_profile_add(struct memphis_profile *profile, const struct memphis_cell *cell)
{
	struct memphis_cell *kept;
	uint32_t *slot;

	if (profile->cell_count * 2 >= profile->cell_slot_count && widen(profile))
		return -ENOMEM;
	slot = slot_of(profile, &cell->key);
	if (*slot) {
		add_numbers(&profile->cells[*slot - 1], cell);
		return 0;
	}
	kept = memphis_append(profile->cells, profile->cell_count, profile->cell_room);
	if (!kept)
		return -ENOMEM;
	*kept = *cell;
	*slot = (uint32_t)profile->cell_count;
	return 0;
}

/* Numbers of one profile in another one. */
struct translation {
	struct memphis_profile *to;
	const struct memphis_profile *from;
	uint32_t *strings, *objects, *variables, *instructions, *regions;
	uint32_t threads; /* of `to` before */
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

static int translate_instructions(struct translation *translation)
{
	const struct memphis_profile *from = translation->from;
	struct memphis_profile_frame *frames = NULL;
	const struct memphis_instruction *instruction;
	size_t room = 0, i, j;
	uint32_t object;

	for (i = 0; i < from->instruction_count; i++) {
		instruction = &from->instructions[i];
		if (memphis_grow(&frames, &room, instruction->frame_count, sizeof(*frames)))
			goto no_memory;
		for (j = 0; j < instruction->frame_count; j++) {
			frames[j] = from->frames[instruction->frame + j];
			frames[j].function = translation->strings[frames[j].function];
			frames[j].path = translation->strings[frames[j].path];
		}
		object = instruction->object == MEMPHIS_NONE ? MEMPHIS_NONE
							     : translation->objects[instruction->object];
		translation->instructions[i] = memphis_profile_instruction(
			translation->to, object, instruction->pc, frames, instruction->frame_count);
		if (translation->instructions[i] == MEMPHIS_NONE)
			goto no_memory;
	}
	free(frames);
	return 0;

no_memory:
	free(frames);
	return -ENOMEM;
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
		for (j = 0; j < heatmap->use_count; j++)
			if (heatmap->uses[j].first_store != MEMPHIS_NONE)
				heatmap->uses[j].first_store =
					translation->instructions[heatmap->uses[j].first_store];
		for (j = 0; j < heatmap->store_count; j++)
			heatmap->stores[j].instruction =
				translation->instructions[heatmap->stores[j].instruction];
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
		memphis_evidence_renumber(finding, &numbers);
	}
	return 0;
}

static void translate_examples(struct translation *translation)
{
	struct memphis_example example;
	unsigned int reason, i;

	for (reason = 0; reason < MEMPHIS_UNATTRIBUTED_REASONS; reason++) {
		for (i = 0; i < translation->from->examples.count[reason]; i++) {
			example = translation->from->examples.list[reason][i];
			example.code = translation->instructions[example.code];
			example.variable = translation->variables[example.variable];
			example.thread += translation->threads;
			memphis_examples_add(&translation->to->examples, reason, &example);
		}
	}
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
	translation->regions = calloc(from->region_count + 2, sizeof(uint32_t));
	if (!translation->strings || !translation->objects || !translation->variables ||
	    !translation->instructions || !translation->regions)
		return -ENOMEM;
	rc = translate_strings(translation);
	if (!rc)
		rc = translate_objects(translation);
	if (!rc)
		rc = translate_variables(translation);
	if (!rc)
		rc = translate_instructions(translation);
	if (!rc)
		rc = translate_regions(translation);
	if (!rc)
		rc = translate_cells(translation);
	if (!rc)
		rc = translate_heatmaps(translation, from);
	if (!rc)
		rc = translate_evidence(translation);
	if (!rc)
		translate_examples(translation);
	if (!rc)
		rc = memphis_totals_append(&to->totals, &from->totals, (uint32_t)to->processes.count);
	return rc ? rc : move_processes(to, from);
}

static int check_merge(const struct memphis_profile *to, const struct memphis_profile *from,
		       struct memphis_error *error)
{
	const struct memphis_process *process;
	size_t i, j;

	if (!to->processes.count)
		return 0;
	if (strcmp(to->selection, from->selection) || to->by_thread != from->by_thread ||
	    to->by_region != from->by_region)
		return memphis_fail(error, -EINVAL,
				    "these profiles were reduced with different options; reduce them alike");
	for (i = 0; i < from->processes.count; i++) {
		process = &from->processes.list[i];
		for (j = 0; j < to->processes.count; j++)
			if (!memcmp(to->processes.list[j].run, process->run, sizeof(process->run)))
				return memphis_fail(error, -EINVAL,
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
	free(translation.regions);
	memphis_profile_close(from);
	return rc ? memphis_fail(error, rc, "out of memory") : 0;
}

void memphis_profile_close(struct memphis_profile *profile)
{
	size_t i;

	for (i = 0; profile->timelines && i < profile->processes.count; i++)
		memphis_timeline_close(&profile->timelines[i]);
	free(profile->timelines);
	for (i = 0; i < profile->heatmap_count; i++)
		memphis_heatmap_close(&profile->heatmaps[i]);
	free(profile->heatmaps);
	free(profile->evidence);
	memphis_processes_close(&profile->processes);
	memphis_totals_close(&profile->totals);
	memphis_strings_close(&profile->strings);
	memphis_strings_close(&profile->object_keys);
	memphis_strings_close(&profile->variable_keys);
	memphis_strings_close(&profile->instruction_keys);
	memphis_strings_close(&profile->region_keys);
	free(profile->objects);
	free(profile->variables);
	free(profile->instructions);
	free(profile->frames);
	free(profile->regions);
	free(profile->cells);
	free(profile->cell_slots);
	memset(profile, 0, sizeof(*profile));
}
