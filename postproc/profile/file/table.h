/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of a .mprof file. A table says which member of a row in memory each column of a record (mprof.proto) contains. */
#ifndef MEMPHIS_MPROF_TABLE_H
#define MEMPHIS_MPROF_TABLE_H

#include <stdbool.h>

#include "profile/file/mprof.pb-c.h"

#define MPROF_COLUMNS_MAX 32
#define MPROF_MPI_NUMBERS 11 /* number of values for each sum in Thread.mpi */
/* maximum number of rows per written record; longer records can also be read */
#define MPROF_ROWS_MAX 4096

/* Classes of values. All values of a class have the same exclusive upper bound, which is in mprof_reader.bounds. */
enum mprof_bound {
	MPROF_ANY = 0,
	MPROF_U32, /* any value of the type */
	MPROF_U16,
	MPROF_BOOL,
	/* from this class to MPROF_THREAD_OF_PROCESS: number of a row that was loaded earlier from this file */
	MPROF_STRING,
	MPROF_OBJECT,
	MPROF_VARIABLE,
	MPROF_INSTRUCTION,
	MPROF_CHAIN,
	MPROF_REGION,
	MPROF_REGION_OF_CELL,
	MPROF_THREAD_OF_CELL,
	MPROF_THREAD_OF_PROCESS, /* thread of the last process, or of the process of the last heatmap */
	MPROF_SOURCE,
	MPROF_REASON,
	MPROF_NO_CALLERS,
	MPROF_NO_TYPE,
	MPROF_STATE,
	MPROF_BIN,
	MPROF_TICK,
	MPROF_WORD,
	MPROF_WAIT_SOURCE,
	MPROF_LATENCY_BIN,
	MPROF_BOUNDS
};

struct mprof_column {
	const char *name;
	size_t count_at, values_at; /* offsets in the message */
	size_t at, bytes;           /* offset and size of the member in the row */
	enum mprof_bound bound;
	/* the value may be MEMPHIS_NONE; the file has the value plus 1, or 0 for MEMPHIS_NONE */
	bool or_none;
};

struct mprof_table {
	const char *name;
	const struct mprof_column *columns;
	size_t column_count, row_bytes;
};

extern const struct mprof_table mprof_objects, mprof_variables, mprof_instructions, mprof_frames,
	mprof_chains, mprof_calls, mprof_regions, mprof_totals, mprof_thread_series, mprof_wait_series,
	mprof_cells, mprof_spots, mprof_uses, mprof_fields, mprof_words, mprof_heatmap_regions,
	mprof_heatmap_stores, mprof_heatmap_parts, mprof_heatmap_latencies, mprof_heatmap_loads,
	mprof_heatmap_moments;

/*
 * Copies `count` rows at `rows` to the columns of the message. The columns use the memory of `room`, which must exist
 * at least as long as the message.
 */
void mprof_put_rows(const struct mprof_table *table, ProtobufCMessage *message, const void *rows,
		    size_t count, uint64_t room[][MPROF_ROWS_MAX]);

/*
 * Checks that all columns have the same length and that all values are less than their bounds. Sets *count to the
 * number of rows. Returns NULL, or the name of the first invalid column.
 */
const char *mprof_check_rows(const struct mprof_table *table, const ProtobufCMessage *message,
			     const uint64_t bounds[MPROF_BOUNDS], size_t *count);

/* Sets the members of `row` that the table describes, and clears all others. */
void mprof_get_row(const struct mprof_table *table, const ProtobufCMessage *message, size_t number,
		   void *row);

#endif
