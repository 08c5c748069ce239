/* SPDX-License-Identifier: BSD-3-Clause */
/* An MPI program: each rank works inside a caliper; the first rank prints the number of ranks. */
#include <memphis.h>
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTES (4u << 20)

int main(int argc, char **argv)
{
	int rank, ranks, sum, last = 0;
	size_t i;
	char *block;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	memphis_begin("Work");
	block = malloc(BYTES);
	memset(block, rank, BYTES);
	for (i = 0; i < 30 * BYTES; i += 64)
		last = ((volatile char *)block)[i % BYTES];
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	memphis_end("Work");
	if (!rank)
		printf("%d ranks, sum %d\n", ranks, sum + last);
	free(block);
	MPI_Finalize();
	return 0;
}
