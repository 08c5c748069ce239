/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The program's requests that have not completed yet: receives, collective calls and persistent requests. The
 * table also contains messages that MPI_Mprobe() has matched and that are not yet received. Their handles are
 * stored as bitwise complements, because the handle of a message may be equal to that of a request.
 */
#ifndef MEMPHIS_MPI_REQUEST_H
#define MEMPHIS_MPI_REQUEST_H

#include "mpi/log.h"

enum memphis_mpi_request_kind {
	MEMPHIS_MPI_REQUEST_NONE, /* unknown: the request is that of a send, or was left out */
	MEMPHIS_MPI_REQUEST_RECEIVE,
	MEMPHIS_MPI_REQUEST_SEND, /* persistent send, which can be started repeatedly */
	MEMPHIS_MPI_REQUEST_COLLECTIVE
};

struct memphis_mpi_request {
	uintptr_t handle; /* 0 if the entry is free */
	enum memphis_mpi_request_kind kind;
	bool persistent;
	uint32_t entry; /* number of the entry in the log */
	struct memphis_mpi_comm *comm;
	int partner, tag; /* for persistent sends: the rank of the receiver in MPI_COMM_WORLD, and the tag */
	uint64_t bytes;   /* for persistent sends */
};

/* Adds a request. At most 32768 requests are kept; messages of further requests are not counted. */
void memphis_mpi_request_add(uintptr_t handle, const struct memphis_mpi_request *request);

/* Returns a copy of the request. If the request is not known, the kind of the copy is NONE. */
struct memphis_mpi_request memphis_mpi_request_get(uintptr_t handle);

/* Sets the log entry of a persistent request that is being started. */
void memphis_mpi_request_start(uintptr_t handle, uint32_t entry);

/* Called when the request has been released, or has completed and is not persistent. */
void memphis_mpi_request_remove(uintptr_t handle);

#endif
