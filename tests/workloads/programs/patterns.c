// SPDX-License-Identifier: BSD-3-Clause
/*
 * Ten patterns of access to memory by four threads on two nodes. Each line of source that matters loads from one variable. The data is
 * larger than the caches that tests/vm/attribution/waiting/seeds gives to the machine, and depends on the seed. The program stops itself
 * before and after the measured part, until it gets SIGCONT.
 * usage: patterns PATTERN SEED
 */
#include "workload.h"

#include <memphis.h>
#include <omp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, LINE = 64, CELLS = 1 << 15, NODES = 1 << 14, DRAWS = 1 << 16, SIDE = 256, PER_ROW = 12 };

/* A cell is smaller than a cache line, so that two may be in one; a node fills a line. */
struct cell {
	double value, pad[3];
};
struct node {
	union {
		uint32_t next;
		uint64_t count;
		double rank;
	};
	double pad[7];
};

static uint64_t seed;
static uint64_t results[THREADS][LINE / 8];

/* Returns a number below `limit` from the generator's next state. */
static uint32_t draw(uint64_t *state, uint32_t limit)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)((*state >> 33) % limit);
}

static void *take(size_t bytes)
{
	void *memory = aligned_alloc(LINE, bytes);

	if (!memory)
		workload_fail("aligned_alloc");
	return memory;
}

static struct cell *cells(void)
{
	struct cell *list = take(CELLS * sizeof(*list));

	for (int i = 0; i < CELLS; i++)
		list[i].value = i % 7;
	return list;
}

static struct node *new_nodes(void)
{
	return memset(take(NODES * sizeof(struct node)), 0, NODES * sizeof(struct node));
}

static uint32_t *draws(uint32_t limit)
{
	uint32_t *list = take(DRAWS * sizeof(*list));

	for (int i = 0; i < DRAWS; i++)
		list[i] = draw(&seed, limit);
	return list;
}

/* The slice of a thread. */
static int first_of(int thread, int count)
{
	return (int)((long)count * thread / THREADS);
}

/* ---- stream: arrays in order, all on the first thread's node */

static struct cell *stream_a, *stream_b, *stream_c;

static void stream_make(void)
{
	stream_a = cells();
	stream_b = cells();
	stream_c = cells();
}

static uint64_t stream_run(int me)
{
	for (int round = 0; round < 14; round++)
		for (int i = first_of(me, CELLS); i < first_of(me + 1, CELLS); i++)
			stream_c[i].value = stream_a[i].value + 3 * stream_b[i].value;
	return 0;
}

/* ---- chase: each load depends on the one before */

static struct node *ring;

static void chase_make(void)
{
	uint32_t other, swap;

	ring = new_nodes();
	for (uint32_t i = 0; i < NODES; i++)
		ring[i].next = i;
	/* One ring through all, in random order (Sattolo's algorithm). */
	for (uint32_t i = NODES - 1; i > 0; i--) {
		other = draw(&seed, i);
		swap = ring[i].next;
		ring[i].next = ring[other].next;
		ring[other].next = swap;
	}
}

static uint64_t chase_run(int me)
{
	uint32_t at = (uint32_t)first_of(me, NODES);

	for (int i = 0; i < 6 * NODES; i++)
		at = ring[at].next;
	return at;
}

/* ---- cg: a sparse matrix times a vector */

static struct cell *matrix, *product;
static struct node *vector;
static uint32_t *columns;

static void cg_make(void)
{
	matrix = cells();
	product = cells();
	vector = new_nodes();
	columns = draws(NODES);
}

static uint64_t cg_run(int me)
{
	for (int round = 0; round < 10; round++)
		for (int row = first_of(me, CELLS / PER_ROW); row < first_of(me + 1, CELLS / PER_ROW);
		     row++) {
			double sum = 0;

			for (int k = row * PER_ROW; k < (row + 1) * PER_ROW; k++)
				sum += matrix[k].value * vector[columns[k]].rank;
			product[row].value = sum;
		}
	return 0;
}

/* ---- histogram: counters at random places, shared by all threads */

static uint32_t *keys;
static struct node *bins;

static void histogram_make(void)
{
	keys = draws(NODES);
	bins = new_nodes();
}

static uint64_t histogram_run(int me)
{
	for (int round = 0; round < 6; round++)
		for (int i = first_of(me, DRAWS); i < first_of(me + 1, DRAWS); i++)
			__atomic_fetch_add(&bins[keys[i]].count, 1, __ATOMIC_RELAXED);
	return 0;
}

/* ---- graph: ranks of the nodes that edges lead to */

static uint32_t *edges;
static struct node *nodes;

static void graph_make(void)
{
	edges = draws(NODES);
	nodes = new_nodes();
}

static uint64_t graph_run(int me)
{
	double sum = 0;

	for (int round = 0; round < 6; round++)
		for (int i = first_of(me, DRAWS); i < first_of(me + 1, DRAWS); i++)
			sum += nodes[edges[i]].rank;
	return (uint64_t)sum;
}

/* ---- transpose: one of two matrices along its columns */

static double rows_of[SIDE][SIDE], columns_of[SIDE][SIDE];

static void transpose_make(void)
{
	memset(rows_of, 1, sizeof(rows_of));
	memset(columns_of, 1, sizeof(columns_of));
}

static uint64_t transpose_run(int me)
{
	for (int round = 0; round < 6; round++)
		for (int i = first_of(me, SIDE); i < first_of(me + 1, SIDE); i++)
			for (int j = 0; j < SIDE; j++)
				rows_of[i][j] += columns_of[j][i];
	return 0;
}

/* ---- counters: a counter for each thread, all in one line, beside other work */

static volatile uint64_t counters[THREADS] __attribute__((aligned(LINE)));
static struct cell *work;

static void counters_make(void)
{
	work = cells();
}

static uint64_t counters_run(int me)
{
	double sum = 0;

	for (int round = 0; round < 14; round++)
		for (int i = first_of(me, CELLS); i < first_of(me + 1, CELLS); i++) {
			counters[me]++;
			sum += work[i].value;
		}
	return (uint64_t)sum;
}

/* ---- pipeline: threads of one node fill a buffer, those of the other one read it */

enum { PART = 1 << 10, PARTS = 64 };

static struct node *source, *buffers[2];

static void pipeline_make(void)
{
	source = new_nodes();
	buffers[0] = new_nodes();
	buffers[1] = new_nodes();
}

static uint64_t pipeline_run(int me)
{
	double sum = 0;

	for (int part = 0; part < PARTS; part++) {
		if (me < 2)
			for (int i = 0; i < PART; i++)
				buffers[me][i].rank = source[(part * PART + i) % NODES].rank;
#pragma omp barrier
		if (me >= 2)
			for (int i = 0; i < PART; i++)
				sum += buffers[me - 2][i].rank;
#pragma omp barrier
	}
	return (uint64_t)sum;
}

/* ---- local: each thread's own data, and some loads from a common table */

static struct node *own[THREADS], *table;

static void local_make(void)
{
	table = new_nodes();
#pragma omp parallel num_threads(THREADS)
	own[omp_get_thread_num()] = new_nodes();
}

static uint64_t local_run(int me)
{
	const struct node *mine = own[me];
	uint64_t state = seed + (uint64_t)me;
	double sum = 0;

	for (int i = 0; i < 6 * NODES; i++) {
		sum += mine[i % NODES].rank;
		if (i % 8 == 0)
			sum += table[draw(&state, NODES)].rank;
	}
	return (uint64_t)sum;
}

/* ---- first-touch: records that one thread has initialised, of which each thread reads its part */

static struct {
	double x, y, pad[6];
} * particles;

static void first_touch_make(void)
{
	particles = take(NODES * sizeof(*particles));
	memset(particles, 1, NODES * sizeof(*particles));
}

static uint64_t first_touch_run(int me)
{
	double sum = 0;

	for (int round = 0; round < 18; round++)
		for (int i = first_of(me, NODES); i < first_of(me + 1, NODES); i++)
			sum += particles[i].x * particles[i].y;
	return (uint64_t)sum;
}

static const struct {
	const char *name;
	void (*make)(void);
	uint64_t (*run)(int me);
} patterns[] = {
	{"stream", stream_make, stream_run},
	{"chase", chase_make, chase_run},
	{"cg", cg_make, cg_run},
	{"histogram", histogram_make, histogram_run},
	{"graph", graph_make, graph_run},
	{"transpose", transpose_make, transpose_run},
	{"counters", counters_make, counters_run},
	{"pipeline", pipeline_make, pipeline_run},
	{"local", local_make, local_run},
	{"first-touch", first_touch_make, first_touch_run},
};

int main(int argc, char **argv)
{
	size_t i = 0;

	while (argc == 3 && i < sizeof(patterns) / sizeof(*patterns) &&
	       strcmp(argv[1], patterns[i].name) != 0)
		i++;
	if (argc != 3 || i == sizeof(patterns) / sizeof(*patterns)) {
		fprintf(stderr, "usage: patterns PATTERN SEED\n");
		return 2;
	}
	seed = strtoull(argv[2], NULL, 10);
	workload_cpu(0);
#pragma omp parallel num_threads(THREADS)
	workload_cpu(omp_get_thread_num());
	patterns[i].make();
	raise(SIGSTOP);
	memphis_begin("Pattern");
#pragma omp parallel num_threads(THREADS)
	results[omp_get_thread_num()][0] = patterns[i].run(omp_get_thread_num());
	memphis_end("Pattern");
	raise(SIGSTOP);
	return 0;
}
