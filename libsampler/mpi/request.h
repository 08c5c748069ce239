/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Requests of the program that have not completed yet: receives, collective calls, and persistent requests; also messages that were matched
 * and not received yet (MPI_Mprobe()), whose handles are complemented, as they may be equal to those of requests.
 */
#ifndef MEMPHIS_MPI_REQUEST_H
#define MEMPHIS_MPI_REQUEST_H

#include "mpi/log.h"

enum memphis_mpi_request_kind {
	MEMPHIS_MPI_REQUEST_NONE, /* unknown: of a send, or left out */
	MEMPHIS_MPI_REQUEST_RECEIVE,
	MEMPHIS_MPI_REQUEST_SEND, /* persistent; started again and again */
	MEMPHIS_MPI_REQUEST_COLLECTIVE
};

struct memphis_mpi_request {
	uintptr_t handle; /* 0: free entry */
	enum memphis_mpi_request_kind kind;
	bool persistent;
	uint32_t entry; /* number of the entry in the log */
	struct memphis_mpi_comm *comm;
	int partner, tag; /* persistent sends: the receiver, in MPI_COMM_WORLD */
	uint64_t bytes;   /* persistent sends */
};

/* Adds a request. At most 32768 are kept; the messages of others are not counted. */
void memphis_mpi_request_add(uintptr_t handle, const struct memphis_mpi_request *request);

/* Returns a copy of the request; its kind is NONE if the request is not known. */
struct memphis_mpi_request memphis_mpi_request_get(uintptr_t handle);

/* Sets the entry in the log of a persistent request that is started. */
void memphis_mpi_request_start(uintptr_t handle, uint32_t entry);

/* Called when the request was released or, unless it is persistent, has completed. */
void memphis_mpi_request_remove(uintptr_t handle);

#endif
