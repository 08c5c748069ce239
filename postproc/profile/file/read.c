// SPDX-License-Identifier: BSD-3-Clause
/*
 * Loads a profile into a profile that may already contain others. Adds each row of the file like any new row, and
 * translates references between rows to the row numbers of the profile. Checks all contents of the file. Error
 * messages give the number of the record.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "profile/file/counters.h"
#include "profile/file/evidence.h"
#include "profile/file/mprof.h"
#include "profile/file/read_heatmap.h"
#include "profile/file/read_process.h"
#include "profile/file/reader.h"
#include "profile/numbers.h"
#include "profile/wait_source.h"
#include "profile/reasons.h"

/* number of bits in the mask of sources of a selection */
#define SOURCES_MAX 16

static int keep_number(struct mprof_reader *reader, struct mprof_numbers *numbers, uint32_t number,
		       enum mprof_bound bound)
{
	uint32_t *kept =
		number == MEMPHIS_NONE ? NULL : memphis_append(numbers->list, numbers->count, numbers->room);

	if (!kept)
		return mprof_no_memory(reader);
	*kept = number;
	reader->bounds[bound] = numbers->count;
	return 0;
}

static int load_start(struct mprof_reader *reader, const Mprof__Record *record)
{
	const Mprof__Start *start = record->start;
	struct memphis_profile *profile = reader->profile;
	char selection[sizeof(profile->selection)] = "";

	if (!start->selection.len || start->selection.len >= sizeof(selection))
		return mprof_nonsense(reader, "start", "selection");
	memcpy(selection, start->selection.data, start->selection.len);
	if (!memphis_select_kind(selection))
		return mprof_nonsense(reader, "start", "selection");
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
	profile->processes.empty_files += start->empty_files;
	profile->processes.damaged_files += start->damaged_files;
	profile->processes.empty_directories += start->empty_directories;
	reader->bounds[MPROF_REGION_OF_CELL] = profile->by_region ? 2 : 1;
	reader->bounds[MPROF_THREAD_OF_CELL] = profile->by_thread ? 0 : 1;
	reader->first_process = profile->processes.count;
	reader->first_thread = memphis_profile_thread(profile, profile->processes.count);
	return 0;
}

static int load_strings(struct mprof_reader *reader, const Mprof__Record *record)
{
	const Mprof__Strings *strings = record->strings;
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < strings->n_text; i++) {
		if (!strings->text[i].len || memchr(strings->text[i].data, 0, strings->text[i].len))
			return mprof_nonsense(reader, "strings", "text");
		rc = keep_number(reader, &reader->strings,
				 memphis_strings_add(&reader->profile->strings, strings->text[i].data,
						     strings->text[i].len),
				 MPROF_STRING);
	}
	return rc;
}

static int load_objects(struct mprof_reader *reader, const Mprof__Record *record)
{
	const uint32_t *strings = reader->strings.list;
	struct memphis_object object;
	size_t count, i;
	int rc = mprof_check(reader, &mprof_objects, &record->objects->base, &count);

	for (i = 0; !rc && i < count; i++) {
		mprof_get_row(&mprof_objects, &record->objects->base, i, &object);
		memphis_object_renumber(&object, strings);
		rc = keep_number(reader, &reader->objects,
				 memphis_profile_add_object(reader->profile, &object), MPROF_OBJECT);
	}
	return rc;
}

static int load_variables(struct mprof_reader *reader, const Mprof__Record *record)
{
	const uint32_t *strings = reader->strings.list;
	struct memphis_variable variable;
	size_t count, i;
	int rc = mprof_check(reader, &mprof_variables, &record->variables->base, &count);

	for (i = 0; !rc && i < count; i++) {
		mprof_get_row(&mprof_variables, &record->variables->base, i, &variable);
		/* Code that writes reports relies on these two members. */
		if (!variable.segment || !variable.name)
			return mprof_nonsense(reader, "variables", "name");
		memphis_variable_renumber(&variable, strings);
		rc = keep_number(reader, &reader->variables,
				 memphis_profile_add_variable(reader->profile, &variable), MPROF_VARIABLE);
	}
	return rc;
}

/*
 * Loads one instruction and its frames. *frame is the index of the next frame in the record, and is advanced by the
 * frames of the instruction.
 */
static int load_instruction(struct mprof_reader *reader, const ProtobufCMessage *message, size_t number,
			    size_t *frame, size_t frame_count)
{
	struct memphis_instruction instruction;
	uint32_t i, row;

	mprof_get_row(&mprof_instructions, message, number, &instruction);
	if (!instruction.frame_count || instruction.frame_count > frame_count - *frame)
		return mprof_nonsense(reader, "instructions", "frame_count");
	if (!instruction.type != !instruction.member)
		return mprof_nonsense(reader, "instructions", "member");
	if (memphis_grow(&reader->frames, &reader->frame_room, instruction.frame_count,
			 sizeof(*reader->frames)))
		return mprof_no_memory(reader);
	for (i = 0; i < instruction.frame_count; i++) {
		mprof_get_row(&mprof_frames, message, (*frame)++, &reader->frames[i]);
		reader->frames[i].function = reader->strings.list[reader->frames[i].function];
		reader->frames[i].path = reader->strings.list[reader->frames[i].path];
	}
	if (instruction.object != MEMPHIS_NONE)
		instruction.object = reader->objects.list[instruction.object];
	if (instruction.chain != MEMPHIS_NONE)
		instruction.chain = reader->chains.list[instruction.chain];
	row = memphis_profile_add_called_instruction(reader->profile, instruction.object, instruction.pc,
						     instruction.chain, reader->frames,
						     instruction.frame_count);
	if (row != MEMPHIS_NONE) {
		memphis_profile_set_type(reader->profile, row, reader->strings.list[instruction.type],
					 reader->strings.list[instruction.member], instruction.no_type);
		memphis_profile_set_called(reader->profile, row, reader->strings.list[instruction.called]);
	}
	return keep_number(reader, &reader->instructions, row, MPROF_INSTRUCTION);
}

/* Loads one chain and its calls. *call is the index of the next call in the record, and is advanced by the calls of the chain. */
static int load_chain(struct mprof_reader *reader, const ProtobufCMessage *message, size_t number,
		      size_t *call, size_t call_count)
{
	struct memphis_chain chain;
	uint32_t i, *calls, row;

	mprof_get_row(&mprof_chains, message, number, &chain);
	if (chain.call_count > call_count - *call ||
	    (chain.reason == 0) != (chain.program < chain.call_count))
		return mprof_nonsense(reader, "instructions", "call_count");
	calls = malloc(((size_t)chain.call_count + 1) * sizeof(*calls));
	if (!calls)
		return mprof_no_memory(reader);
	for (i = 0; i < chain.call_count; i++) {
		mprof_get_row(&mprof_calls, message, (*call)++, &row);
		calls[i] = reader->instructions.list[row];
		if (reader->profile->instructions[calls[i]].chain != MEMPHIS_NONE) {
			free(calls);
			return mprof_nonsense(reader, "instructions", "call");
		}
	}
	row = memphis_profile_add_chain(reader->profile, chain.reason, chain.program, calls,
					chain.call_count);
	free(calls);
	return keep_number(reader, &reader->chains, row, MPROF_CHAIN);
}

static int load_chains(struct mprof_reader *reader, const ProtobufCMessage *message)
{
	size_t count, call_count, call = 0, i;
	int rc = mprof_check(reader, &mprof_chains, message, &count);

	if (!rc)
		rc = mprof_check(reader, &mprof_calls, message, &call_count);
	for (i = 0; !rc && i < count; i++)
		rc = load_chain(reader, message, i, &call, call_count);
	if (!rc && call != call_count)
		return mprof_nonsense(reader, "instructions", "call_count");
	return rc;
}

static int load_instructions(struct mprof_reader *reader, const Mprof__Record *record)
{
	size_t count, frame_count, frame = 0, i;
	int rc = mprof_check(reader, &mprof_instructions, &record->instructions->base, &count);

	if (!rc)
		rc = mprof_check(reader, &mprof_frames, &record->instructions->base, &frame_count);
	for (i = 0; !rc && i < count; i++)
		rc = load_instruction(reader, &record->instructions->base, i, &frame, frame_count);
	if (!rc && frame != frame_count)
		return mprof_nonsense(reader, "instructions", "frame_count");
	return rc ? rc : load_chains(reader, &record->instructions->base);
}

static int load_regions(struct mprof_reader *reader, const Mprof__Record *record)
{
	struct memphis_profile *profile = reader->profile;
	struct memphis_profile_region region;
	size_t count, i;
	uint32_t row;
	int rc;

	rc = mprof_check(reader, &mprof_regions, &record->regions->base, &count);
	for (i = 0; !rc && i < count; i++) {
		mprof_get_row(&mprof_regions, &record->regions->base, i, &region);
		/* The first two rows are fixed. In all others, the parent must come before its children. */
		if (reader->regions.count < 2)
			row = memphis_profile_add_region(profile, 0, (uint32_t)reader->regions.count);
		else if (!region.name || region.parent == MEMPHIS_REGION_UNKNOWN ||
			 region.parent >= reader->regions.count)
			return mprof_nonsense(reader, "regions", "parent");
		else
			row = memphis_profile_add_region(profile, reader->strings.list[region.name],
							 reader->regions.list[region.parent]);
		rc = keep_number(reader, &reader->regions, row, MPROF_REGION);
		if (!rc)
			profile->regions[row].written += region.written;
	}
	if (!rc && profile->by_region && reader->regions.count > 2)
		reader->bounds[MPROF_REGION_OF_CELL] = reader->regions.count;
	return rc;
}

static int load_totals(struct mprof_reader *reader, const Mprof__Record *record)
{
	struct memphis_totals *totals = &reader->profile->totals;
	struct memphis_total *total;
	size_t count, i;
	int rc;

	if (!reader->process)
		return mprof_nonsense(reader, "totals", "totals without a process");
	rc = mprof_check(reader, &mprof_totals, &record->totals->base, &count);
	for (i = 0; !rc && i < count; i++) {
		total = memphis_append(totals->list, totals->count, totals->room);
		if (!total)
			return mprof_no_memory(reader);
		mprof_get_row(&mprof_totals, &record->totals->base, i, total);
		total->process = (uint32_t)reader->profile->processes.count - 1;
	}
	return rc;
}

static int load_series(struct mprof_reader *reader, const Mprof__Record *record)
{
	const Mprof__Series *from = record->series;
	struct memphis_timeline *timeline;
	struct memphis_series *series;

	if (!reader->process)
		return mprof_nonsense(reader, "series", "a series without a process");
	timeline = &reader->profile->timelines[reader->profile->processes.count - 1];
	if (from->n_ticks > MEMPHIS_TICKS || !timeline->width_ns)
		return mprof_nonsense(reader, "series", "ticks");
	if (from->node > MEMPHIS_NODE_UNKNOWN || from->home > MEMPHIS_NODE_UNKNOWN)
		return mprof_nonsense(reader, "series", "node");
	series = memphis_append(timeline->list, timeline->count, timeline->room);
	if (!series)
		return mprof_no_memory(reader);
	series->node = (uint16_t)from->node;
	series->home = (uint16_t)from->home;
	if (from->n_ticks)
		memcpy(series->ticks, from->ticks, from->n_ticks * sizeof(*series->ticks));
	return 0;
}

static int load_thread_series(struct mprof_reader *reader, const Mprof__Record *record)
{
	const Mprof__ThreadSeries *from = record->thread_series;
	struct memphis_thread_series *series;
	struct memphis_timeline *timeline;
	size_t count, i, at;
	int rc;

	if (!reader->process)
		return mprof_nonsense(reader, "thread series", "a series without a process");
	timeline = &reader->profile->timelines[reader->profile->processes.count - 1];
	rc = mprof_check(reader, &mprof_thread_series, &from->base, &count);
	if (!rc && (!timeline->width_ns || from->n_samples != count * MEMPHIS_STEPS))
		rc = mprof_nonsense(reader, "thread series", "samples");
	for (i = 0; !rc && i < count; i++) {
		series = memphis_append(timeline->threads, timeline->thread_count, timeline->thread_room);
		if (!series)
			return mprof_no_memory(reader);
		mprof_get_row(&mprof_thread_series, &from->base, i, series);
		for (at = 0; !rc && at < MEMPHIS_STEPS; at++) {
			series->steps[at] = (uint32_t)from->samples[i * MEMPHIS_STEPS + at];
			if (series->steps[at] != from->samples[i * MEMPHIS_STEPS + at])
				rc = mprof_nonsense(reader, "thread series", "samples");
		}
	}
	return rc;
}

static int load_wait_series(struct mprof_reader *reader, const Mprof__Record *record)
{
	const Mprof__WaitSeries *from = record->wait_series;
	struct memphis_timeline *timeline;
	struct memphis_wait_series *waits;
	size_t count, i;
	int rc;

	if (!reader->process)
		return mprof_nonsense(reader, "wait series", "a series without a process");
	timeline = &reader->profile->timelines[reader->profile->processes.count - 1];
	rc = mprof_check(reader, &mprof_wait_series, &from->base, &count);
	if (!rc && (!timeline->width_ns || from->n_samples != count * MEMPHIS_STEPS ||
		    from->n_latency_cycles != count * MEMPHIS_STEPS))
		rc = mprof_nonsense(reader, "wait series", "samples");
	for (i = 0; !rc && i < count; i++) {
		waits = memphis_append(timeline->waits, timeline->wait_count, timeline->wait_room);
		if (!waits)
			return mprof_no_memory(reader);
		mprof_get_row(&mprof_wait_series, &from->base, i, waits);
		memcpy(waits->counts, from->samples + i * MEMPHIS_STEPS, sizeof(waits->counts));
		memcpy(waits->cycles, from->latency_cycles + i * MEMPHIS_STEPS, sizeof(waits->cycles));
	}
	return rc;
}

static int load_cells(struct mprof_reader *reader, const Mprof__Record *record)
{
	struct memphis_cell cell;
	size_t count, i;
	int rc = mprof_check(reader, &mprof_cells, &record->cells->base, &count);

	for (i = 0; !rc && i < count; i++) {
		mprof_get_row(&mprof_cells, &record->cells->base, i, &cell);
		if (!cell.measure.count || cell.measure.low > cell.measure.high)
			return mprof_nonsense(reader, "cells", "count");
		cell.key.variable = reader->variables.list[cell.key.variable];
		cell.key.instruction = reader->instructions.list[cell.key.instruction];
		if (cell.key.region >= 2)
			cell.key.region = reader->regions.list[cell.key.region];
		if (reader->profile->by_thread)
			cell.key.thread += reader->first_thread;
		if (memphis_profile_add_cell(reader->profile, &cell))
			return mprof_no_memory(reader);
	}
	return rc;
}

static int load_end(struct mprof_reader *reader, const Mprof__Record *record)
{
	if (record->end->records != reader->input.records - 1)
		return mprof_nonsense(reader, "end", "records");
	mprof_trim_process(reader);
	reader->ended = true;
	return mprof_check_evidence(reader);
}

static int (*const loaders[])(struct mprof_reader *reader, const Mprof__Record *record) = {
	[MPROF__RECORD__KIND_START] = load_start,
	[MPROF__RECORD__KIND_STRINGS] = load_strings,
	[MPROF__RECORD__KIND_OBJECTS] = load_objects,
	[MPROF__RECORD__KIND_VARIABLES] = load_variables,
	[MPROF__RECORD__KIND_INSTRUCTIONS] = load_instructions,
	[MPROF__RECORD__KIND_REGIONS] = load_regions,
	[MPROF__RECORD__KIND_PROCESS] = mprof_load_process,
	[MPROF__RECORD__KIND_THREADS] = mprof_load_threads,
	[MPROF__RECORD__KIND_TOTALS] = load_totals,
	[MPROF__RECORD__KIND_SERIES] = load_series,
	[MPROF__RECORD__KIND_THREAD_SERIES] = load_thread_series,
	[MPROF__RECORD__KIND_WAIT_SERIES] = load_wait_series,
	[MPROF__RECORD__KIND_CELLS] = load_cells,
	[MPROF__RECORD__KIND_HEATMAP] = mprof_load_heatmap,
	[MPROF__RECORD__KIND_SPOTS] = mprof_load_spots,
	[MPROF__RECORD__KIND_USES] = mprof_load_uses,
	[MPROF__RECORD__KIND_FIELDS] = mprof_load_fields,
	[MPROF__RECORD__KIND_WORDS] = mprof_load_words,
	[MPROF__RECORD__KIND_METRIC] = mprof_load_metric,
	[MPROF__RECORD__KIND_END] = load_end,
};

static int load_record(struct mprof_reader *reader, const Mprof__Record *record)
{
	size_t kind = (size_t)record->kind_case;
	bool first = reader->input.records == 1;

	if (kind >= sizeof(loaders) / sizeof(*loaders) || !loaders[kind])
		return mprof_nonsense(reader, "?", "its kind");
	if (first != (kind == MPROF__RECORD__KIND_START) || reader->ended)
		return mprof_nonsense(reader, "?", "its place");
	return loaders[kind](reader, record);
}

static int load_records(struct mprof_reader *reader)
{
	Mprof__Record *record = NULL;
	int rc;

	while ((rc = mprof_input_record(&reader->input, &record, reader->error)) > 0) {
		rc = load_record(reader, record);
		mprof__record__free_unpacked(record, NULL);
		if (rc)
			return rc;
	}
	if (!rc && !reader->ended)
		return memphis_fail(reader->error, -EBADMSG, "%s: the last record is missing: damaged",
				    reader->input.path);
	return rc;
}

/* Sets the bounds that are the same for all files, and adds the rows with which every profile begins. */
static int begin_profile(struct mprof_reader *reader)
{
	reader->bounds[MPROF_U32] = (uint64_t)UINT32_MAX + 1;
	reader->bounds[MPROF_U16] = UINT16_MAX + 1;
	reader->bounds[MPROF_BOOL] = 2;
	reader->bounds[MPROF_SOURCE] = SOURCES_MAX;
	reader->bounds[MPROF_REASON] = MEMPHIS_UNATTRIBUTED_REASONS;
	reader->bounds[MPROF_NO_CALLERS] = MEMPHIS_NO_CALLERS_CHECK + 1;
	reader->bounds[MPROF_NO_TYPE] = MEMPHIS_NO_TYPE_REASONS;
	reader->bounds[MPROF_BIN] = MEMPHIS_HEATMAP_BINS;
	reader->bounds[MPROF_WAIT_SOURCE] = MEMPHIS_WAIT_SOURCES;
	reader->bounds[MPROF_LATENCY_BIN] = MEMPHIS_LATENCY_BINS;
	reader->bounds[MPROF_TICK] = MEMPHIS_HEATMAP_TICKS;
	reader->bounds[MPROF_WORD] = 8;
	reader->bounds[MPROF_STATE] = MEMPHIS_BINARY_STATES;
	if (memphis_profile_add_region(reader->profile, 0, 0) == MEMPHIS_NONE)
		return mprof_no_memory(reader);
	return keep_number(reader, &reader->strings, memphis_strings_add(&reader->profile->strings, "", 0),
			   MPROF_STRING);
}

bool memphis_mprof_is(const char *path)
{
	return mprof_is(path);
}

int memphis_mprof_load(struct memphis_profile *profile, const char *path, struct memphis_error *error)
{
	struct mprof_reader reader = {.profile = profile, .error = error};
	int rc = mprof_input_open(&reader.input, path, error);

	if (rc)
		return rc;
	rc = begin_profile(&reader);
	if (!rc)
		rc = load_records(&reader);
	mprof_input_close(&reader.input);
	free(reader.strings.list);
	free(reader.objects.list);
	free(reader.variables.list);
	free(reader.instructions.list);
	free(reader.chains.list);
	free(reader.regions.list);
	free(reader.frames);
	return rc;
}
