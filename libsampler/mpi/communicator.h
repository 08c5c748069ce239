/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The communicators of the program, indexed by handle: their members as ranks of MPI_COMM_WORLD, and an
 * identity that is the same in all members.
 */
#ifndef MEMPHIS_MPI_COMMUNICATOR_H
#define MEMPHIS_MPI_COMMUNICATOR_H

#include "mpi/state.h"

struct memphis_mpi_comm {
	uintptr_t handle; /* 0: free entry */
	uint64_t id;      /* 0: some members are not in MPI_COMM_WORLD, or memory was exhausted */
	/*
	 * ranks in MPI_COMM_WORLD, indexed by rank in the communicator or in the remote group of an
	 * intercommunicator; NULL: both ranks are equal
	 */
	int *world;
	int size; /* number of entries of `world` */
	bool inter;
	uint32_t collectives; /* number of collective calls of this communicator so far */
};

/* Registers a communicator that the program has created. All its members do this in the same order. */
void memphis_mpi_comm_add(MPI_Comm comm);

/* Registers a communicator that is not complete yet. It has the members of `like`. */
void memphis_mpi_comm_add_as(MPI_Comm comm, MPI_Comm like);

/*
 * Returns the entry, or NULL if the communicator is unknown. Entries do not move. The program does not
 * release a communicator while it uses it in a call.
 */
struct memphis_mpi_comm *memphis_mpi_comm_find(MPI_Comm comm);

/* Called when the program has released the communicator with this handle. */
void memphis_mpi_comm_remove(MPI_Comm comm);

/* Converts a rank of the communicator to a rank in MPI_COMM_WORLD. Returns MEMPHIS_MPI_OTHERS if that is not possible. */
int memphis_mpi_comm_world(const struct memphis_mpi_comm *comm, int rank);

#endif
