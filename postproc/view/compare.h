/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares runs: which variables and lines have more or fewer samples than before, and whether the change exceeds the noise. */
#ifndef MEMPHIS_COMPARE_H
#define MEMPHIS_COMPARE_H

#include "view/counters_table.h"
#include "view/lpi.h"
#include "view/region_times.h"
#include "view/rows.h"

#define MEMPHIS_SIGNIFICANCE 0.05 /* a change whose p is not smaller than this is noise */

/* The exposure of a run. Counts are divided by it before they are compared. */
enum memphis_per {
	MEMPHIS_PER_RUN = 0, /* 1: all accesses of the runs are compared */
	MEMPHIS_PER_SECOND,  /* the longest time for which sampling was on in any process */
	/* the number of operations that the sampling hardware counted, as a measure of work */
	MEMPHIS_PER_OPERATION,
	MEMPHIS_PERS
};

/* The sources of data whose waiting is compared: all sources beyond the L2, or only memory and caches of other nodes. */
enum memphis_compared_wait { MEMPHIS_COMPARED_ALL, MEMPHIS_COMPARED_REMOTE };

/* One of the runs that are compared. */
struct memphis_compared_run {
	const char *name;
	struct memphis_profile profile;
	struct memphis_rows rows;
	struct memphis_counters_table counters;
	struct memphis_region_times times;
	double seconds, operations; /* 0: unknown */
	/* number of accesses that a sample represents; 0: no period counts accesses */
	double weight;
	double period; /* mean sampling period, in the unit that it counts; 0: unknown */
	/* factor by which numbers of samples are multiplied before they are compared */
	double stands_for;
	bool sampled; /* sampling was on, although there may be no samples */
	struct memphis_lpi lpi;
};

/* A side of the comparison. Its runs are runs of the same program under the same conditions. */
struct memphis_side {
	size_t first, count; /* range of the side's runs in memphis_compare.runs */
};

/*
 * The change from a first to a second count. Samples are assumed to be independent, so counts have a Poisson
 * distribution. Given the sum of both counts, the second count then has a binomial distribution. low and high are
 * computed from the Wilson 95 % confidence interval of its share. p is exact for sums up to 1000, and uses a normal
 * approximation for larger sums. Other variation between runs is included only if a side has several runs.
 */
struct memphis_change {
	/* The second rate divided by the first, and its interval. INFINITY if only the first rate is 0, and 1 if both are 0. */
	double ratio, low, high;
	double p;   /* probability of at least such a difference if the rates were equal */
	bool noise; /* not significant at 5 % after a correction for the number of rows (Holm's method) */
};

/*
 * The changes that a comparison could have detected, given the width of its interval: ratios less than `below`, or
 * greater than `above`. 0 and INFINITY: it could have detected none.
 */
struct memphis_visible {
	double below, above;
};

struct memphis_visible memphis_change_visible(const struct memphis_change *change);

/* Returns whether the interval is known and contains the ratio 1 (no change). */
bool memphis_change_is_open(const struct memphis_change *change);

struct memphis_change memphis_change_of(uint64_t first, double first_exposure, uint64_t second,
					double second_exposure);

/*
 * Returns the change from a first to a second sum. Each sum is over a Poisson sample of terms, and is given with the
 * sum of the squares of the terms (memphis_compound_estimate()). It is treated as a number of equal terms with the
 * same sum and variance.
 */
struct memphis_change memphis_change_of_sums(double first, double first_squares, double second,
					     double second_squares);

/* The samples of one run, with the exposure of the run. */
struct memphis_compared_samples {
	uint64_t count;
	double exposure;
};

/*
 * Returns the change between two sides. If the sides have more than two runs together, counts may vary more than a
 * Poisson distribution allows. Their variance is then assumed to be the mean times a dispersion of at least 1. Method
 * (quasi-likelihood; McCullagh and Nelder, Generalized Linear Models, 1989):
 * - The dispersion is estimated by Pearson's statistic of the runs around the rates of their sides.
 * - p is computed from the square root of deviance / dispersion, by Student's t distribution. Its degrees of freedom
 *   are the number of runs minus 2.
 * - The interval contains all ratios that this test does not reject.
 * - A side with few samples per run contributes little to the estimate, so its degrees of freedom count less. Those of
 *   a side without samples do not count at all. If no degree of freedom remains, nothing is significant.
 */
struct memphis_change memphis_change_of_runs(const struct memphis_compared_samples *first, size_t first_count,
					     const struct memphis_compared_samples *second,
					     size_t second_count);

/*
 * Returns the change between the means of measured numbers, for example times. Ignores NaNs. The interval, p and noise
 * are computed from the relative variance, pooled over both sides. This needs more than two numbers, and numbers that
 * differ within a side. Otherwise, or if a mean is 0, low and high are NaN. The ratio is NaN if a side has no number,
 * INFINITY if only the first mean is 0, and 1 if both are 0.
 */
struct memphis_change memphis_change_of_values(const double *first, size_t first_count, const double *second,
					       size_t second_count);

/* The samples and the waiting of one row in one run. */
struct memphis_compared {
	struct memphis_compared_samples samples;
	struct memphis_waits waits;
};

/* A row of the comparison: the total, a node, a variable of a node, or a line below a variable. */
struct memphis_compare_row {
	uint32_t node;
	/*
	 * Name of the variable. For a line, base name of the source file, or of the binary if the line is unknown.
	 * Otherwise "".
	 */
	const char *name;
	/* For a variable, its name with a suffix if others have the same name. Otherwise as `name`. */
	const char *shown;
	const char *segment;  /* segment of the variable; otherwise "" */
	const char *function; /* function that contains the line, or NULL */
	unsigned int line;
	struct memphis_compared *runs;
	/* changes[i] is the change from the first side to side i; changes[0] is unused */
	struct memphis_change *changes;
	/* nodes are in ascending order; other rows have the largest change first, and noise last */
	struct memphis_compare_row *rows;
	size_t count, room;
};

struct memphis_compare {
	struct memphis_compared_run *runs; /* owned by the caller */
	size_t run_count;
	struct memphis_side *sides; /* all other sides are compared with the first one */
	size_t side_count;
	enum memphis_per per;
	struct memphis_compare_row all;
};

/* Sets seconds, operations, weight, period, sampled and lpi of the run. Uses its profile and its rows, which must be by line. */
void memphis_compared_run_measure(struct memphis_compared_run *run);

/*
 * Decides by which factor the samples of each run are multiplied. memphis_compared_run_measure() must have been called
 * for all runs. The factor is the number of accesses that a sample represents. If this is unknown for a run, the mean
 * of the other runs is used. If it is unknown for all runs, the factor is the period, which counts cycles, or 1 if the
 * period of a run is unknown, too.
 */
void memphis_compared_runs_weigh(struct memphis_compared_run *runs, size_t count);

/* Returns whether the number of accesses per sample is known for some runs, and only assumed for the others. */
bool memphis_compare_assumes_weights(const struct memphis_compare *compare);

/* Returns the number of accesses that each sample of the side stands for, or 0 if it is unknown or differs between its runs. */
double memphis_compared_weight(const struct memphis_compare *compare, size_t side);

/*
 * Returns true if the samples of the side and of the first side stand for different numbers of accesses. The changes are
 * then those of the accesses, and the numbers of samples alone mislead.
 */
bool memphis_compare_weights_differ(const struct memphis_compare *compare, size_t side);

/* Returns the exposure of the run. Returns 0 if it is unknown, or if the run was not sampled. */
double memphis_compared_run_exposure(const struct memphis_compared_run *run, enum memphis_per per);

/* The settings that decide which accesses are kept as samples. */
#define MEMPHIS_KEPT 4
extern const struct memphis_kept {
	const char *key, *preset; /* preset: the value of the setting in files that do not have the key */
} memphis_kept[MEMPHIS_KEPT];

/* Returns the value of the setting memphis_kept[which] in all processes of the run, or "several" if they differ. */
const char *memphis_compared_run_kept(const struct memphis_compared_run *run, size_t which);

/* Returns whether the setting is the same in all runs. */
bool memphis_compare_kept_alike(const struct memphis_compare *compare, size_t which);

/*
 * Compares the runs. If `second` is 0, each run is a side. Otherwise, the runs from index `second` on are the second
 * side, and the others are the first. Returns 0 or -ENOMEM. The caller must close the comparison in both cases. The
 * runs must exist as long as the comparison, and must not change.
 */
int memphis_compare_make(struct memphis_compare *compare, struct memphis_compared_run *runs, size_t count,
			 size_t second, enum memphis_per per);

/* Returns whether a side has several runs. The variation between runs is known only in this case. */
bool memphis_compare_knows_noise(const struct memphis_compare *compare);

/* Returns the number of runs of the side that were sampled. */
size_t memphis_compared_sampled(const struct memphis_compare *compare, size_t side);

/* Returns the number of samples in all runs of the side. */
uint64_t memphis_compared_count(const struct memphis_compare *compare, const struct memphis_compare_row *row,
				size_t side);

/*
 * Returns the estimated waiting of a run in cycles. Returns 0 if loads were sampled and none had to wait, or NaN if
 * the waiting is unknown.
 */
double memphis_compared_waited(const struct memphis_compare *compare, const struct memphis_compare_row *row,
			       size_t run, enum memphis_compared_wait wait);

/*
 * Returns the change of the waiting from one run to another. Interval and p include only the uncertainty of sampling.
 * The ratio is NaN if the waiting of either run is unknown.
 */
struct memphis_change memphis_change_of_waiting(const struct memphis_compare *compare,
						const struct memphis_compare_row *row, size_t first,
						size_t second, enum memphis_compared_wait wait);
void memphis_compare_close(struct memphis_compare *compare);

#endif
