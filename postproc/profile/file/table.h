/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of a .mprof file: which column of which record (mprof.proto) is which member of which row. */
#ifndef MEMPHIS_MPROF_TABLE_H
#define MEMPHIS_MPROF_TABLE_H

#include <stdbool.h>

#include "profile/file/mprof.pb-c.h"

#define MPROF_COLUMNS_MAX 15
#define MPROF_ROWS_MAX    4096 /* that we write into one record */

/* Below what a value has to be: the reader keeps one bound of each. */
enum mprof_bound {
	MPROF_ANY = 0,
	MPROF_U32, /* what the member has room for */
	MPROF_U16,
	MPROF_BOOL,
	MPROF_STRING, /* rows of this file that are known already */
	MPROF_OBJECT,
	MPROF_VARIABLE,
	MPROF_INSTRUCTION,
	MPROF_REGION,
	MPROF_REGION_OF_CELL,
	MPROF_THREAD_OF_CELL,
	MPROF_THREAD_OF_PROCESS, /* or of a close-up's */
	MPROF_SOURCE,
	MPROF_REASON,
	MPROF_STATE,
	MPROF_BIN,
	MPROF_TICK,
	MPROF_WORD,
	MPROF_BOUNDS
};

struct mprof_column {
	const char *name;
	size_t count_at, values_at; /* in the record */
	size_t at, bytes;           /* in the row */
	enum mprof_bound bound;
	bool or_none;  /* MEMPHIS_NONE may stand there; what is written is one more, and 0 for it */
	bool optional; /* where it is left out all are 0 */
};

struct mprof_table {
	const char *name;
	const struct mprof_column *columns;
	size_t column_count, row_bytes;
};

extern const struct mprof_table mprof_objects, mprof_variables, mprof_instructions, mprof_frames,
	mprof_regions, mprof_totals, mprof_cells, mprof_spots, mprof_uses, mprof_fields, mprof_words,
	mprof_heatmap_regions, mprof_heatmap_stores;

/* The columns of `table` in `message` point into `room` then, and hold the `count` rows at `rows`. */
void mprof_put_rows(const struct mprof_table *table, ProtobufCMessage *message, const void *rows,
		    size_t count, uint64_t room[][MPROF_ROWS_MAX]);

/*
 * Are all columns as long as the first, and all values below their bounds? *count becomes the length. NULL, or the name of the column
 * that is not so.
 */
const char *mprof_check_rows(const struct mprof_table *table, const ProtobufCMessage *message,
			     const uint64_t bounds[MPROF_BOUNDS], size_t *count);

/* Fills the members of `row` that the table has; the others are cleared. */
void mprof_get_row(const struct mprof_table *table, const ProtobufCMessage *message, size_t number,
		   void *row);

#endif
