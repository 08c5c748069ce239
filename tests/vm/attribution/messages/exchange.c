/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each rank fills a message, sends it and reads the one that it receives, again and again: in pairs of neighbours, or to the next rank of a ring.
 * Root counts the accesses of these steps alone: rank 0 writes the name of each end of them to the file DIR/at, and waits for DIR/NAME.
 * usage: exchange pairs|ring BYTES STEPS DIR       each rank prints the sum of the numbers received, by message
 */
#include <memphis.h>
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* All ranks are here, and root has done what belongs to this end. */
static void reach(int rank, const char *directory, const char *name)
{
	char path[256], done[256];
	FILE *at;

	MPI_Barrier(MPI_COMM_WORLD);
	if (!rank) {
		snprintf(path, sizeof(path), "%s/at", directory);
		snprintf(done, sizeof(done), "%s/%s", directory, name);
		at = fopen(path, "w");
		if (!at || fprintf(at, "%s\n", name) < 0 || fclose(at))
			MPI_Abort(MPI_COMM_WORLD, 1);
		while (access(done, F_OK))
			usleep(10000);
	}
	MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
	int rank, ranks, to, from, bytes, steps, count, step, i;
	long *out, *in, sum = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (argc != 5)
		MPI_Abort(MPI_COMM_WORLD, 2);
	to = strcmp(argv[1], "ring") ? rank ^ 1 : (rank + 1) % ranks;
	from = strcmp(argv[1], "ring") ? rank ^ 1 : (rank + ranks - 1) % ranks;
	bytes = atoi(argv[2]);
	steps = atoi(argv[3]);
	count = bytes / (int)sizeof(*out);
	out = aligned_alloc(4096, (size_t)bytes);
	in = aligned_alloc(4096, (size_t)bytes);
	if (!out || !in)
		MPI_Abort(MPI_COMM_WORLD, 1);
	memset(out, 0, (size_t)bytes);
	memset(in, 0, (size_t)bytes);
	reach(rank, argv[4], "begin");
	memphis_begin("Exchange");
	for (step = 0; step < steps; step++) {
		for (i = 0; i < count; i++)
			out[i] = rank + step + i;
		MPI_Sendrecv(out, count, MPI_LONG, to, 0, in, count, MPI_LONG, from, 0, MPI_COMM_WORLD,
			     MPI_STATUS_IGNORE);
		for (i = 0; i < count; i++)
			sum += in[i] - step - i;
	}
	memphis_end("Exchange");
	reach(rank, argv[4], "end");
	printf("%ld\n", sum / count / steps);
	fflush(stdout);
	return MPI_Finalize();
}
