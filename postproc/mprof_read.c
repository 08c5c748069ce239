// SPDX-License-Identifier: BSD-3-Clause
/*
 * Loads a profile, record by record, into one that may hold others already: what a file numbers gets the number of its equal there.
 * Nothing in a file is believed; what does not fit is told with the record's number.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "closeup.h"
#include "mprof.h"
#include "mprof_stream.h"
#include "mprof_table.h"
#include "reasons.h"

/* Sources that a selection's mask has room for. */
#define SOURCES_MAX 16

/* By number in the file: number in the profile. */
struct numbers {
	uint32_t *list;
	size_t count, room;
};

struct reader {
	struct mprof_input input;
	struct memphis_profile *profile;
	struct memphis_error *error;
	struct numbers strings, objects, variables, instructions, regions;
	uint32_t first_thread;           /* of this file, in the profile */
	size_t first_process;            /* likewise */
	struct memphis_closeup *closeup; /* the last one; NULL: none yet */
	struct memphis_closeup no_closeup;
	struct memphis_process *process; /* the last one; NULL: none yet */
	uint64_t bounds[MPROF_BOUNDS];
	struct memphis_profile_frame *frames; /* of one instruction */
	size_t frame_room;
	bool started, ended;
};

static int no_memory(const struct reader *reader)
{
	return memphis_fail(reader->error, -ENOMEM, "%s: out of memory", reader->input.path);
}

static int nonsense(const struct reader *reader, const char *record, const char *what)
{
	return memphis_fail(reader->error, -EBADMSG,
			    "%s: record %" PRIu64
			    " (%s): %s makes no sense; the file is damaged, or its writer has a defect",
			    reader->input.path, reader->input.records - 1, record, what);
}

static int keep_number(struct reader *reader, struct numbers *numbers, uint32_t number,
		       enum mprof_bound bound)
{
	uint32_t *kept =
		number == MEMPHIS_NONE ? NULL : memphis_append(numbers->list, numbers->count, numbers->room);

	if (!kept)
		return no_memory(reader);
	*kept = number;
	reader->bounds[bound] = numbers->count;
	return 0;
}

static bool is_text(ProtobufCBinaryData bytes)
{
	return !bytes.len || !memchr(bytes.data, 0, bytes.len);
}

/* A malloc'ed text; NULL without memory, or with *rc where it is none. */
static char *text_of(const struct reader *reader, ProtobufCBinaryData bytes, const char *record,
		     const char *what, int *rc)
{
	char *text;

	if (*rc)
		return NULL;
	if (!is_text(bytes)) {
		*rc = nonsense(reader, record, what);
		return NULL;
	}
	text = malloc(bytes.len + 1);
	if (!text) {
		*rc = no_memory(reader);
		return NULL;
	}
	if (bytes.len)
		memcpy(text, bytes.data, bytes.len);
	text[bytes.len] = 0;
	return text;
}

static int load_start(struct reader *reader, const Mprof__Record *record)
{
	const Mprof__Start *start = record->start;
	struct memphis_profile *profile = reader->profile;
	char selection[sizeof(profile->selection)] = "";

	if (!start->selection.len || start->selection.len >= sizeof(selection))
		return nonsense(reader, "start", "selection");
	memcpy(selection, start->selection.data, start->selection.len);
	if (!memphis_select_kind(selection))
		return nonsense(reader, "start", "selection");
	if (!*profile->selection) {
		memcpy(profile->selection, selection, sizeof(selection));
		profile->by_region = start->by_region;
		profile->by_thread = start->by_thread;
	} else if (strcmp(profile->selection, selection) || profile->by_region != start->by_region ||
		   profile->by_thread != start->by_thread) {
		return memphis_fail(reader->error, -EINVAL,
				    "%s: reduced with other options than those before it; reduce them alike",
				    reader->input.path);
	}
	reader->bounds[MPROF_REGION_OF_CELL] = profile->by_region ? 2 : 1;
	reader->bounds[MPROF_THREAD_OF_CELL] = profile->by_thread ? 0 : 1;
	reader->first_process = profile->processes.count;
	reader->first_thread = memphis_profile_thread(profile, profile->processes.count);
	return 0;
}

static int load_strings(struct reader *reader, const Mprof__Record *record)
{
	const Mprof__Strings *strings = record->strings;
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < strings->n_text; i++) {
		if (!strings->text[i].len || memchr(strings->text[i].data, 0, strings->text[i].len))
			return nonsense(reader, "strings", "text");
		rc = keep_number(reader, &reader->strings,
				 memphis_strings_add(&reader->profile->strings, strings->text[i].data,
						     strings->text[i].len),
				 MPROF_STRING);
	}
	return rc;
}

static int check(struct reader *reader, const struct mprof_table *table, const ProtobufCMessage *message,
		 size_t *count)
{
	const char *wrong = mprof_check_rows(table, message, reader->bounds, count);

	return wrong ? nonsense(reader, table->name, wrong) : 0;
}

static int load_objects(struct reader *reader, const Mprof__Record *record)
{
	const uint32_t *strings = reader->strings.list;
	struct memphis_object object;
	size_t count, i;
	int rc = check(reader, &mprof_objects, &record->objects->base, &count);

	for (i = 0; !rc && i < count; i++) {
		mprof_get_row(&mprof_objects, &record->objects->base, i, &object);
		object.path = strings[object.path];
		object.build_id = strings[object.build_id];
		object.found = strings[object.found];
		object.debug_path = strings[object.debug_path];
		object.split_missing = strings[object.split_missing];
		rc = keep_number(reader, &reader->objects, memphis_profile_object(reader->profile, &object),
				 MPROF_OBJECT);
	}
	return rc;
}

static int load_variables(struct reader *reader, const Mprof__Record *record)
{
	const uint32_t *strings = reader->strings.list;
	struct memphis_variable variable;
	size_t count, i;
	int rc = check(reader, &mprof_variables, &record->variables->base, &count);

	for (i = 0; !rc && i < count; i++) {
		mprof_get_row(&mprof_variables, &record->variables->base, i, &variable);
		/* Outputs count on these two. */
		if (!variable.segment || !variable.name)
			return nonsense(reader, "variables", "name");
		variable.segment = strings[variable.segment];
		variable.name = strings[variable.name];
		variable.qualified = strings[variable.qualified];
		variable.site = strings[variable.site];
		variable.how = strings[variable.how];
		variable.why_not = strings[variable.why_not];
		rc = keep_number(reader, &reader->variables,
				 memphis_profile_variable(reader->profile, &variable), MPROF_VARIABLE);
	}
	return rc;
}

/* `frame` stands in the record's frames. */
static int load_instruction(struct reader *reader, const ProtobufCMessage *message, size_t number,
			    size_t *frame, size_t frame_count)
{
	struct memphis_instruction instruction;
	uint32_t i;

	mprof_get_row(&mprof_instructions, message, number, &instruction);
	if (!instruction.frame_count || instruction.frame_count > frame_count - *frame)
		return nonsense(reader, "instructions", "frame_count");
	if (memphis_grow(&reader->frames, &reader->frame_room, instruction.frame_count,
			 sizeof(*reader->frames)))
		return no_memory(reader);
	for (i = 0; i < instruction.frame_count; i++) {
		mprof_get_row(&mprof_frames, message, (*frame)++, &reader->frames[i]);
		reader->frames[i].function = reader->strings.list[reader->frames[i].function];
		reader->frames[i].path = reader->strings.list[reader->frames[i].path];
	}
	if (instruction.object != MEMPHIS_NONE)
		instruction.object = reader->objects.list[instruction.object];
	return keep_number(reader, &reader->instructions,
			   memphis_profile_instruction(reader->profile, instruction.object, instruction.pc,
						       reader->frames, instruction.frame_count),
			   MPROF_INSTRUCTION);
}

static int load_instructions(struct reader *reader, const Mprof__Record *record)
{
	size_t count, frame_count, frame = 0, i;
	int rc = check(reader, &mprof_instructions, &record->instructions->base, &count);

	if (!rc)
		rc = check(reader, &mprof_frames, &record->instructions->base, &frame_count);
	for (i = 0; !rc && i < count; i++)
		rc = load_instruction(reader, &record->instructions->base, i, &frame, frame_count);
	if (!rc && frame != frame_count)
		return nonsense(reader, "instructions", "frame_count");
	return rc;
}

static int load_regions(struct reader *reader, const Mprof__Record *record)
{
	struct memphis_profile *profile = reader->profile;
	struct memphis_profile_region region;
	size_t count, i;
	uint32_t row;
	int rc;

	rc = check(reader, &mprof_regions, &record->regions->base, &count);
	for (i = 0; !rc && i < count; i++) {
		mprof_get_row(&mprof_regions, &record->regions->base, i, &region);
		/* The first two rows are always there, and a parent stands before its regions. */
		if (reader->regions.count < 2)
			row = memphis_profile_region(profile, 0, (uint32_t)reader->regions.count);
		else if (!region.name || region.parent == MEMPHIS_REGION_UNKNOWN ||
			 region.parent >= reader->regions.count)
			return nonsense(reader, "regions", "parent");
		else
			row = memphis_profile_region(profile, reader->strings.list[region.name],
						     reader->regions.list[region.parent]);
		rc = keep_number(reader, &reader->regions, row, MPROF_REGION);
		if (!rc)
			profile->regions[row].written += region.written;
	}
	if (!rc && profile->by_region && reader->regions.count > 2)
		reader->bounds[MPROF_REGION_OF_CELL] = reader->regions.count;
	return rc;
}

/* Room for both of each, with its NUL. */
static size_t pair_bytes(const Mprof__Pairs *pairs)
{
	size_t bytes = 2 * pairs->n_key, i;

	for (i = 0; i < pairs->n_key; i++)
		bytes += pairs->key[i].len + pairs->value[i].len;
	return bytes;
}

static char *copy_text(char *to, ProtobufCBinaryData bytes)
{
	if (bytes.len)
		memcpy(to, bytes.data, bytes.len);
	to[bytes.len] = 0;
	return to + bytes.len + 1;
}

static int load_pairs(struct reader *reader, struct memphis_settings *settings, const Mprof__Pairs *pairs,
		      const char *record)
{
	char *to;
	size_t i;

	if (!pairs || !pairs->n_key)
		return 0;
	if (pairs->n_key != pairs->n_value)
		return nonsense(reader, record, "key");
	for (i = 0; i < pairs->n_key; i++) {
		if (!is_text(pairs->key[i]))
			return nonsense(reader, record, "key");
		if (!is_text(pairs->value[i]))
			return nonsense(reader, record, "value");
	}
	settings->bytes = pair_bytes(pairs);
	settings->count = pairs->n_key;
	settings->text = to = malloc(settings->bytes);
	if (!to)
		return no_memory(reader);
	for (i = 0; i < pairs->n_key; i++)
		to = copy_text(copy_text(to, pairs->key[i]), pairs->value[i]);
	return 0;
}

static int load_nodes(struct reader *reader, struct memphis_process *process, const Mprof__Process *from)
{
	struct memphis_node *node;
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < from->n_node; i++) {
		if (from->node[i]->node >= MEMPHIS_NODE_UNKNOWN)
			return nonsense(reader, "process", "node");
		node = memphis_append(process->nodes, process->node_count, process->node_room);
		if (!node)
			return no_memory(reader);
		node->node = from->node[i]->node;
		node->memory_bytes = from->node[i]->memory_bytes;
		node->cpus = text_of(reader, from->node[i]->cpus, "process", "cpus", &rc);
		node->distances = text_of(reader, from->node[i]->distances, "process", "distances", &rc);
	}
	return rc;
}

static int load_process_regions(struct reader *reader, struct memphis_process *process,
				const Mprof__Process *from)
{
	struct memphis_region *region;
	size_t i;
	int rc = 0;

	if (from->n_region_id != from->n_region_name || from->n_region_id != from->n_region_parent)
		return nonsense(reader, "process", "region_id");
	for (i = 0; !rc && i < from->n_region_id; i++) {
		if (!from->region_id[i] || from->region_id[i] > UINT32_MAX ||
		    from->region_parent[i] > UINT32_MAX)
			return nonsense(reader, "process", "region_id");
		region = memphis_append(process->regions, process->region_count, process->region_room);
		if (!region)
			return no_memory(reader);
		region->id = (uint32_t)from->region_id[i];
		region->parent = (uint32_t)from->region_parent[i];
		region->name = text_of(reader, from->region_name[i], "process", "region_name", &rc);
	}
	return rc;
}

/* Only that there were lists is kept of them. */
static int note_maps(struct reader *reader, struct memphis_process *process)
{
	uint64_t *time_ns =
		memphis_append(process->maps.times_ns, process->maps.time_count, process->maps.time_room);

	return time_ns ? 0 : no_memory(reader);
}

static int refuse_twice(const struct reader *reader, const Mprof__Process *from)
{
	const struct memphis_processes *processes = &reader->profile->processes;
	size_t i;

	for (i = 0; i < processes->count; i++)
		if (processes->list[i].run[0] == from->run_0 && processes->list[i].run[1] == from->run_1)
			return memphis_fail(reader->error, -EINVAL,
					    "%s: process %" PRIu32
					    " is in here and in what was given before; give each once",
					    reader->input.path, from->pid);
	return 0;
}

static struct memphis_process *append_process(struct memphis_profile *profile)
{
	struct memphis_timeline *timelines =
		realloc(profile->timelines, (profile->processes.count + 2) * sizeof(*timelines));

	if (!timelines)
		return NULL;
	profile->timelines = timelines;
	memset(&timelines[profile->processes.count], 0, sizeof(*timelines));
	return memphis_append(profile->processes.list, profile->processes.count, profile->processes.room);
}

static void trim(void *list, size_t count, size_t *room, size_t bytes)
{
	void *old, *less;

	memcpy(&old, list, sizeof(old));
	if (!count || count == *room || !(less = reallocarray(old, count, bytes)))
		return;
	memcpy(list, &less, sizeof(less));
	*room = count;
}

/* Nothing is added to the last process any more, and there may be thousands of them. */
static void trim_process(struct reader *reader)
{
	struct memphis_process *process = reader->process;
	struct memphis_timeline *timeline;

	if (!process)
		return;
	timeline = &reader->profile->timelines[reader->profile->processes.count - 1];
	trim(&timeline->list, timeline->count, &timeline->room, sizeof(*timeline->list));
	trim(&process->threads, process->thread_count, &process->thread_room, sizeof(*process->threads));
	trim(&process->nodes, process->node_count, &process->node_room, sizeof(*process->nodes));
	trim(&process->regions, process->region_count, &process->region_room, sizeof(*process->regions));
}

static int load_process(struct reader *reader, const Mprof__Record *record)
{
	const Mprof__Process *from = record->process;
	struct memphis_process *process;
	uint64_t width = from->tick_width_ns;
	int rc = refuse_twice(reader, from);

	if (rc)
		return rc;
	if (width & (width - 1))
		return nonsense(reader, "process", "tick_width_ns");
	trim_process(reader);
	process = append_process(reader->profile);
	if (!process)
		return no_memory(reader);
	reader->process = process;
	reader->bounds[MPROF_THREAD_OF_PROCESS] = 0;
	reader->profile->timelines[reader->profile->processes.count - 1].width_ns = width;
	process->run[0] = from->run_0;
	process->run[1] = from->run_1;
	process->pid = from->pid;
	process->closed = from->closed;
	process->unfinished = from->unfinished;
	process->path = text_of(reader, from->path, "process", "path", &rc);
	if (!rc && from->has_maps)
		rc = note_maps(reader, process);
	if (!rc)
		rc = load_pairs(reader, &process->settings, from->settings, "process");
	if (!rc)
		rc = load_pairs(reader, &process->losses, from->losses, "process");
	if (!rc)
		rc = load_nodes(reader, process, from);
	return rc ? rc : load_process_regions(reader, process, from);
}

static int load_thread(struct reader *reader, const Mprof__Thread *from)
{
	struct memphis_process *process = reader->process;
	struct memphis_thread *thread;
	size_t i;
	int rc = 0;

	if (from->n_books != 4 + MEMPHIS_REASONS_MAX)
		return nonsense(reader, "threads", "books");
	thread = memphis_append(process->threads, process->thread_count, process->thread_room);
	if (!thread)
		return no_memory(reader);
	thread->tid = from->tid;
	thread->closed = from->closed;
	thread->unfinished = from->unfinished;
	thread->samples = from->samples;
	thread->start_time_ns = from->start_time_ns;
	thread->read = from->read;
	thread->selected = from->selected;
	thread->books.interrupts = from->books[0];
	thread->books.kept = from->books[1];
	thread->books.lost = from->books[2];
	thread->books.throttled = from->books[3];
	for (i = 0; i < MEMPHIS_REASONS_MAX; i++)
		thread->books.filtered[i] = from->books[4 + i];
	thread->path = text_of(reader, from->path, "threads", "path", &rc);
	return rc ? rc : load_pairs(reader, &thread->facts, from->facts, "threads");
}

static int load_threads(struct reader *reader, const Mprof__Record *record)
{
	const Mprof__Threads *threads = record->threads;
	size_t i;
	int rc = 0;

	if (!reader->process)
		return nonsense(reader, "threads", "threads without a process");
	for (i = 0; !rc && i < threads->n_thread; i++)
		rc = load_thread(reader, threads->thread[i]);
	reader->bounds[MPROF_THREAD_OF_PROCESS] = reader->process->thread_count;
	if (reader->profile->by_thread)
		reader->bounds[MPROF_THREAD_OF_CELL] += threads->n_thread;
	return rc;
}

static int load_totals(struct reader *reader, const Mprof__Record *record)
{
	struct memphis_totals *totals = &reader->profile->totals;
	struct memphis_total *total;
	size_t count, i;
	int rc;

	if (!reader->process)
		return nonsense(reader, "totals", "totals without a process");
	rc = check(reader, &mprof_totals, &record->totals->base, &count);
	for (i = 0; !rc && i < count; i++) {
		total = memphis_append(totals->list, totals->count, totals->room);
		if (!total)
			return no_memory(reader);
		mprof_get_row(&mprof_totals, &record->totals->base, i, total);
		total->process = (uint32_t)reader->profile->processes.count - 1;
	}
	return rc;
}

static int load_series(struct reader *reader, const Mprof__Record *record)
{
	const Mprof__Series *from = record->series;
	struct memphis_timeline *timeline;
	struct memphis_series *series;

	if (!reader->process)
		return nonsense(reader, "series", "a series without a process");
	timeline = &reader->profile->timelines[reader->profile->processes.count - 1];
	if (from->n_ticks > MEMPHIS_TICKS || !timeline->width_ns)
		return nonsense(reader, "series", "ticks");
	if (from->node > MEMPHIS_NODE_UNKNOWN || from->home > MEMPHIS_NODE_UNKNOWN)
		return nonsense(reader, "series", "node");
	series = memphis_append(timeline->list, timeline->count, timeline->room);
	if (!series)
		return no_memory(reader);
	series->node = (uint16_t)from->node;
	series->home = (uint16_t)from->home;
	if (from->n_ticks)
		memcpy(series->ticks, from->ticks, from->n_ticks * sizeof(*series->ticks));
	return 0;
}

static int load_cells(struct reader *reader, const Mprof__Record *record)
{
	struct memphis_cell cell;
	size_t count, i;
	int rc = check(reader, &mprof_cells, &record->cells->base, &count);

	for (i = 0; !rc && i < count; i++) {
		mprof_get_row(&mprof_cells, &record->cells->base, i, &cell);
		if (!cell.count || cell.low > cell.high)
			return nonsense(reader, "cells", "count");
		cell.key.variable = reader->variables.list[cell.key.variable];
		cell.key.instruction = reader->instructions.list[cell.key.instruction];
		if (cell.key.region >= 2)
			cell.key.region = reader->regions.list[cell.key.region];
		if (reader->profile->by_thread)
			cell.key.thread += reader->first_thread;
		if (memphis_profile_add(reader->profile, &cell))
			return no_memory(reader);
	}
	return rc;
}

/* Is what stands between these not more than `count` steps of 1 << shift? */
static bool has_steps(uint64_t from, uint64_t to, uint32_t shift, uint64_t count)
{
	return from <= to && shift < 64 && (to >> shift) - (from >> shift) < count;
}

/* Appends a record's rows to one of the close-up's arrays. */
static int load_rows(struct reader *reader, const struct mprof_table *table, const ProtobufCMessage *message,
		     void *array, size_t *count, size_t *room)
{
	size_t more, i;
	char *rows;
	int rc;

	if (!reader->closeup)
		return nonsense(reader, table->name, "rows without a close-up");
	rc = check(reader, table, message, &more);
	if (rc)
		return rc;
	if (memphis_grow(array, room, *count + more, table->row_bytes))
		return no_memory(reader);
	memcpy(&rows, array, sizeof(rows));
	for (i = 0; i < more; i++)
		mprof_get_row(table, message, i, rows + (*count)++ * table->row_bytes);
	return 0;
}

static int load_closeup(struct reader *reader, const Mprof__Record *record)
{
	const Mprof__Closeup *from = record->closeup;
	struct memphis_profile *profile = reader->profile;
	struct memphis_closeup *closeup;
	size_t i;
	int rc;

	if (from->process >= profile->processes.count - reader->first_process)
		return nonsense(reader, "closeup", "process");
	if (from->variable >= reader->variables.count)
		return nonsense(reader, "closeup", "variable");
	if (!has_steps(from->low, from->high, from->bin_shift, MEMPHIS_CLOSEUP_BINS))
		return nonsense(reader, "closeup", "low");
	if (!has_steps(from->from_ns, from->to_ns, from->tick_shift, MEMPHIS_CLOSEUP_TICKS))
		return nonsense(reader, "closeup", "from_ns");
	closeup = memphis_append(profile->closeups, profile->closeup_count, profile->closeup_room);
	if (!closeup)
		return no_memory(reader);
	closeup->process = (uint32_t)reader->first_process + from->process;
	closeup->variable = reader->variables.list[from->variable];
	closeup->low = from->low;
	closeup->high = from->high;
	closeup->bin_shift = from->bin_shift;
	closeup->from_ns = from->from_ns;
	closeup->to_ns = from->to_ns;
	closeup->tick_shift = from->tick_shift;
	closeup->samples = from->samples;
	closeup->selected = from->selected;
	closeup->one_in = from->one_in;
	closeup->element_bytes = from->element_bytes;
	reader->closeup = closeup;
	rc = load_rows(reader, &mprof_closeup_regions, &record->closeup->base, &closeup->regions,
		       &closeup->region_count, &closeup->region_room);
	for (i = 0; !rc && i < closeup->region_count; i++)
		closeup->regions[i].region = reader->regions.list[closeup->regions[i].region];
	if (!rc)
		rc = load_rows(reader, &mprof_closeup_stores, &record->closeup->base, &closeup->stores,
			       &closeup->store_count, &closeup->store_room);
	for (i = 0; !rc && i < closeup->store_count; i++)
		closeup->stores[i].instruction = reader->instructions.list[closeup->stores[i].instruction];
	reader->bounds[MPROF_THREAD_OF_PROCESS] = profile->processes.list[closeup->process].thread_count;
	return rc;
}

static int load_spots(struct reader *reader, const Mprof__Record *record)
{
	struct memphis_closeup *closeup = reader->closeup ? reader->closeup : &reader->no_closeup;

	return load_rows(reader, &mprof_spots, &record->spots->base, &closeup->spots, &closeup->spot_count,
			 &closeup->spot_room);
}

static int load_uses(struct reader *reader, const Mprof__Record *record)
{
	struct memphis_closeup *closeup = reader->closeup ? reader->closeup : &reader->no_closeup;
	size_t before = closeup->use_count, i;
	int rc;

	rc = load_rows(reader, &mprof_uses, &record->uses->base, &closeup->uses, &closeup->use_count,
		       &closeup->use_room);
	for (i = before; !rc && i < closeup->use_count; i++)
		if (closeup->uses[i].first_store != MEMPHIS_NONE)
			closeup->uses[i].first_store =
				reader->instructions.list[closeup->uses[i].first_store];
	return rc;
}

static int load_fields(struct reader *reader, const Mprof__Record *record)
{
	struct memphis_closeup *closeup = reader->closeup ? reader->closeup : &reader->no_closeup;
	size_t before = closeup->field_count, i;
	int rc;

	rc = load_rows(reader, &mprof_fields, &record->fields->base, &closeup->fields, &closeup->field_count,
		       &closeup->field_room);
	for (i = before; !rc && i < closeup->field_count; i++)
		closeup->fields[i].name = reader->strings.list[closeup->fields[i].name];
	return rc;
}

static int load_words(struct reader *reader, const Mprof__Record *record)
{
	struct memphis_closeup *closeup = reader->closeup ? reader->closeup : &reader->no_closeup;

	return load_rows(reader, &mprof_words, &record->words->base, &closeup->words, &closeup->word_count,
			 &closeup->word_room);
}

static int load_end(struct reader *reader, const Mprof__Record *record)
{
	if (record->end->records != reader->input.records - 1)
		return nonsense(reader, "end", "records");
	trim_process(reader);
	reader->ended = true;
	return 0;
}

static int (*const loaders[])(struct reader *reader, const Mprof__Record *record) = {
	[MPROF__RECORD__KIND_START] = load_start,
	[MPROF__RECORD__KIND_STRINGS] = load_strings,
	[MPROF__RECORD__KIND_OBJECTS] = load_objects,
	[MPROF__RECORD__KIND_VARIABLES] = load_variables,
	[MPROF__RECORD__KIND_INSTRUCTIONS] = load_instructions,
	[MPROF__RECORD__KIND_REGIONS] = load_regions,
	[MPROF__RECORD__KIND_PROCESS] = load_process,
	[MPROF__RECORD__KIND_THREADS] = load_threads,
	[MPROF__RECORD__KIND_TOTALS] = load_totals,
	[MPROF__RECORD__KIND_SERIES] = load_series,
	[MPROF__RECORD__KIND_CELLS] = load_cells,
	[MPROF__RECORD__KIND_CLOSEUP] = load_closeup,
	[MPROF__RECORD__KIND_SPOTS] = load_spots,
	[MPROF__RECORD__KIND_USES] = load_uses,
	[MPROF__RECORD__KIND_FIELDS] = load_fields,
	[MPROF__RECORD__KIND_WORDS] = load_words,
	[MPROF__RECORD__KIND_END] = load_end,
};

static int load_record(struct reader *reader, const Mprof__Record *record)
{
	size_t kind = (size_t)record->kind_case;
	bool first = reader->input.records == 1;

	if (kind >= sizeof(loaders) / sizeof(*loaders) || !loaders[kind])
		return nonsense(reader, "?", "its kind");
	if (first != (kind == MPROF__RECORD__KIND_START) || reader->ended)
		return nonsense(reader, "?", "its place");
	return loaders[kind](reader, record);
}

/* Of many processes none are saved: they are let go as soon as there are many, however many files follow. */
static void drop_closeups(struct reader *reader)
{
	struct memphis_profile *profile = reader->profile;

	if (!reader->ended || profile->processes.count <= MEMPHIS_MPROF_CLOSEUP_PROCESSES)
		return;
	while (profile->closeup_count)
		memphis_closeup_close(&profile->closeups[--profile->closeup_count]);
}

static int load_records(struct reader *reader)
{
	Mprof__Record *record;
	int rc;

	while ((rc = mprof_input_record(&reader->input, &record, reader->error)) > 0) {
		rc = load_record(reader, record);
		if (!rc)
			drop_closeups(reader);
		mprof__record__free_unpacked(record, NULL);
		if (rc)
			return rc;
	}
	if (!rc && !reader->ended)
		return memphis_fail(reader->error, -EBADMSG, "%s: the last record is missing: damaged",
				    reader->input.path);
	return rc;
}

/* What is bounded by constants, and the numbers that are there before the file's own. */
static int begin(struct reader *reader)
{
	reader->bounds[MPROF_U32] = (uint64_t)UINT32_MAX + 1;
	reader->bounds[MPROF_U16] = UINT16_MAX + 1;
	reader->bounds[MPROF_BOOL] = 2;
	reader->bounds[MPROF_SOURCE] = SOURCES_MAX;
	reader->bounds[MPROF_REASON] = MEMPHIS_UNATTRIBUTED_REASONS;
	reader->bounds[MPROF_BIN] = MEMPHIS_CLOSEUP_BINS;
	reader->bounds[MPROF_TICK] = MEMPHIS_CLOSEUP_TICKS;
	reader->bounds[MPROF_WORD] = 8;
	reader->bounds[MPROF_STATE] = MEMPHIS_BINARY_NOT_ELF + 1;
	if (memphis_profile_region(reader->profile, 0, 0) == MEMPHIS_NONE)
		return no_memory(reader);
	return keep_number(reader, &reader->strings, memphis_strings_add(&reader->profile->strings, "", 0),
			   MPROF_STRING);
}

bool memphis_mprof_is(const char *path)
{
	return mprof_is(path);
}

int memphis_mprof_load(struct memphis_profile *profile, const char *path, struct memphis_error *error)
{
	struct reader reader = {.profile = profile, .error = error};
	int rc = mprof_input_open(&reader.input, path, error);

	if (rc)
		return rc;
	rc = begin(&reader);
	if (!rc)
		rc = load_records(&reader);
	mprof_input_close(&reader.input);
	free(reader.strings.list);
	free(reader.objects.list);
	free(reader.variables.list);
	free(reader.instructions.list);
	free(reader.regions.list);
	free(reader.frames);
	return rc;
}
