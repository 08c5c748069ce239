/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The transform: ranks (p, q) of a grid of R x C begin with the elements [x][y][z] whose x is in the p-th of R parts and whose y is in the
 * q-th of C parts: lines along z ("pencils"). Lines are transformed, sorted into blocks for other ranks (S1), exchanged, and sorted into
 * lines of the next dimension (S2); the exchange is among the ranks of a row of the grid, then among those of a column:
 *
 *   step          array    order of its elements
 *   FFT           first    x  y  z
 *   S1CF          second   z  x  y
 *   exchange      first    y' z  x  y      y': the rank in the row
 *   S2CF, FFT     second   z  x  y
 *   S1PF          first    y  z  x
 *   exchange      second   x' y  z  x      x': the rank in the column
 *   S2PF, FFT     first    y  z  x
 *
 * All ranks are in one process: each OpenMP thread does the work of several ranks, in memory that it touched first.
 */
#include "fft3d.h"

#include <memphis.h>

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "resort.h"

#ifdef HAS_FFTW
#include <fftw3.h>
#include <math.h>

#define TOLERANCE 1e-14 /* of the largest difference, relative to the root mean square of the result */
#define COLD_CACHES \
	2 /* data of a thread in each array, as a multiple of the cache, for cold caches in each step */
#define NAME_MAX_ 128

static const char *const array_names[ARRAYS_MAX] = {"first", "second", "tmp"};

struct rank {
	element *first, *second, *tmp;
	unsigned int node;
};

struct world {
	const struct problem *problem;
	size_t n, grid_rows, grid_columns; /* N, R, C */
	size_t elements;                   /* of a rank */
	struct rank *ranks;                /* (p, q) is ranks[p * C + q] */
	fftw_plan plan;                    /* of all lines of a rank */
};

/* One re-sorting routine: its kernel, and its sizes. */
struct step {
	int kernel;
	size_t size[SIZES_MAX];
};

enum { STEP_S1CF, STEP_S2CF, STEP_S1PF, STEP_S2PF, STEPS };

static void plan_steps(const struct world *world, struct step *steps)
{
	const size_t n = world->n, per_row = n / world->grid_rows, per_column = n / world->grid_columns;
	const int separate = world->problem->variant & VARIANT_SEPARATE;

	steps[STEP_S1CF] = (struct step){separate ? S1CF_SORT : S1CF, {per_row, per_column, n}};
	steps[STEP_S2CF] = (struct step){S2CF, {per_column, per_row, world->grid_columns, per_column}};
	steps[STEP_S1PF] = (struct step){S1PF, {per_column, per_row, n}};
	steps[STEP_S2PF] = (struct step){S2PF, {per_row, per_column, world->grid_rows, per_row}};
}

/*
 * An element of the array that is transformed: numbers between -1 and 1 without a pattern, so that all elements of the result have about the
 * same size, and errors can be compared with it. The mixing function is that of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
 */
static element value(size_t index)
{
	uint64_t mixed = (index + 1) * 0x9e3779b97f4a7c15u;

	mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
	mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
	mixed ^= mixed >> 31;
	return (element){(double)(mixed >> 40) / (1 << 23) - 1,
			 (double)(mixed >> 16 & 0xffffff) / (1 << 23) - 1};
}

/* The ranks of this thread: [begin, end). */
static void own_ranks(const struct world *world, size_t *begin, size_t *end)
{
	const size_t ranks = world->grid_rows * world->grid_columns;
	const size_t threads = (size_t)omp_get_num_threads(), self = (size_t)omp_get_thread_num();

	*begin = ranks * self / threads;
	*end = ranks * (self + 1) / threads;
}

static void fill(const struct world *world, size_t number)
{
	const size_t n = world->n, rows = n / world->grid_rows, columns = n / world->grid_columns;
	const size_t x0 = number / world->grid_columns * rows, y0 = number % world->grid_columns * columns;
	struct rank *rank = &world->ranks[number];
	element *to = rank->first;

	for (size_t x = x0; x < x0 + rows; x++)
		for (size_t y = y0; y < y0 + columns; y++)
			for (size_t z = 0; z < n; z++)
				*to++ = value((x * n + y) * n + z);
	memset(rank->second, 0, world->elements * sizeof(element));
	if (rank->tmp)
		memset(rank->tmp, 0, world->elements * sizeof(element));
	rank->node = cases_node();
}

static void transform_lines(const struct world *world, element *lines)
{
	fftw_execute_dft(world->plan, (fftw_complex *)lines, (fftw_complex *)lines);
}

/* Copies block `own` of each of `count` ranks, from `from` on in steps of `step`, to the blocks of `to`. */
static void exchange(const struct world *world, element *to, element *const *from, size_t count, size_t own)
{
	const size_t block = world->elements / count;

	for (size_t i = 0; i < count; i++)
		memcpy(to + i * block, from[i] + own * block, block * sizeof(element));
}

/* The first exchange: among the ranks of a row of the grid. */
static void exchange_in_row(const struct world *world, size_t number)
{
	const size_t columns = world->grid_columns, p = number / columns;
	element *from[columns];

	for (size_t k = 0; k < columns; k++)
		from[k] = world->ranks[p * columns + k].second;
	exchange(world, world->ranks[number].first, from, columns, number % columns);
}

/* The second one: among those of a column. */
static void exchange_in_column(const struct world *world, size_t number)
{
	const size_t rows = world->grid_rows, columns = world->grid_columns, q = number % columns;
	element *from[rows];

	for (size_t k = 0; k < rows; k++)
		from[k] = world->ranks[k * columns + q].first;
	exchange(world, world->ranks[number].second, from, rows, number / columns);
}

/* Each step is in a caliper of its own, in all threads at the same time. */
#define IN_ALL_RANKS(name, statement)                         \
	do {                                                  \
		memphis_begin(name);                          \
		for (size_t i = begin; i < end; i++) {        \
			struct rank *rank = &world->ranks[i]; \
			statement;                            \
			(void)rank;                           \
		}                                             \
		memphis_end(name);                            \
		_Pragma("omp barrier")                        \
	} while (0)

static void transform_all(const struct world *world, const struct step *steps)
{
	const unsigned int variant = world->problem->variant;
	size_t begin, end;

	own_ranks(world, &begin, &end);
	for (size_t i = begin; i < end; i++)
		fill(world, i);
#pragma omp barrier
	memphis_begin(world->problem->name);
	IN_ALL_RANKS("fft", transform_lines(world, rank->first));
	if (variant & VARIANT_SEPARATE) {
		IN_ALL_RANKS("s1cf_copy", s1cf_copy(steps[STEP_S1CF].size, rank->first, rank->tmp, variant));
		IN_ALL_RANKS("s1cf_sort", s1cf_sort(steps[STEP_S1CF].size, rank->tmp, rank->second, variant));
	} else {
		IN_ALL_RANKS("s1cf", s1cf(steps[STEP_S1CF].size, rank->first, rank->second, variant));
	}
	IN_ALL_RANKS("exchange", exchange_in_row(world, i));
	IN_ALL_RANKS("s2cf", s2cf(steps[STEP_S2CF].size, rank->first, rank->second, variant));
	IN_ALL_RANKS("fft", transform_lines(world, rank->second));
	IN_ALL_RANKS("s1pf", s1pf(steps[STEP_S1PF].size, rank->second, rank->first, variant));
	IN_ALL_RANKS("exchange", exchange_in_column(world, i));
	IN_ALL_RANKS("s2pf", s2pf(steps[STEP_S2PF].size, rank->second, rank->first, variant));
	IN_ALL_RANKS("fft", transform_lines(world, rank->first));
	memphis_end(world->problem->name);
}

/* Compares the result with FFTW's transform of three dimensions. */
static int check(const struct world *world)
{
	const size_t n = world->n, rows = n / world->grid_rows, columns = n / world->grid_columns;
	element *whole = (element *)cases_reserve(n * n * n * ELEMENT_WORDS);
	fftw_plan plan = fftw_plan_dft_3d((int)n, (int)n, (int)n, (fftw_complex *)whole,
					  (fftw_complex *)whole, FFTW_FORWARD, FFTW_ESTIMATE);
	double worst = 0, squares = 0, error;

	for (size_t i = 0; i < n * n * n; i++)
		whole[i] = value(i);
	fftw_execute(plan);
	fftw_destroy_plan(plan);
	for (size_t i = 0; i < n * n * n; i++) {
		const size_t x = i / (n * n), y = i / n % n, z = i % n;
		const struct rank *rank = &world->ranks[y / rows * world->grid_columns + z / columns];
		const element got = rank->first[(y % rows * columns + z % columns) * n + x];

		worst = fmax(worst, hypot(got[0] - whole[i][0], got[1] - whole[i][1]));
		squares += whole[i][0] * whole[i][0] + whole[i][1] * whole[i][1];
	}
	error = worst / sqrt(squares / (double)(n * n * n));
	fprintf(stderr,
		"%s: largest difference from FFTW's transform of three dimensions: %.1e of the result%s\n",
		world->problem->name, error, error <= TOLERANCE ? "" : ": wrong");
	return error <= TOLERANCE ? 0 : 1;
}

static void print_step(const struct world *world, const struct step *step, size_t cache)
{
	const struct kernel *kernel = &fft3d_kernels[step->kernel];
	const size_t ranks = world->grid_rows * world->grid_columns,
		     bytes = world->elements * sizeof(element);
	struct problem problem = {.kernel = kernel, .variant = world->problem->variant};
	size_t home_bytes[NODES_MAX] = {0};
	char name[NAME_MAX_];
	struct case_row row = {.name = name,
			       .arrays = array_names,
			       .code = kernel->code,
			       .code_end = kernel->code_end,
			       .array_bytes = 2 * bytes * ranks,
			       .threads = omp_get_max_threads(),
			       .home_bytes = home_bytes};

	memcpy(problem.size, step->size, sizeof(problem.size));
	snprintf(name, sizeof(name), "%s/%s", world->problem->name, kernel->name);
	row.zone = cases_zone(&problem, cache, &row.used_bytes);
	/* The threads with the fewest ranks have the least data. */
	if (ranks / (size_t)row.threads * bytes < COLD_CACHES * cache)
		row.zone = "band";
	row.traffic = kernel->traffic(&problem, strcmp(row.zone, "beyond") != 0);
	row.traffic.loads *= ranks;
	row.traffic.reads *= ranks;
	row.traffic.writes *= ranks;
	for (size_t i = 0; i < ranks; i++)
		home_bytes[world->ranks[i].node] += 2 * bytes;
	cases_print(&row, cache);
}

int transform(const struct problem *problem, size_t cache)
{
	struct world world = {.problem = problem,
			      .n = problem->size[0],
			      .grid_rows = problem->size[1],
			      .grid_columns = problem->size[2]};
	const size_t n = world.n, ranks = world.grid_rows * world.grid_columns;
	const int length = (int)n;
	struct step steps[STEPS], copy;
	int status;

	if (n % (4 * world.grid_rows) || n % (4 * world.grid_columns) || n / world.grid_rows > 1u << 20) {
		fprintf(stderr, "fft3d: %s: N / R and N / C must be multiples of 4\n", problem->name);
		return 2;
	}
	world.elements = n * n * n / ranks;
	world.ranks = calloc(ranks, sizeof(*world.ranks));
	if (!world.ranks) {
		perror("fft3d");
		return 1;
	}
	for (size_t i = 0; i < ranks; i++) {
		struct rank *rank = &world.ranks[i];
		element **arrays[ARRAYS_MAX] = {&rank->first, &rank->second, &rank->tmp};

		for (size_t array = 0; array < (problem->variant & VARIANT_SEPARATE ? 3 : 2); array++) {
			*arrays[array] = (element *)cases_reserve(world.elements * ELEMENT_WORDS);
			memphis_name(*arrays[array], world.elements * sizeof(element), array_names[array]);
		}
	}
	/* An estimated plan does not touch the data, and is the same in each run. */
	world.plan = fftw_plan_many_dft(
		1, &length, (int)(world.elements / n), (fftw_complex *)world.ranks[0].first, NULL, 1, length,
		(fftw_complex *)world.ranks[0].first, NULL, 1, length, FFTW_FORWARD, FFTW_ESTIMATE);
	plan_steps(&world, steps);
#pragma omp parallel
	transform_all(&world, steps);
	if (problem->variant & VARIANT_SEPARATE) {
		copy = steps[STEP_S1CF];
		copy.kernel = S1CF_COPY;
		print_step(&world, &copy, cache);
	}
	for (size_t i = 0; i < STEPS; i++)
		print_step(&world, &steps[i], cache);
	status = check(&world);
	fftw_destroy_plan(world.plan);
	free(world.ranks);
	return status;
}

#else

int transform(const struct problem *problem, size_t cache)
{
	fprintf(stderr, "fft3d: %s: built without FFTW\n", problem->name);
	(void)cache;
	return 77;
}

#endif
