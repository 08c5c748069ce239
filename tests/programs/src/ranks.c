/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks that pass a number around a ring, and a sum. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	int rank, size, passed = 0, sum = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &passed, 1, MPI_INT, (rank + size - 1) % size,
		     0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Reduce(&passed, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
	if (rank == 0)
		printf("%d ranks, sum %d\n", size, sum);
	MPI_Finalize();
	return 0;
}
