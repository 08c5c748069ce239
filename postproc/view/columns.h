/* SPDX-License-Identifier: BSD-3-Clause */
/* The numbers that outputs show for a row, in one table. A new number is a row of this table. */
#ifndef MEMPHIS_COLUMNS_H
#define MEMPHIS_COLUMNS_H

#include "view/rows.h"

/* The outputs that have a column, as bits. Each output has its columns in the order of the table. */
enum memphis_column_place {
	MEMPHIS_IN_CSV = 1,
	MEMPHIS_IN_JSON = 2,
	MEMPHIS_IN_SQL = 4,
	MEMPHIS_IN_MEMBERS = 8, /* members of a variable, in CSV and JSON */
	MEMPHIS_IN_TOTALS = 16, /* totals of threads, in JSON and SQLite */
	MEMPHIS_IN_TEXT = 32,
	MEMPHIS_IN_LATENCIES = 64 /* text that is sorted by latency */
};

/* What a profile must have for the column. For a profile that lacks this, CSV and text have no such column, and its values in other outputs are unknown. */
enum memphis_column_needs {
	MEMPHIS_NEEDS_NOTHING = 0,
	MEMPHIS_NEEDS_WAITING,  /* estimated waiting */
	MEMPHIS_NEEDS_CALLERS,  /* callers of samples in libraries */
	MEMPHIS_NEEDS_ESTIMATES /* estimated variables */
};

enum memphis_shown_kind {
	MEMPHIS_SHOWN_NUMBER = 0,
	MEMPHIS_SHOWN_ADDRESS,
	MEMPHIS_SHOWN_REAL,
	MEMPHIS_SHOWN_TEXT
};

/* A value. The member that the column's kind names is set; `real` is set for all numbers. */
struct memphis_shown_value {
	bool known;
	uint64_t number;
	double real;
	const char *text;
};

/* A row of an output. */
struct memphis_shown {
	const struct memphis_rows *rows;
	const struct memphis_sum *sum;
	const struct memphis_leaf_row *leaf; /* NULL: the row is none */
	bool estimated;                      /* whether its variable is */
};

struct memphis_column {
	const char *key;
	const char *title; /* in text */
	int width;
	enum memphis_shown_kind kind;
	int decimals; /* number of decimals of real numbers in CSV */
	/* Name of the function of SQL by which rows are combined; NULL: they can't be combined. */
	const char *combined;
	enum memphis_column_needs needs;
	unsigned int places; /* enum memphis_column_place */
	struct memphis_shown_value (*get)(const struct memphis_shown *row);
};

/* Returns the column of the place that follows `column`, or the first one if it is NULL; NULL if there is none. */
const struct memphis_column *memphis_column_next(const struct memphis_column *column, unsigned int place);

/* Returns the number of columns of the place. */
int memphis_columns_count(unsigned int place);

/* Returns whether the rows have what the column needs. */
bool memphis_column_has(const struct memphis_column *column, const struct memphis_rows *rows);

#endif
