/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Converts stamps of this rank to the clock of rank 0. Ranks have the same clock if they run in the same boot
 * of a machine and in the same time namespace. For other ranks, messages compare the clocks, and half of the
 * shortest round trip is the maximum error.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "mpi/clock.h"

#define ROUNDS 20
#define TAG    1

/* Identity of a rank's clock. Ranks with equal members have the same clock. */
struct clock_identity {
	char boot[64], namespace[64];
};

static struct reading {
	uint64_t stamp;
	int64_t ns; /* time of rank 0's clock */
} readings[2];
static uint64_t error;

static struct clock_identity read_identity(void)
{
	struct clock_identity name;
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);

	memset(&name, 0, sizeof(name));
	if (fd >= 0 && read(fd, name.boot, sizeof(name.boot) - 1) < 0)
		name.boot[0] = '\0';
	if (fd >= 0)
		close(fd);
	if (readlink("/proc/self/ns/time", name.namespace, sizeof(name.namespace) - 1) < 0)
		name.namespace[0] = '\0'; /* kernels before 5.6 have no such namespaces */
	return name;
}

/* Rank 0: answers each question of a rank with its time. */
static void answer_rank(int rank)
{
	__u64 ns;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		PMPI_Recv(NULL, 0, MPI_BYTE, rank, TAG, memphis_mpi_state.own, MPI_STATUS_IGNORE);
		memphis_mpi_stamp(&ns);
		PMPI_Send(&ns, sizeof(ns), MPI_BYTE, rank, TAG, memphis_mpi_state.own);
	}
}

/* Returns the difference between the clock of rank 0 and the own clock. */
static int64_t measure_difference(void)
{
	__u64 before, theirs = 0, after, shortest = UINT64_MAX;
	int64_t difference = 0;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		memphis_mpi_stamp(&before);
		PMPI_Send(NULL, 0, MPI_BYTE, 0, TAG, memphis_mpi_state.own);
		PMPI_Recv(&theirs, sizeof(theirs), MPI_BYTE, 0, TAG, memphis_mpi_state.own,
			  MPI_STATUS_IGNORE);
		memphis_mpi_stamp(&after);
		if (after - before >= shortest)
			continue;
		shortest = after - before;
		difference = (int64_t)(theirs - (before + shortest / 2));
	}
	if (shortest / 2 > error)
		error = shortest / 2;
	return difference;
}

void memphis_mpi_clock_compare(bool last)
{
	struct clock_identity name = read_identity(), first = name;
	int64_t difference = 0;
	int same, rank;
	__u64 ns;

	PMPI_Bcast(&first, sizeof(first), MPI_BYTE, 0, memphis_mpi_state.own);
	same = name.boot[0] && !memcmp(&name, &first, sizeof(name));
	if (memphis_mpi_state.rank) {
		PMPI_Send(&same, sizeof(same), MPI_BYTE, 0, TAG, memphis_mpi_state.own);
		if (!same)
			difference = measure_difference();
	}
	for (rank = 1; !memphis_mpi_state.rank && rank < memphis_mpi_state.size; rank++) {
		PMPI_Recv(&same, sizeof(same), MPI_BYTE, rank, TAG, memphis_mpi_state.own, MPI_STATUS_IGNORE);
		if (!same)
			answer_rank(rank);
	}
	readings[last].stamp = memphis_mpi_stamp(&ns);
	readings[last].ns = (int64_t)ns + difference;
}

int64_t memphis_mpi_clock_ns(uint64_t stamp)
{
	const double stamps = (double)(readings[1].stamp - readings[0].stamp);
	const double ns = (double)(readings[1].ns - readings[0].ns);
	const int64_t since = (int64_t)(stamp - readings[0].stamp);

	return readings[0].ns + (int64_t)(stamps > 0 ? (double)since * (ns / stamps) : 0);
}

uint64_t memphis_mpi_clock_error(void)
{
	return error;
}
