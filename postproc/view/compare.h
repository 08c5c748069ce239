/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs side by side: which variables and lines gained or lost, and whether that is more than the noise of sampling. */
#ifndef MEMPHIS_COMPARE_H
#define MEMPHIS_COMPARE_H

#include "view/counters_table.h"
#include "view/rows.h"

/* What counts are divided by before they are compared. */
enum memphis_per {
	MEMPHIS_PER_RUN = 0,   /* nothing: all accesses of the runs */
	MEMPHIS_PER_SECOND,    /* time in which sampling was on, of the process that took longest */
	MEMPHIS_PER_OPERATION, /* operations that the sampling hardware counted: work */
	MEMPHIS_PERS
};

/* One of the runs. */
struct memphis_side {
	const char *name;
	struct memphis_profile profile;
	struct memphis_rows rows;
	struct memphis_counters_table counters;
	double seconds, operations; /* 0: not known */
	double weight; /* accesses that a sample stands for; 1 where the period says nothing of it */
};

/*
 * How the second of two counts differs from the first. Counts of samples are taken for independent (Poisson), so that, of the sum
 * of both, the second follows a binomial distribution: low and high are from Wilson's interval of its share, p is exact
 * for sums up to 1000, else by the normal distribution. What differs from run to run for other reasons is not in it.
 */
struct memphis_change {
	double ratio, low, high; /* of the second's rate to the first's; INFINITY where the first is 0 */
	double p;                /* probability of a difference as large if the rates were the same */
	bool noise; /* not significant at 5 % among all rows that were compared (Holm's method) */
};

struct memphis_change memphis_change_of(uint64_t first, double first_exposure, uint64_t second,
					double second_exposure);

struct memphis_compare_line {
	const char *file; /* its name without directories; of an instruction without line, its object's */
	const char *function;
	unsigned int line;
	uint64_t *counts;               /* by side */
	struct memphis_change *changes; /* by side; [0] is empty */
};

struct memphis_compare_variable {
	const char *segment, *name;
	uint64_t *counts;
	struct memphis_change *changes;
	struct memphis_compare_line *lines; /* largest change first */
	size_t line_count, line_room;
};

struct memphis_compare_node {
	uint32_t node;
	uint64_t *counts;
	struct memphis_change *changes;
	struct memphis_compare_variable *variables; /* largest change first, noise last */
	size_t variable_count, variable_room;
};

struct memphis_compare {
	struct memphis_side *sides; /* the caller's; the first is what the others are compared with */
	size_t side_count;
	enum memphis_per per;
	struct memphis_compare_node *nodes; /* in rising order */
	size_t node_count, node_room;
	uint64_t *counts; /* of all nodes */
	struct memphis_change *changes;
};

/* Fills in the numbers of a side whose profile and rows (by line) are there. */
void memphis_side_measure(struct memphis_side *side);

/* What counts of the side are divided by; 0: not known. */
double memphis_side_exposure(const struct memphis_side *side, enum memphis_per per);

/* 0 or -ENOMEM. The sides must stay as they are. Close it in either case. */
int memphis_compare_make(struct memphis_compare *compare, struct memphis_side *sides, size_t count,
			 enum memphis_per per);
void memphis_compare_close(struct memphis_compare *compare);

#endif
