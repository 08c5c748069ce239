/* SPDX-License-Identifier: BSD-3-Clause */
/* Comparison of runs: which variables and lines gained or lost samples, and whether the change exceeds the noise. */
#ifndef MEMPHIS_COMPARE_H
#define MEMPHIS_COMPARE_H

#include "view/counters_table.h"
#include "view/lpi.h"
#include "view/region_times.h"
#include "view/rows.h"

#define MEMPHIS_SIGNIFICANCE 0.05 /* a change whose p is not below it is noise */

/* The exposure by which counts are divided before they are compared. */
enum memphis_per {
	MEMPHIS_PER_RUN = 0,   /* exposure 1: compares all accesses of the runs */
	MEMPHIS_PER_SECOND,    /* time with sampling on: the longest time of any process */
	MEMPHIS_PER_OPERATION, /* operations that the sampling hardware counted, a measure of work */
	MEMPHIS_PERS
};

/* The sources of data whose waiting is compared: all beyond the L2, or only memory and caches of other nodes. */
enum memphis_compared_wait { MEMPHIS_COMPARED_ALL, MEMPHIS_COMPARED_REMOTE };

/* One of the runs that are compared. */
struct memphis_compared_run {
	const char *name;
	struct memphis_profile profile;
	struct memphis_rows rows;
	struct memphis_counters_table counters;
	struct memphis_region_times times;
	double seconds, operations; /* 0: not known */
	double weight;              /* accesses per sample; 0 if no period counts accesses */
	double period;              /* mean period, in whatever unit it counts; 0: not known */
	double stands_for;          /* factor by which samples are multiplied before they are compared */
	bool sampled;               /* sampling was on, even if there are no samples */
	struct memphis_lpi lpi;
};

/* A side of the comparison: runs of one program in the same circumstances. */
struct memphis_side {
	size_t first, count; /* of the comparison's runs */
};

/*
 * The change from a first to a second count. Counts of samples are assumed to be independent (Poisson). Given the sum of both, the second count is then
 * binomial: low and high come from the Wilson 95 % confidence interval of its share. p is exact for sums up to 1000, and a normal approximation for
 * larger ones. Variation between runs for other reasons is included only if a side has several runs.
 */
struct memphis_change {
	/* Second rate to first rate, and its interval; INFINITY if only the first is 0, 1 if both are. */
	double ratio, low, high;
	double p;   /* probability of such a difference if the rates were equal */
	bool noise; /* not significant at 5 %, corrected for the number of rows (Holm's method) */
};

/* The changes that a comparison could have detected: ratios below or above these limits, given the width of its interval. 0 and INFINITY: none. */
struct memphis_visible {
	double below, above;
};

struct memphis_visible memphis_change_visible(const struct memphis_change *change);

/* Returns whether the interval is known and includes "no change". */
bool memphis_change_is_open(const struct memphis_change *change);

struct memphis_change memphis_change_of(uint64_t first, double first_exposure, uint64_t second,
					double second_exposure);

/*
 * The change from a first to a second sum. Each is a sum over a Poisson sample of terms, and comes with the sum of their squares
 * (memphis_compound_estimate()). Each sum is treated as a number of equal terms with the same sum and variance.
 */
struct memphis_change memphis_change_of_sums(double first, double first_squares, double second,
					     double second_squares);

/* The samples of a run, and their exposure. */
struct memphis_compared_samples {
	uint64_t count;
	double exposure;
};

/*
 * The change between two sides. If they have more than two runs together, counts may vary more than a Poisson distribution: their variance is the mean
 * times a dispersion of at least 1. The dispersion is estimated by Pearson's statistic of the runs around the rates of their sides (quasi-likelihood;
 * McCullagh and Nelder, Generalized Linear Models, 1989). p is computed from the square root of deviance / dispersion, by Student's t for the number of
 * runs less 2. The interval contains the ratios that this test does not reject. The degrees of freedom of a side with few samples per run count less,
 * and those of a side without samples not at all, because such sides contribute little to the estimate. If no degree of freedom is left, nothing is
 * significant.
 */
struct memphis_change memphis_change_of_runs(const struct memphis_compared_samples *first, size_t first_count,
					     const struct memphis_compared_samples *second,
					     size_t second_count);

/*
 * The change between the means of measured numbers, such as times; NaNs are left out. If there are more than two numbers and those of a side differ, their
 * relative variance, pooled over both sides, determines the interval, p and noise. Otherwise, or if a mean is 0, low and high are NaN. The ratio is NaN if
 * a side has no number, INFINITY if only the first mean is 0, and 1 if both are 0.
 */
struct memphis_change memphis_change_of_values(const double *first, size_t first_count, const double *second,
					       size_t second_count);

/* The samples and the waiting of a row in one run. */
struct memphis_compared {
	struct memphis_compared_samples samples;
	struct memphis_waits waits;
};

/* All, a node, a variable of a node, or a line below a variable. */
struct memphis_compare_row {
	uint32_t node;
	const char *
		name; /* of the variable; of a line, the base name of the source file, or of the binary if no line is known; else "" */
	const char *
		shown; /* of a variable: its name, with an addition if others have the same name; else as `name` */
	const char *segment;  /* of a variable; else "" */
	const char *function; /* of a line, or NULL */
	unsigned int line;
	struct memphis_compared *runs;
	struct memphis_change *changes; /* by side: change from the first side; [0] is unused */
	struct memphis_compare_row
		*rows; /* nodes in ascending order; others with the largest change first, noise last */
	size_t count, room;
};

struct memphis_compare {
	struct memphis_compared_run *runs; /* owned by the caller */
	size_t run_count;
	struct memphis_side *sides; /* all others are compared with the first one */
	size_t side_count;
	enum memphis_per per;
	struct memphis_compare_row all;
};

/* Computes seconds, operations, weight, period, sampled and lpi from the profile and the rows (by line) of the run. */
void memphis_compared_run_measure(struct memphis_compared_run *run);

/*
 * Decides what a sample of each run stands for; the runs must be measured. It stands for a number of accesses; if this number is not known for a run, the
 * mean of the other runs is used. If it is not known for any run, a sample stands for what the period counts: cycles.
 */
void memphis_compared_runs_weigh(struct memphis_compared_run *runs, size_t count);

/* Returns whether the number of accesses per sample is known for some runs and assumed for others. */
bool memphis_compare_assumes_weights(const struct memphis_compare *compare);

/* Returns the exposure of a run; 0 if it is not known, or the run was not sampled. */
double memphis_compared_run_exposure(const struct memphis_compared_run *run, enum memphis_per per);

/* The settings that decide which accesses are kept as samples. */
#define MEMPHIS_KEPT 4
extern const struct memphis_kept {
	const char *key, *preset; /* preset: the value that a file without the key implies */
} memphis_kept[MEMPHIS_KEPT];

/* Returns the value that the setting, an index of memphis_kept, has in all processes of the run; "several" if they differ. */
const char *memphis_compared_run_kept(const struct memphis_compared_run *run, size_t which);

/* Returns whether the setting is the same in all runs. */
bool memphis_compare_kept_alike(const struct memphis_compare *compare, size_t which);

/*
 * Compares the runs: those from number `second` on are the second side and the others the first; if it is 0, each run is a side. Returns 0 or -ENOMEM;
 * close the comparison in either case. The runs must outlive it and not change.
 */
int memphis_compare_make(struct memphis_compare *compare, struct memphis_compared_run *runs, size_t count,
			 size_t second, enum memphis_per per);

/* Returns whether a side has several runs. Only then the variation between runs is known. */
bool memphis_compare_knows_noise(const struct memphis_compare *compare);

/* Returns how many of the side's runs were sampled. */
size_t memphis_compared_sampled(const struct memphis_compare *compare, size_t side);

/* Returns the number of samples of a side's runs together. */
uint64_t memphis_compared_count(const struct memphis_compare *compare, const struct memphis_compare_row *row,
				size_t side);

/* Returns the estimated waiting of a run, in cycles; 0 if loads were sampled and none waited; NaN if it is not known. */
double memphis_compared_waited(const struct memphis_compare *compare, const struct memphis_compare_row *row,
			       size_t run, enum memphis_compared_wait wait);

/* Returns the change of the waiting from one run to another; intervals and p are those of sampling. The ratio is NaN if the waiting of a run is not known. */
struct memphis_change memphis_change_of_waiting(const struct memphis_compare *compare,
						const struct memphis_compare_row *row, size_t first,
						size_t second, enum memphis_compared_wait wait);
void memphis_compare_close(struct memphis_compare *compare);

#endif
