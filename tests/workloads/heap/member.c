// SPDX-License-Identifier: BSD-3-Clause
/*
 * Heap blocks held by members of structures: of a single structure and of each element of an array. First
 * touched on node 0, read on node 1.
 */
#include "workload.h"

#include <memphis.h>
#include <stdio.h>
#include <stdlib.h>

enum { ELEMENTS = 1 << 19, BLOCKS = 2, ROUNDS = 8 };

struct grid {
	int elements;
	double *tx, *ty;
};

struct block {
	int number;
	double *field;
};

static struct grid grid;
static struct block blocks[BLOCKS];

/* An allocation wrapper, as many programs have: the source line that calls malloc() names no variable. */
static double *get(size_t elements)
{
	double *memory = malloc(elements * sizeof(*memory));

	if (!memory)
		workload_fail("malloc");
	workload_touch(memory, elements * sizeof(*memory));
	return memory;
}

static double sweep(void)
{
	double sum = 0;

	for (int i = 0; i < ELEMENTS; i++) {
		sum += grid.tx[i]; /* LINE: tx */
		sum += grid.ty[i]; /* LINE: ty */
	}
	for (int block = 0; block < BLOCKS; block++) {
		for (int i = 0; i < ELEMENTS / BLOCKS; i++)
			sum += blocks[block].field[i]; /* LINE: field */
	}
	return sum;
}

int main(void)
{
	double sum = 0;

	workload_cpu(0);
	grid.tx = get(ELEMENTS);
	grid.ty = get(ELEMENTS);
	workload_variable("tx", grid.tx, ELEMENTS * sizeof(double));
	workload_variable("ty", grid.ty, ELEMENTS * sizeof(double));
	blocks[0].field = get(ELEMENTS / BLOCKS);
	blocks[1].field = get(ELEMENTS / BLOCKS);
	workload_variable("field0", blocks[0].field, ELEMENTS / BLOCKS * sizeof(double));
	workload_variable("field1", blocks[1].field, ELEMENTS / BLOCKS * sizeof(double));
	workload_objects();
	workload_cpu(2);
	memphis_begin("Reads");
	for (int round = 0; round < ROUNDS; round++)
		sum += sweep();
	memphis_end("Reads");
	printf("sum %g\n", sum);
	return 0;
}
