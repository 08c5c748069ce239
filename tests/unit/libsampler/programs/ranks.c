/* SPDX-License-Identifier: BSD-3-Clause */
/* An MPI program: each rank works inside a caliper; the first says how many there are. */
#include <memphis.h>
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	int rank, ranks, sum;
	char *block;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	memphis_begin("Work");
	block = malloc(100000);
	memset(block, rank, 100000);
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	memphis_end("Work");
	if (!rank)
		printf("%d ranks, sum %d\n", ranks, sum + block[0]);
	free(block);
	MPI_Finalize();
	return 0;
}
