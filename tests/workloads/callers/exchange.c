// SPDX-License-Identifier: BSD-3-Clause
/*
 * Two ranks on a node exchange two arrays by MPI_Sendrecv(), whose messages the MPI library copies to memory that both share. The array
 * of a load's address therefore says which line sent it.
 */
#include "workload.h"

#include <memphis.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 6, BYTES = 1 << 20, MESSAGE = 8192 };

static char *first, *second, *received;

/* A macro, so that each call has a line of its own. */
#define EXCHANGE(from, to, tag)                                                                              \
	MPI_Sendrecv(from, MESSAGE, MPI_BYTE, other, tag, to, MESSAGE, MPI_BYTE, other, tag, MPI_COMM_WORLD, \
		     MPI_STATUS_IGNORE)

static __attribute__((noinline)) void exchange(int other)
{
	for (int at = 0; at < BYTES; at += MESSAGE) {
		EXCHANGE(first + at, received + at, 1);  /* LINE: first */
		EXCHANGE(second + at, received + at, 2); /* LINE: second */
	}
}

static char *allocate(void)
{
	char *memory = aligned_alloc(4096, BYTES);

	if (!memory)
		workload_fail("aligned_alloc");
	workload_touch(memory, BYTES);
	return memory;
}

int main(int argc, char **argv)
{
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	workload_cpu(2 * rank);
	first = allocate();
	second = allocate();
	received = allocate();
	if (!rank) {
		workload_variable("first", first, BYTES);
		workload_variable("second", second, BYTES);
		workload_objects();
	}
	memphis_begin("Exchange");
	for (int round = 0; round < ROUNDS; round++)
		exchange(!rank); /* LINE: call */
	memphis_end("Exchange");
	MPI_Finalize();
	return 0;
}
