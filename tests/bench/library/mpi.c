/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measures MPI calls of one rank that are as short as such calls can be: a message of eight bytes to the rank itself, a probe, and collective calls of
 * MPI_COMM_SELF. Prints median and minimum over many batches, in ns per call.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include <memphis.h>

#include "cpu_time.h"

#define BATCHES 101
#define CALLS   1000

static double number, sum;

static void exchange(void)
{
	MPI_Sendrecv(&number, 8, MPI_BYTE, 0, 0, &sum, 8, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void probe(void)
{
	int found;

	MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
}

static void barrier(void)
{
	MPI_Barrier(MPI_COMM_SELF);
}

static void allreduce(void)
{
	MPI_Allreduce(&number, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
}

static void measure(const char *name, void (*what)(void))
{
	static double took[BATCHES];
	int i, j;

	for (i = 0; i < BATCHES; i++) {
		took[i] = cpu_ns();
		for (j = 0; j < CALLS; j++)
			what();
		took[i] = (cpu_ns() - took[i]) / CALLS;
	}
	qsort(took, BATCHES, sizeof(*took), compare);
	printf("%s %.2f %.2f\n", name, took[BATCHES / 2], took[0]);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	memphis_begin("Bench");
	measure("sendrecv", exchange);
	measure("iprobe", probe);
	measure("barrier", barrier);
	measure("allreduce", allreduce);
	memphis_end("Bench");
	MPI_Finalize();
	return 0;
}
