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
	MEMPHIS_IN_VIEWS = 8,    /* views of the database that combine rows; the column has `combined` */
	MEMPHIS_IN_MEMBERS = 16, /* members of a variable, in CSV and JSON */
	MEMPHIS_IN_TOTALS = 32,  /* totals of threads, in JSON and SQLite */
	MEMPHIS_IN_PPROF = 64,
	MEMPHIS_IN_TEXT = 128,
	MEMPHIS_IN_LATENCIES = 256, /* text that is sorted by latency */
	MEMPHIS_IN_PAGE = 512       /* the page, whose rows are those of JSON */
};

/* What a profile must have for the column. If the profile lacks it, CSV and text omit the column, and the values in other outputs are unknown. */
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

/* A value. The column's kind says which member is set; `real` is set for all numbers. */
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
	const struct memphis_leaf_row *leaf; /* NULL: it is not a row below a variable */
	bool estimated;                      /* whether its variable is an estimate */
};

struct memphis_column {
	const char *key;
	const char *title; /* in text and for pprof */
	int width;         /* in text */
	enum memphis_shown_kind kind;
	int decimals;         /* number of decimals of real numbers in CSV */
	const char *unit;     /* "count", "cycles", "bytes", "share" (a part of 1); NULL: none */
	const char *combined; /* function of SQL by which rows are combined; NULL: they can't be combined */
	enum memphis_column_needs needs;
	unsigned int places;                                                /* enum memphis_column_place */
	struct memphis_shown_value (*get)(const struct memphis_shown *row); /* NULL: the page computes it */
	/* Only for the page. */
	const char *heading, *help; /* NULL: none */
	unsigned int order;         /* position in the page's table of variables, from 1; 0: not in it */
	const char *
		path; /* path of the number in a row of JSON, if it is not the key: "waiting.waited.cycles" */
};

/* Returns the column of the place that follows `column`, or the first one if it is NULL; NULL if there is none. */
const struct memphis_column *memphis_column_next(const struct memphis_column *column, unsigned int place);

/* Returns the number of columns of the place. */
size_t memphis_columns_count(unsigned int place);

/* Returns whether the rows have what the column needs. */
bool memphis_column_has(const struct memphis_column *column, const struct memphis_rows *rows);

#endif
