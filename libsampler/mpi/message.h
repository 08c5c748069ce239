/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages between two ranks: counts and logs each message that is sent or received. */
#ifndef MEMPHIS_MPI_MESSAGE_H
#define MEMPHIS_MPI_MESSAGE_H

#include "mpi/call.h"

/* Called when a call has sent a message, or has started to send it. */
void memphis_mpi_sent(struct call *call, MPI_Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm);

/* Reserves the log entry of a receive that is being posted. Returns MEMPHIS_MPI_UNLOGGED if there will be no message. */
uint32_t memphis_mpi_post(MPI_Comm comm, int from);

/* Called when a call has received a message. */
void memphis_mpi_received(struct call *call, uint32_t entry, MPI_Comm comm, const MPI_Status *status);

/*
 * Called when a call has found a message without receiving it (probe). The next receive with the same sender
 * and tag will receive this message. The waiting time belongs to the probing call, not to that receive.
 */
void memphis_mpi_probed(const struct call *call, MPI_Comm comm, const MPI_Status *status);

/*
 * Called when a call has matched a message (matched probe). The message will be received by its handle. It is
 * logged as if its receive were posted now.
 */
void memphis_mpi_matched(MPI_Message message, uint32_t entry, MPI_Comm comm);

/* Removes the matched message from the table, and returns what is known about its receive. */
struct memphis_mpi_request memphis_mpi_take(MPI_Message message);

/* Called when a call has received a matched message. */
void memphis_mpi_received_matched(struct call *call, const struct memphis_mpi_request *matched,
				  const MPI_Status *status);

/* Called when a call has posted a receive. */
void memphis_mpi_track(MPI_Request request, uint32_t entry, MPI_Comm comm, int from, bool persistent);

/* Called when a call has made a persistent send. */
void memphis_mpi_track_send(MPI_Request request, MPI_Count count, MPI_Datatype type, int to, int tag,
			    MPI_Comm comm);

/* Called when a persistent request has been started. */
void memphis_mpi_started(const struct call *call, MPI_Request request);

/* The requests that are passed to a call which completes some of them. */
#define FEW 32
struct pending {
	bool known; /* at least one request is known; if none is, there is nothing to do */
	struct memphis_mpi_request *requests, few[FEW];
	MPI_Request *handles, few_handles[FEW];
	MPI_Status *statuses, few_statuses[FEW];
	void *memory;
};

/*
 * Looks up the requests. Returns `statuses`, or the layer's own statuses if a request is known and the
 * program ignores statuses.
 */
MPI_Status *memphis_mpi_pending(struct pending *pending, int count, const MPI_Request *requests,
				MPI_Status *statuses);

/* Called when the request with index `at` has completed with this status. */
void memphis_mpi_completed(struct call *call, const struct pending *pending, int at, const MPI_Status *status,
			   const struct memphis_mpi_waited *wait);
void memphis_mpi_pending_close(struct pending *pending);

#endif
