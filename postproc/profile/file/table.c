// SPDX-License-Identifier: BSD-3-Clause
/* The tables of a .mprof file. Converts between rows in memory and columns in the file. */
#include "profile/file/table.h"

#include <stddef.h>
#include <string.h>

#include "profile/heatmap.h"
#include "profile/profile.h"

#define MEMBER_BYTES(row, member) sizeof(((row *)0)->member)
#define COLUMN(message, column, row, member, ...)                                                         \
	{                                                                                                 \
#column, offsetof(message, n_##column), offsetof(message, column), offsetof(row, member), \
			MEMBER_BYTES(row, member), __VA_ARGS__                                            \
	}
#define COUNT(columns) (sizeof(columns) / sizeof(*(columns)))
#define TABLE(name, columns, row)                          \
	{                                                  \
		name, columns, COUNT(columns), sizeof(row) \
	}

#define OBJECT(column, bound) COLUMN(Mprof__Objects, column, struct memphis_object, column, bound, false)
static const struct mprof_column objects[] = {
	OBJECT(path, MPROF_STRING),       OBJECT(build_id, MPROF_STRING),      OBJECT(found, MPROF_STRING),
	OBJECT(debug_path, MPROF_STRING), OBJECT(state, MPROF_STATE),          OBJECT(unverified, MPROF_BOOL),
	OBJECT(has_debug, MPROF_BOOL),    OBJECT(split_missing, MPROF_STRING),
};
const struct mprof_table mprof_objects = TABLE("objects", objects, struct memphis_object);

#define VARIABLE(column) \
	COLUMN(Mprof__Variables, column, struct memphis_variable, column, MPROF_STRING, false)
static const struct mprof_column variables[] = {VARIABLE(segment), VARIABLE(name),     VARIABLE(qualified),
						VARIABLE(site),    VARIABLE(how),      VARIABLE(why_not),
						VARIABLE(object),  VARIABLE(declared), VARIABLE(unit)};
const struct mprof_table mprof_variables = TABLE("variables", variables, struct memphis_variable);

#define INSTRUCTION(column, bound, or_none) \
	COLUMN(Mprof__Instructions, column, struct memphis_instruction, column, bound, or_none)
static const struct mprof_column instructions[] = {
	INSTRUCTION(pc, MPROF_ANY, false),          INSTRUCTION(object, MPROF_OBJECT, true),
	INSTRUCTION(frame_count, MPROF_U32, false), INSTRUCTION(chain, MPROF_CHAIN, true),
	INSTRUCTION(type, MPROF_STRING, false),     INSTRUCTION(member, MPROF_STRING, false),
	INSTRUCTION(no_type, MPROF_NO_TYPE, false), INSTRUCTION(called, MPROF_STRING, false),
};
const struct mprof_table mprof_instructions = TABLE("instructions", instructions, struct memphis_instruction);

#define FRAME(column, bound) \
	COLUMN(Mprof__Instructions, column, struct memphis_profile_frame, column, bound, false)
static const struct mprof_column frames[] = {FRAME(function, MPROF_STRING), FRAME(path, MPROF_STRING),
					     FRAME(line, MPROF_U32), FRAME(approximate, MPROF_BOOL)};
const struct mprof_table mprof_frames = TABLE("frames", frames, struct memphis_profile_frame);

#define CHAIN(column, bound) COLUMN(Mprof__Instructions, column, struct memphis_chain, column, bound, false)
static const struct mprof_column chains[] = {CHAIN(reason, MPROF_NO_CALLERS), CHAIN(program, MPROF_U32),
					     CHAIN(call_count, MPROF_U32)};
const struct mprof_table mprof_chains = TABLE("chains", chains, struct memphis_chain);

static const struct mprof_column calls[] = {{"call", offsetof(Mprof__Instructions, n_call),
					     offsetof(Mprof__Instructions, call), 0, sizeof(uint32_t),
					     MPROF_INSTRUCTION, false}};
const struct mprof_table mprof_calls = TABLE("calls", calls, uint32_t);

#define REGION(column, bound) \
	COLUMN(Mprof__Regions, column, struct memphis_profile_region, column, bound, false)
static const struct mprof_column regions[] = {REGION(name, MPROF_STRING), REGION(parent, MPROF_U32),
					      REGION(written, MPROF_ANY)};
const struct mprof_table mprof_regions = TABLE("regions", regions, struct memphis_profile_region);

#define TOTAL(column, member, bound) COLUMN(Mprof__Totals, column, struct memphis_total, member, bound, false)
static const struct mprof_column totals[] = {
	TOTAL(thread, thread, MPROF_THREAD_OF_PROCESS),
	TOTAL(node, access.node, MPROF_U16),
	TOTAL(home, access.home, MPROF_U16),
	TOTAL(source, access.source, MPROF_SOURCE),
	TOTAL(flags, access.flags, MPROF_U16),
	TOTAL(count, measure.count, MPROF_ANY),
	TOTAL(accesses, measure.accesses, MPROF_ANY),
	TOTAL(latency_cycles, measure.latency_cycles, MPROF_ANY),
	TOTAL(latency_squares, measure.latency_squares, MPROF_ANY),
	TOTAL(latency_max_cycles, measure.latency_max_cycles, MPROF_ANY),
};
const struct mprof_table mprof_totals = TABLE("totals", totals, struct memphis_total);

#define THREAD(column, bound) \
	COLUMN(Mprof__ThreadSeries, column, struct memphis_thread_series, column, bound, false)
static const struct mprof_column thread_series[] = {THREAD(thread, MPROF_THREAD_OF_PROCESS),
						    THREAD(node, MPROF_U16), THREAD(home, MPROF_U16)};
const struct mprof_table mprof_thread_series =
	TABLE("thread series", thread_series, struct memphis_thread_series);

#define WAIT(column, bound) \
	COLUMN(Mprof__WaitSeries, column, struct memphis_wait_series, column, bound, false)
static const struct mprof_column wait_series[] = {WAIT(node, MPROF_U16), WAIT(source, MPROF_WAIT_SOURCE)};
const struct mprof_table mprof_wait_series = TABLE("wait series", wait_series, struct memphis_wait_series);

#define CELL(column, member, bound) COLUMN(Mprof__Cells, column, struct memphis_cell, member, bound, false)
static const struct mprof_column cells[] = {
	CELL(variable, key.variable, MPROF_VARIABLE),
	CELL(instruction, key.instruction, MPROF_INSTRUCTION),
	CELL(region, key.region, MPROF_REGION_OF_CELL),
	CELL(thread, key.thread, MPROF_THREAD_OF_CELL),
	CELL(node, key.access.node, MPROF_U16),
	CELL(home, key.access.home, MPROF_U16),
	CELL(source, key.access.source, MPROF_SOURCE),
	CELL(flags, key.access.flags, MPROF_U16),
	CELL(reason, key.reason, MPROF_REASON),
	CELL(count, measure.count, MPROF_ANY),
	CELL(accesses, measure.accesses, MPROF_ANY),
	CELL(latency_cycles, measure.latency_cycles, MPROF_ANY),
	CELL(latency_max_cycles, measure.latency_max_cycles, MPROF_ANY),
	CELL(low, measure.low, MPROF_ANY),
	CELL(high, measure.high, MPROF_ANY),
	CELL(doubt_ppm, measure.doubt_ppm, MPROF_ANY),
	CELL(latency_squares, measure.latency_squares, MPROF_ANY),
};
_Static_assert(sizeof(cells) / sizeof(*cells) <= MPROF_COLUMNS_MAX, "the writer has room for the columns");
const struct mprof_table mprof_cells = TABLE("cells", cells, struct memphis_cell);

#define SPOT(column, bound) COLUMN(Mprof__Spots, column, struct memphis_heatmap_spot, column, bound, false)
static const struct mprof_column spots[] = {SPOT(bin, MPROF_BIN),   SPOT(tick, MPROF_TICK),
					    SPOT(node, MPROF_U16),  SPOT(home, MPROF_U16),
					    SPOT(count, MPROF_U32), SPOT(selected, MPROF_U32)};
const struct mprof_table mprof_spots = TABLE("spots", spots, struct memphis_heatmap_spot);

#define USE(column, bound, or_none) \
	COLUMN(Mprof__Uses, column, struct memphis_heatmap_use, column, bound, or_none)
static const struct mprof_column uses[] = {
	USE(thread, MPROF_THREAD_OF_PROCESS, false),
	USE(node, MPROF_U16, false),
	USE(bin, MPROF_BIN, false),
	USE(count, MPROF_U32, false),
	USE(stores, MPROF_U32, false),
	USE(selected, MPROF_U32, false),
	USE(first_ns, MPROF_ANY, false),
	USE(first_store_ns, MPROF_ANY, false),
	USE(first_store, MPROF_INSTRUCTION, true),
};
const struct mprof_table mprof_uses = TABLE("uses", uses, struct memphis_heatmap_use);

#define IN_REGION(column, member, bound) \
	COLUMN(Mprof__Heatmap, column, struct memphis_heatmap_region, member, bound, false)
static const struct mprof_column heatmap_regions[] = {
	IN_REGION(region, region, MPROF_REGION), IN_REGION(region_count, count, MPROF_U32),
	IN_REGION(region_remote, remote, MPROF_U32), IN_REGION(region_hitm, hitm, MPROF_U32)};
const struct mprof_table mprof_heatmap_regions =
	TABLE("heatmap", heatmap_regions, struct memphis_heatmap_region);

#define STORE(column, member, bound) \
	COLUMN(Mprof__Heatmap, column, struct memphis_heatmap_store, member, bound, false)
static const struct mprof_column heatmap_stores[] = {
	STORE(store_instruction, instruction, MPROF_INSTRUCTION), STORE(store_count, count, MPROF_U32),
	STORE(store_first_ns, first_ns, MPROF_ANY), STORE(store_last_ns, last_ns, MPROF_ANY)};
const struct mprof_table mprof_heatmap_stores =
	TABLE("heatmap", heatmap_stores, struct memphis_heatmap_store);

#define PART(column, member, bound) \
	COLUMN(Mprof__Heatmap, column, struct memphis_heatmap_part, member, bound, false)
static const struct mprof_column heatmap_parts[] = {
	PART(part_name, name, MPROF_STRING), PART(part_node, node, MPROF_U16),
	PART(part_count, count, MPROF_U32),  PART(part_first, first, MPROF_ANY),
	PART(part_last, last, MPROF_ANY),    PART(part_elements, elements, MPROF_ANY)};
const struct mprof_table mprof_heatmap_parts = TABLE("heatmap", heatmap_parts, struct memphis_heatmap_part);

#define LATENCY(column, member, bound) \
	COLUMN(Mprof__Heatmap, column, struct memphis_heatmap_latency, member, bound, false)
static const struct mprof_column heatmap_latencies[] = {
	LATENCY(latency_source, source, MPROF_WAIT_SOURCE), LATENCY(latency_bin, bin, MPROF_LATENCY_BIN),
	LATENCY(latency_count, count, MPROF_U32), LATENCY(latency_cycles, cycles, MPROF_ANY)};
const struct mprof_table mprof_heatmap_latencies =
	TABLE("heatmap", heatmap_latencies, struct memphis_heatmap_latency);

#define LOAD(column, member, bound) \
	COLUMN(Mprof__Heatmap, column, struct memphis_heatmap_load, member, bound, false)
static const struct mprof_column heatmap_loads[] = {LOAD(load_instruction, instruction, MPROF_INSTRUCTION),
						    LOAD(load_count, count, MPROF_U32),
						    LOAD(load_fetched, fetched, MPROF_U32),
						    LOAD(load_selected, selected, MPROF_U32),
						    LOAD(load_lines, lines, MPROF_U32),
						    LOAD(load_narrowest, narrowest, MPROF_U32),
						    LOAD(load_widest, widest, MPROF_U32),
						    LOAD(load_bytes, bytes, MPROF_ANY),
						    LOAD(load_others, others, MPROF_U32),
						    LOAD(load_others_widest, others_widest, MPROF_U32)};
const struct mprof_table mprof_heatmap_loads = TABLE("heatmap", heatmap_loads, struct memphis_heatmap_load);

#define MOMENT(column, member, bound) \
	COLUMN(Mprof__Heatmap, column, struct memphis_heatmap_moment, member, bound, false)
static const struct mprof_column heatmap_moments[] = {
	MOMENT(moment_instruction, instruction, MPROF_INSTRUCTION), MOMENT(moment_tick, tick, MPROF_U16),
	MOMENT(moment_node, node, MPROF_U16), MOMENT(moment_selected, selected, MPROF_U32)};
const struct mprof_table mprof_heatmap_moments =
	TABLE("heatmap", heatmap_moments, struct memphis_heatmap_moment);

_Static_assert(COUNT(heatmap_regions) + COUNT(heatmap_stores) + COUNT(heatmap_parts) +
			       COUNT(heatmap_latencies) + COUNT(heatmap_loads) + COUNT(heatmap_moments) <=
		       MPROF_COLUMNS_MAX,
	       "the writer has room for the columns");

#define FIELD(column, bound) COLUMN(Mprof__Fields, column, struct memphis_heatmap_field, column, bound, false)
static const struct mprof_column fields[] = {FIELD(name, MPROF_STRING), FIELD(offset, MPROF_U32),
					     FIELD(node, MPROF_U16),    FIELD(count, MPROF_U32),
					     FIELD(stores, MPROF_U32),  FIELD(hitm, MPROF_U32),
					     FIELD(selected, MPROF_U32)};
const struct mprof_table mprof_fields = TABLE("fields", fields, struct memphis_heatmap_field);

#define WORD(column, bound) COLUMN(Mprof__Words, column, struct memphis_heatmap_word, column, bound, false)
static const struct mprof_column words[] = {WORD(line, MPROF_ANY),  WORD(thread, MPROF_THREAD_OF_PROCESS),
					    WORD(node, MPROF_U16),  WORD(word, MPROF_WORD),
					    WORD(loads, MPROF_U32), WORD(stores, MPROF_U32),
					    WORD(hitm, MPROF_U32)};
const struct mprof_table mprof_words = TABLE("words", words, struct memphis_heatmap_word);

static uint64_t read_member(const char *at, size_t bytes)
{
	uint64_t value = 0;

	/*
	 * Read with the type of the member, because memcpy() of fewer bytes into a wider integer would depend on the
	 * byte order.
	 */
	switch (bytes) {
	case 1:
		return *(const uint8_t *)at;
	case 2:
		return *(const uint16_t *)at;
	case 4:
		return *(const uint32_t *)at;
	}
	memcpy(&value, at, sizeof(value));
	return value;
}

static void set_member(char *at, size_t bytes, uint64_t value)
{
	switch (bytes) {
	case 1:
		*(uint8_t *)at = (uint8_t)value;
		return;
	case 2:
		*(uint16_t *)at = (uint16_t)value;
		return;
	case 4:
		*(uint32_t *)at = (uint32_t)value;
		return;
	}
	memcpy(at, &value, sizeof(value));
}

void mprof_put_rows(const struct mprof_table *table, ProtobufCMessage *message, const void *rows,
		    size_t count, uint64_t room[][MPROF_ROWS_MAX])
{
	const struct mprof_column *column;
	const char *row;
	size_t i, j;

	for (i = 0; i < table->column_count; i++) {
		column = &table->columns[i];
		*(size_t *)((char *)message + column->count_at) = count;
		*(uint64_t **)((char *)message + column->values_at) = room[i];
		row = rows;
		for (j = 0; j < count; j++, row += table->row_bytes) {
			room[i][j] = read_member(row + column->at, column->bytes);
			/* MEMPHIS_NONE is UINT32_MAX; adding 1 gives 0. */
			if (column->or_none)
				room[i][j] = (uint32_t)(room[i][j] + 1);
		}
	}
}

static size_t value_count(const struct mprof_column *column, const ProtobufCMessage *message)
{
	return *(const size_t *)((const char *)message + column->count_at);
}

static const uint64_t *column_values(const struct mprof_column *column, const ProtobufCMessage *message)
{
	return *(uint64_t *const *)((const char *)message + column->values_at);
}

const char *mprof_check_rows(const struct mprof_table *table, const ProtobufCMessage *message,
			     const uint64_t bounds[MPROF_BOUNDS], size_t *count)
{
	const struct mprof_column *column;
	const uint64_t *values;
	size_t i, j;

	*count = value_count(&table->columns[0], message);
	for (i = 0; i < table->column_count; i++) {
		column = &table->columns[i];
		if (value_count(column, message) != *count)
			return column->name;
		values = column_values(column, message);
		for (j = 0; column->bound != MPROF_ANY && j < *count; j++)
			if (values[j] >= bounds[column->bound] + column->or_none)
				return column->name;
	}
	return NULL;
}

void mprof_get_row(const struct mprof_table *table, const ProtobufCMessage *message, size_t number, void *row)
{
	const struct mprof_column *column;
	uint64_t value;
	size_t i;

	memset(row, 0, table->row_bytes);
	for (i = 0; i < table->column_count; i++) {
		column = &table->columns[i];
		value = column_values(column, message)[number];
		set_member((char *)row + column->at, column->bytes,
			   column->or_none ? (uint32_t)(value - 1) : value);
	}
}
