/* SPDX-License-Identifier: BSD-3-Clause */
/* The numbers that outputs show for a row, in a single table. To add a number to outputs, add a row to this table. */
#ifndef MEMPHIS_COLUMNS_H
#define MEMPHIS_COLUMNS_H

#include "view/rows.h"

/* The outputs, as bits. Each output shows its columns in the order of the table. */
enum memphis_column_place {
	MEMPHIS_IN_CSV = 1,
	MEMPHIS_IN_JSON = 2,
	MEMPHIS_IN_SQL = 4,
	/* views of the database that combine rows; such a column needs `combined` */
	MEMPHIS_IN_VIEWS = 8,
	MEMPHIS_IN_MEMBERS = 16, /* the members of a variable, in CSV and JSON */
	MEMPHIS_IN_TOTALS = 32,  /* the totals of threads, in JSON and SQLite */
	MEMPHIS_IN_PPROF = 64,
	MEMPHIS_IN_TEXT = 128,
	MEMPHIS_IN_LATENCIES = 256, /* text output that is sorted by latency */
	MEMPHIS_IN_PAGE = 512       /* the HTML page, which has the same rows as JSON */
};

/*
 * What a profile must have for the column. If it lacks this, CSV and text omit the column, and the other outputs show
 * its values as unknown.
 */
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

/* A value. The kind of the column says which member is valid. `real` is valid for all numbers. */
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
	const struct memphis_leaf_row *leaf; /* NULL: the row is not below a variable */
	bool estimated;                      /* the variable of the row is an estimate */
};

struct memphis_column {
	const char *key;
	const char *title; /* title in text and for pprof */
	int width;         /* width in text */
	enum memphis_shown_kind kind;
	int decimals;     /* number of decimals of real numbers in CSV */
	const char *unit; /* "count", "cycles", "bytes" or "share" (from 0 to 1); NULL: none */
	/* SQL function that combines the values of rows; NULL: they cannot be combined */
	const char *combined;
	enum memphis_column_needs needs;
	/* bits of enum memphis_column_place */
	unsigned int places;
	struct memphis_shown_value (*get)(const struct memphis_shown *row); /* NULL: the page computes it */
	/* The members below are only for the HTML page. */
	const char *heading, *help; /* NULL: none */
	/* position in the page's table of variables, from 1; 0: the table does not show the column */
	unsigned int order;
	/* path of the number in a JSON row, for example "waiting.waited.cycles"; NULL: the path is the key */
	const char *path;
};

/*
 * Returns the next column of this output after `column`, or its first one if `column` is NULL. Returns NULL if there
 * is no further column.
 */
const struct memphis_column *memphis_column_next(const struct memphis_column *column, unsigned int place);

/* Returns the number of columns of this output. */
size_t memphis_columns_count(unsigned int place);

/* Returns whether the rows have the data that the column needs. */
bool memphis_column_has(const struct memphis_column *column, const struct memphis_rows *rows);

#endif
