/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective calls: who waits for whom, and what a rank contributes and gets. */
#ifndef MEMPHIS_MPI_COLLECTIVE_H
#define MEMPHIS_MPI_COLLECTIVE_H

#include "mpi/call.h"

/* A collective call that this rank has entered. */
struct entered {
	struct memphis_mpi_comm *comm; /* NULL: unknown */
	uint32_t entry;                /* in the log */
	int size;                      /* of the communicator; 0: unknown */
	int root;                      /* rank in MPI_COMM_WORLD, or -1 */
	bool is_root;
	bool waits; /* this rank may wait */
};

/* This rank enters the call. `root`: as the program passes it; ignored if all wait. */
struct entered memphis_mpi_enter(const struct call *call, MPI_Comm comm, enum memphis_mpi_waiters waiters,
				 int root);

/* A blocking call has ended. */
void memphis_mpi_leave(struct call *call, const struct entered *entered);

/* A non-blocking call has begun; it ends with its request. */
void memphis_mpi_track_collective(MPI_Request request, const struct entered *entered);

/* Records the call as an event; its bytes are known. */
void memphis_mpi_record_collective(const struct call *call, const struct entered *entered);

/* Sum of the bytes of all counts, of one type or of one for each. */
uint64_t memphis_mpi_bytes_of_all(const struct entered *entered, const int *counts, MPI_Datatype type);
uint64_t memphis_mpi_bytes_of_types(const struct entered *entered, const int *counts,
				    const MPI_Datatype *types);

#endif
