// SPDX-License-Identifier: BSD-3-Clause
/* Adds, finds and releases the rows of a profile. */
#include "profile/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/heatmap.h"
#include "profile/selection.h"

/* The library nests at most 128 levels. If a damaged file has a region below this depth, its samples count for its parent. */
#define REGION_DEPTH_MAX 1000

_Static_assert(sizeof(struct memphis_cell_key) == 32, "keys are compared as bytes: no padding");

uint32_t memphis_profile_add_string(struct memphis_profile *profile, const char *text)
{
	return text ? memphis_strings_add_text(&profile->strings, text) : 0;
}

const char *memphis_profile_text(const struct memphis_profile *profile, uint32_t string)
{
	return string ? memphis_strings_get(&profile->strings, string) : NULL;
}

bool memphis_profile_is_shared(const struct memphis_profile *profile, uint32_t variable)
{
	const char *segment;

	if (variable >= profile->variable_count)
		return false;
	segment = memphis_profile_text(profile, profile->variables[variable].segment);
	return segment && !strcmp(segment, "shm");
}

/*
 * Returns the number of the key. Numbers start from 0, in order of first use. Returns MEMPHIS_NONE if memory is
 * exhausted. The pool of strings itself counts from 1, because its number 0 is the empty string.
 */
static uint32_t number_key(struct memphis_strings *keys, const void *key, size_t bytes)
{
	uint32_t number = memphis_strings_add(keys, key, bytes);

	return number == MEMPHIS_NO_STRING ? MEMPHIS_NONE : number - 1;
}

/*
 * Returns whether `a` has more information than `b`. This is a total order, so the result of a merge does not depend
 * on which profile comes first.
 */
static bool has_more_information(const struct memphis_profile *profile, const struct memphis_object *a,
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

uint32_t memphis_profile_add_object(struct memphis_profile *profile, const struct memphis_object *object)
{
	uint32_t key[] = {object->path, object->build_id}, number;
	struct memphis_object *kept;

	number = number_key(&profile->object_keys, key, sizeof(key));
	if (number == MEMPHIS_NONE)
		return MEMPHIS_NONE;
	if (number < profile->object_count) {
		if (has_more_information(profile, object, &profile->objects[number]))
			profile->objects[number] = *object;
		return number;
	}
	kept = memphis_append(profile->objects, profile->object_count, profile->object_room);
	if (!kept)
		return MEMPHIS_NONE;
	*kept = *object;
	return number;
}

uint32_t memphis_profile_add_variable(struct memphis_profile *profile,
				      const struct memphis_variable *variable)
{
	uint32_t number = number_key(&profile->variable_keys, variable, sizeof(*variable));
	struct memphis_variable *kept;

	if (number == MEMPHIS_NONE || number < profile->variable_count)
		return number;
	kept = memphis_append(profile->variables, profile->variable_count, profile->variable_room);
	if (!kept)
		return MEMPHIS_NONE;
	*kept = *variable;
	return number;
}

/* Compares two strings by their text. An unknown string (0) comes last. */
static int compare_texts(const struct memphis_profile *profile, uint32_t a, uint32_t b)
{
	if (a == b)
		return 0;
	if (!a || !b)
		return a ? -1 : 1;
	return strcmp(memphis_profile_text(profile, a), memphis_profile_text(profile, b));
}

/*
 * Returns whether the frames `a` are better than the frames `b`. Known frames are better than unknown ones, and of two
 * known ones, the alphabetically first. This is a total order, for the same reason as in has_more_information().
 */
static bool has_better_frames(const struct memphis_profile *profile, const struct memphis_profile_frame *a,
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
		if (!rc)
			rc = (a[i].approximate > b[i].approximate) - (a[i].approximate < b[i].approximate);
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

uint32_t memphis_profile_add_chain(struct memphis_profile *profile, uint32_t reason, uint32_t program,
				   const uint32_t *calls, size_t count)
{
	uint32_t *key = malloc((count + 2) * sizeof(*key)), number;
	struct memphis_chain *kept;

	if (!key)
		return MEMPHIS_NONE;
	key[0] = reason;
	key[1] = program;
	if (count)
		memcpy(key + 2, calls, count * sizeof(*key));
	number = number_key(&profile->chain_keys, key, (count + 2) * sizeof(*key));
	free(key);
	if (number == MEMPHIS_NONE || number < profile->chain_count)
		return number;
	if (memphis_grow(&profile->calls, &profile->call_room, profile->call_count + count + 1,
			 sizeof(*calls)))
		return MEMPHIS_NONE;
	kept = memphis_append(profile->chains, profile->chain_count, profile->chain_room);
	if (!kept)
		return MEMPHIS_NONE;
	*kept = (struct memphis_chain){reason, program, (uint32_t)profile->call_count, (uint32_t)count};
	if (count)
		memcpy(profile->calls + profile->call_count, calls, count * sizeof(*calls));
	profile->call_count += count;
	return number;
}

uint32_t memphis_profile_add_instruction(struct memphis_profile *profile, uint32_t object, uint64_t pc,
					 const struct memphis_profile_frame *frames, size_t count)
{
	return memphis_profile_add_called_instruction(profile, object, pc, MEMPHIS_NONE, frames, count);
}

uint32_t memphis_profile_add_called_instruction(struct memphis_profile *profile, uint32_t object, uint64_t pc,
						uint32_t chain, const struct memphis_profile_frame *frames,
						size_t count)
{
	uint64_t key[] = {(uint64_t)chain << 32 | object, pc};
	uint32_t number = number_key(&profile->instruction_keys, key, sizeof(key));
	struct memphis_instruction *kept;

	if (number == MEMPHIS_NONE)
		return MEMPHIS_NONE;
	if (number < profile->instruction_count) {
		kept = &profile->instructions[number];
		if (!has_better_frames(profile, frames, count, profile->frames + kept->frame,
				       kept->frame_count))
			return number;
	} else {
		kept = memphis_append(profile->instructions, profile->instruction_count,
				      profile->instruction_room);
		if (!kept)
			return MEMPHIS_NONE;
		kept->pc = pc;
		kept->object = object;
		kept->chain = chain;
		kept->type = kept->member = kept->no_type = kept->called = 0;
	}
	return set_frames(profile, kept, frames, count) ? MEMPHIS_NONE : number;
}

/*
 * Uses a total order, for the same reason as in has_more_information(). The answers of two profiles can differ if only
 * one machine has the binary and its debug information.
 */
void memphis_profile_set_type(struct memphis_profile *profile, uint32_t instruction, uint32_t type,
			      uint32_t member, uint32_t no_type)
{
	struct memphis_instruction *kept = &profile->instructions[instruction];
	int order = compare_texts(profile, member, kept->member);

	if (!order)
		order = compare_texts(profile, type, kept->type);
	if (!order)
		order = no_type > kept->no_type ? -1 : 1;
	if (order > 0)
		return;
	kept->type = type;
	kept->member = member;
	kept->no_type = no_type;
}

/* Keeps the known name of two, or the alphabetically first. They can differ if only one machine has the binary. */
void memphis_profile_set_called(struct memphis_profile *profile, uint32_t instruction, uint32_t called)
{
	struct memphis_instruction *kept = &profile->instructions[instruction];

	if (compare_texts(profile, called, kept->called) < 0)
		kept->called = called;
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

uint32_t memphis_profile_add_region(struct memphis_profile *profile, uint32_t name, uint32_t parent)
{
	uint32_t key[] = {name, parent}, row;

	if (!profile->region_count && (!append_region(profile, 0, 0) || !append_region(profile, 0, 0)))
		return MEMPHIS_NONE;
	if (!name)
		return parent;
	if (profile->regions[parent].depth == REGION_DEPTH_MAX)
		return parent;
	row = number_key(&profile->region_keys, key, sizeof(key));
	if (row == MEMPHIS_NONE)
		return MEMPHIS_NONE;
	row += 2; /* the two fixed rows have no key */
	return row < profile->region_count || append_region(profile, name, parent) ? row : MEMPHIS_NONE;
}

/*
 * Processes that were added since the last call are indexed here. Indexed processes never change, because processes
 * are only appended. Functions that reorder or move processes make a new profile.
 */
int memphis_profile_has_process(struct memphis_profile *profile, const uint64_t run[2])
{
	struct memphis_strings *keys = &profile->run_keys;
	const struct memphis_processes *processes = &profile->processes;
	const size_t bytes = sizeof(processes->list->run);

	if (!keys->count && memphis_strings_add(keys, "", 0) == MEMPHIS_NO_STRING)
		return -ENOMEM;
	for (; profile->run_count < processes->count; profile->run_count++)
		if (memphis_strings_add(keys, processes->list[profile->run_count].run, bytes) ==
		    MEMPHIS_NO_STRING)
			return -ENOMEM;
	return memphis_strings_find(keys, run, bytes) != MEMPHIS_NO_STRING;
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

uint32_t memphis_program_instruction(const struct memphis_profile *profile, uint32_t instruction)
{
	const uint32_t number = profile->instructions[instruction].chain;
	const struct memphis_chain *chain = number == MEMPHIS_NONE ? NULL : &profile->chains[number];

	return chain && chain->call_count ? profile->calls[chain->call + chain->program] : instruction;
}

const struct memphis_profile_frame *memphis_own_frame(const struct memphis_profile *profile,
						      uint32_t instruction)
{
	const struct memphis_instruction *at = &profile->instructions[instruction];
	const struct memphis_profile_frame *frames = &profile->frames[at->frame];
	const char *path;
	uint32_t i;

	for (i = 0; i < at->frame_count; i++) {
		path = memphis_profile_text(profile, frames[i].path);
		if (path && !memphis_is_system_source(path))
			return &frames[i];
	}
	return frames;
}

const struct memphis_profile_frame *memphis_program_frame(const struct memphis_profile *profile,
							  uint32_t instruction)
{
	return memphis_own_frame(profile, memphis_program_instruction(profile, instruction));
}

static bool has_key(const void *cells, uint32_t index, const void *key)
{
	return !memcmp(&((const struct memphis_cell *)cells)[index].key, key,
		       sizeof(struct memphis_cell_key));
}

static struct memphis_table_slot *find_slot(const struct memphis_profile *profile,
					    const struct memphis_cell_key *key, uint64_t hash)
{
	return memphis_table_find(&profile->cell_table, hash, has_key, profile->cells, key);
}

/*
 * Makes room for one more cell in the hash table. Sorting drops the table (profile_order.c), so all cells that are
 * missing in the table are inserted again.
 */
static int reserve_cell_slot(struct memphis_profile *profile)
{
	struct memphis_table *table = &profile->cell_table;
	const struct memphis_cell_key *key;
	uint64_t hash;

	while (!memphis_table_reserve(table)) {
		if (table->used == profile->cell_count)
			return 0;
		key = &profile->cells[table->used].key;
		hash = memphis_hash(key, sizeof(*key));
		memphis_table_fill(table, find_slot(profile, key, hash), hash, table->used);
	}
	return -ENOMEM;
}

int memphis_profile_add_cell(struct memphis_profile *profile, const struct memphis_cell *cell)
{
	const uint64_t hash = memphis_hash(&cell->key, sizeof(cell->key));
	struct memphis_table_slot *slot;
	struct memphis_cell *kept;

	if (reserve_cell_slot(profile))
		return -ENOMEM;
	slot = find_slot(profile, &cell->key, hash);
	if (slot->number) {
		memphis_measure_add(&profile->cells[slot->number - 1].measure, &cell->measure);
		return 0;
	}
	kept = memphis_append(profile->cells, profile->cell_count, profile->cell_room);
	if (!kept)
		return -ENOMEM;
	*kept = *cell;
	memphis_table_fill(&profile->cell_table, slot, hash, profile->cell_count - 1);
	return 0;
}

static bool is_in_region(const struct memphis_profile *profile, uint32_t region, const char *name)
{
	const struct memphis_profile_region *row;

	for (;;) {
		row = &profile->regions[region];
		if (row->name && !strcmp(memphis_profile_text(profile, row->name), name))
			return true;
		if (row->parent == MEMPHIS_REGION_OUTSIDE)
			return false;
		region = row->parent;
	}
}

bool memphis_profile_takes(const struct memphis_profile *profile, const struct memphis_selection *selection,
			   const struct memphis_cell *cell)
{
	if (!memphis_selection_takes(selection, &cell->key.access))
		return false;
	return !selection->region || !profile->by_region ||
	       is_in_region(profile, cell->key.region, selection->region);
}

void memphis_shown_names_close(struct memphis_profile *profile)
{
	size_t i;

	for (i = 0; i < profile->shown_count; i++)
		free(profile->shown[i]);
	free(profile->shown);
	profile->shown = NULL;
	profile->shown_count = 0;
}

const char *memphis_shown_name(const struct memphis_profile *profile, uint32_t variable)
{
	const char *shown = variable < profile->shown_count ? profile->shown[variable] : NULL;

	return shown ? shown : memphis_profile_text(profile, profile->variables[variable].name);
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
	free(profile->sharing);
	memphis_shown_names_close(profile);
	memphis_processes_close(&profile->processes);
	memphis_totals_close(&profile->totals);
	memphis_strings_close(&profile->strings);
	memphis_strings_close(&profile->run_keys);
	memphis_strings_close(&profile->object_keys);
	memphis_strings_close(&profile->variable_keys);
	memphis_strings_close(&profile->instruction_keys);
	memphis_strings_close(&profile->region_keys);
	free(profile->objects);
	free(profile->variables);
	free(profile->instructions);
	free(profile->frames);
	free(profile->chains);
	free(profile->calls);
	memphis_strings_close(&profile->chain_keys);
	free(profile->regions);
	free(profile->cells);
	memphis_table_close(&profile->cell_table);
	memset(profile, 0, sizeof(*profile));
}

/*
 * ---- the regions of all processes, merged into one tree ----
 */

int memphis_regions_add(struct memphis_profile *profile, const struct memphis_process *process,
			uint32_t **rows, size_t *count)
{
	const struct memphis_region *region;
	uint32_t parent, name, row;
	size_t i;

	*count = memphis_region_ids(process);
	*rows = malloc(*count * sizeof(**rows));
	if (!*rows || memphis_profile_add_region(profile, 0, MEMPHIS_REGION_OUTSIDE) == MEMPHIS_NONE)
		return -ENOMEM;
	for (i = 0; i < *count; i++)
		(*rows)[i] = MEMPHIS_REGION_UNKNOWN;
	(*rows)[0] = MEMPHIS_REGION_OUTSIDE;
	for (i = 0; i < process->region_count; i++) {
		region = &process->regions[i];
		if (region->id >= *count)
			continue;
		/*
		 * A parent comes before its children (docs/format.md). If the parent is unknown, the region is placed
		 * at the top level.
		 */
		parent = region->parent < *count ? (*rows)[region->parent] : MEMPHIS_REGION_OUTSIDE;
		if (parent == MEMPHIS_REGION_UNKNOWN)
			parent = MEMPHIS_REGION_OUTSIDE;
		name = memphis_profile_add_string(profile, region->name);
		row = name == MEMPHIS_NONE ? name : memphis_profile_add_region(profile, name, parent);
		if (row == MEMPHIS_NONE)
			return -ENOMEM;
		(*rows)[region->id] = row;
	}
	return 0;
}

bool memphis_region_is_mpi(const struct memphis_profile *profile, uint32_t region)
{
	const char *name;

	for (; region > MEMPHIS_REGION_UNKNOWN && region < profile->region_count;
	     region = profile->regions[region].parent) {
		name = memphis_profile_text(profile, profile->regions[region].name);
		if (name && !strncmp(name, "MPI_", 4))
			return true;
		if (!profile->regions[region].depth)
			return false;
	}
	return false;
}
