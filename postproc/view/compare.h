/* SPDX-License-Identifier: BSD-3-Clause */
/* Comparison of runs: which variables and lines gained or lost samples, and whether the change exceeds the noise of sampling. */
#ifndef MEMPHIS_COMPARE_H
#define MEMPHIS_COMPARE_H

#include "view/counters_table.h"
#include "view/lpi.h"
#include "view/region_times.h"
#include "view/rows.h"

/* The exposure by which counts are divided before they are compared. */
enum memphis_per {
	MEMPHIS_PER_RUN = 0,   /* 1, which compares all accesses of the runs */
	MEMPHIS_PER_SECOND,    /* time with sampling on: the longest time of any process */
	MEMPHIS_PER_OPERATION, /* operations that the sampling hardware counted, a measure of work */
	MEMPHIS_PERS
};

/* One of the runs that are compared. */
struct memphis_side {
	const char *name;
	struct memphis_profile profile;
	struct memphis_rows rows;
	struct memphis_counters_table counters;
	struct memphis_region_times times;
	double seconds, operations; /* 0: not known */
	double weight;              /* accesses per sample; 1 if the period counts no accesses */
	struct memphis_lpi lpi;
};

/*
 * The change from a first to a second count. Counts of samples are assumed to be independent (Poisson), so that the second one, given the sum of
 * both, is binomial: low and high come from the Wilson 95 % confidence interval of its share; p is exact for sums up to 1000, else by the normal
 * approximation. Variation between runs for other reasons is not included.
 */
struct memphis_change {
	double ratio, low, high; /* second rate to first rate; INFINITY if the first is 0 */
	double p;                /* probability of such a difference if the rates were equal */
	bool noise; /* not significant at 5 %, corrected for the number of rows (Holm's method) */
};

struct memphis_change memphis_change_of(uint64_t first, double first_exposure, uint64_t second,
					double second_exposure);

/* What one side has in a row. */
struct memphis_compared {
	uint64_t count;
	struct memphis_change change; /* from the first side; of the first one unused */
	struct memphis_waits waits;
};

/* All, a node, a variable of a node, or a line below a variable. */
struct memphis_compare_row {
	uint32_t node;
	const char *
		name; /* of the variable; of a line, the base name of the source file, or of the binary if no line is known; else "" */
	const char *shown;    /* of a variable: the name with what tells it from others; else as `name` */
	const char *segment;  /* of a variable; else "" */
	const char *function; /* of a line, or NULL */
	unsigned int line;
	struct memphis_compared *sides;
	struct memphis_compare_row
		*rows; /* nodes in ascending order; others with the largest change first, noise last */
	size_t count, room;
};

struct memphis_compare {
	struct memphis_side *sides; /* owned by the caller; all others are compared with the first one */
	size_t side_count;
	enum memphis_per per;
	struct memphis_compare_row all;
};

/* Computes seconds, operations, weight and lpi from the profile and the rows (by line) of the side. */
void memphis_side_measure(struct memphis_side *side);

/* Returns the exposure of a side; 0 if it is not known. */
double memphis_side_exposure(const struct memphis_side *side, enum memphis_per per);

/* The settings that decide which accesses leave samples. */
#define MEMPHIS_KEPT 4
extern const struct memphis_kept {
	const char *key, *preset; /* preset: the value that a file without the key implies */
} memphis_kept[MEMPHIS_KEPT];

/* Returns the value that the setting, an index of memphis_kept, has in all processes of the side; "several" if they differ. */
const char *memphis_side_kept(const struct memphis_side *side, size_t which);

/* Returns whether the setting is the same on all sides. */
bool memphis_compare_kept_alike(const struct memphis_compare *compare, size_t which);

/* Compares the sides. Returns 0 or -ENOMEM; close the comparison in either case. The sides must outlive it and not change. */
int memphis_compare_make(struct memphis_compare *compare, struct memphis_side *sides, size_t count,
			 enum memphis_per per);
void memphis_compare_close(struct memphis_compare *compare);

#endif
