/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages between two ranks: counts and logs each message that is sent or received. */
#include <stdlib.h>

#include "mpi/message.h"

/* The last message that the thread has found by a probe and not yet received. */
static __thread struct probed {
	const struct memphis_mpi_comm *comm; /* NULL if there is no such message */
	int from, tag;
	struct memphis_mpi_waited wait;
} probed __attribute__((tls_model("initial-exec")));

static void record_send(const struct call *call, const struct memphis_mpi_comm *comm, int partner, int tag,
			uint64_t bytes)
{
	if (unlikely(memphis_mpi_state.events))
		memphis_mpi_record_event(&(struct memphis_mpi_event){.begin_ns = call->region.begin,
								     .end_ns = call->region.end,
								     .comm = comm ? comm->id : 0,
								     .sent_bytes = bytes,
								     .region = call->region.region,
								     .partner = partner,
								     .tag = tag,
								     .kind = MEMPHIS_MPI_SEND});
}

void memphis_mpi_sent(struct call *call, MPI_Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
	const struct memphis_mpi_comm *entry;

	if (to == MPI_PROC_NULL)
		return;
	entry = memphis_mpi_comm_find(comm);
	call->sum.partner = memphis_mpi_comm_world(entry, to);
	call->sum.sent = 1;
	call->sum.sent_bytes = bytes_of(count, type);
	memphis_mpi_log_send(entry, call->sum.partner, tag, call->region.begin);
	record_send(call, entry, call->sum.partner, tag, call->sum.sent_bytes);
}

uint32_t memphis_mpi_post(MPI_Comm comm, int from)
{
	return from == MPI_PROC_NULL ? MEMPHIS_MPI_UNLOGGED
				     : memphis_mpi_log_post(memphis_mpi_comm_find(comm));
}

/* Counts a received message, and logs for how long the rank waited for it. */
static void record_receive(struct memphis_mpi_sum *sum, uint32_t entry, const struct memphis_mpi_comm *comm,
			   const MPI_Status *status, const struct memphis_mpi_waited *wait)
{
	MPI_Count bytes = 0;

	/* An inactive persistent request completes with an empty status. The source in this status is MPI_ANY_SOURCE. */
	if (status->MPI_SOURCE == MPI_PROC_NULL || status->MPI_SOURCE == MPI_ANY_SOURCE)
		return;
	if (PMPI_Get_elements_x(status, MPI_BYTE, &bytes) != MPI_SUCCESS || bytes < 0)
		bytes = 0;
	sum->partner = memphis_mpi_comm_world(comm, status->MPI_SOURCE);
	sum->received = sum->waits = 1;
	sum->received_bytes = (uint64_t)bytes;
	if (unlikely(memphis_mpi_state.events))
		memphis_mpi_record_event(&(struct memphis_mpi_event){.begin_ns = wait->begin,
								     .end_ns = wait->end,
								     .comm = comm ? comm->id : 0,
								     .received_bytes = (uint64_t)bytes,
								     .region = wait->region,
								     .partner = sum->partner,
								     .tag = status->MPI_TAG,
								     .kind = MEMPHIS_MPI_RECEIVE});
	if (unlikely(probed.comm && probed.comm == comm && probed.from == status->MPI_SOURCE &&
		     probed.tag == status->MPI_TAG)) {
		wait = &probed.wait;
		probed.comm = NULL;
	}
	memphis_mpi_log_receive(entry, comm, sum->partner, status->MPI_TAG, wait);
}

void memphis_mpi_received(struct call *call, uint32_t entry, MPI_Comm comm, const MPI_Status *status)
{
	const struct memphis_mpi_waited wait = wait_of(call);

	record_receive(&call->sum, entry, memphis_mpi_comm_find(comm), status, &wait);
}

void memphis_mpi_probed(const struct call *call, MPI_Comm comm, const MPI_Status *status)
{
	if (status->MPI_SOURCE != MPI_PROC_NULL)
		probed = (struct probed){memphis_mpi_comm_find(comm), status->MPI_SOURCE, status->MPI_TAG,
					 wait_of(call)};
}

void memphis_mpi_matched(MPI_Message message, uint32_t entry, MPI_Comm comm)
{
	if (message != MPI_MESSAGE_NO_PROC)
		memphis_mpi_request_add(~HANDLE(message),
					&(struct memphis_mpi_request){.kind = MEMPHIS_MPI_REQUEST_RECEIVE,
								      .entry = entry,
								      .comm = memphis_mpi_comm_find(comm)});
}

struct memphis_mpi_request memphis_mpi_take(MPI_Message message)
{
	const struct memphis_mpi_request matched = memphis_mpi_request_get(~HANDLE(message));

	memphis_mpi_request_remove(~HANDLE(message));
	return matched;
}

void memphis_mpi_received_matched(struct call *call, const struct memphis_mpi_request *matched,
				  const MPI_Status *status)
{
	const struct memphis_mpi_waited wait = wait_of(call);

	if (matched->kind == MEMPHIS_MPI_REQUEST_RECEIVE)
		record_receive(&call->sum, matched->entry, matched->comm, status, &wait);
}

void memphis_mpi_track(MPI_Request request, uint32_t entry, MPI_Comm comm, int from, bool persistent)
{
	if (from != MPI_PROC_NULL)
		memphis_mpi_request_add(HANDLE(request),
					&(struct memphis_mpi_request){.kind = MEMPHIS_MPI_REQUEST_RECEIVE,
								      .entry = entry,
								      .persistent = persistent,
								      .comm = memphis_mpi_comm_find(comm)});
}

void memphis_mpi_track_send(MPI_Request request, MPI_Count count, MPI_Datatype type, int to, int tag,
			    MPI_Comm comm)
{
	struct memphis_mpi_comm *entry = memphis_mpi_comm_find(comm);

	if (to != MPI_PROC_NULL)
		memphis_mpi_request_add(HANDLE(request), &(struct memphis_mpi_request){
								 .kind = MEMPHIS_MPI_REQUEST_SEND,
								 .persistent = true,
								 .comm = entry,
								 .partner = memphis_mpi_comm_world(entry, to),
								 .tag = tag,
								 .bytes = bytes_of(count, type)});
}

void memphis_mpi_started(const struct call *call, MPI_Request handle)
{
	const struct memphis_mpi_request request = memphis_mpi_request_get(HANDLE(handle));

	if (request.kind == MEMPHIS_MPI_REQUEST_RECEIVE)
		memphis_mpi_request_start(HANDLE(handle), memphis_mpi_log_post(request.comm));
	if (request.kind != MEMPHIS_MPI_REQUEST_SEND)
		return;
	memphis_mpi_add(&(struct memphis_mpi_sum){.region = call->region.region,
						  .partner = request.partner,
						  .sent = 1,
						  .sent_bytes = request.bytes});
	memphis_mpi_log_send(request.comm, request.partner, request.tag, call->region.begin);
	record_send(call, request.comm, request.partner, request.tag, request.bytes);
}

/* Makes room for more requests than fit now. Returns false if memory is exhausted. */
static bool grow_pending(struct pending *pending, size_t count)
{
	const size_t each =
		sizeof(*pending->requests) + sizeof(*pending->statuses) + sizeof(*pending->handles);

	pending->memory = malloc(count * each);
	if (!pending->memory)
		return false;
	pending->requests = pending->memory;
	pending->statuses = (MPI_Status *)(pending->requests + count);
	pending->handles = (MPI_Request *)(pending->statuses + count);
	return true;
}

MPI_Status *memphis_mpi_pending(struct pending *pending, int count, const MPI_Request *requests,
				MPI_Status *statuses)
{
	int i;

	pending->memory = NULL;
	pending->known = false;
	pending->requests = pending->few;
	pending->statuses = pending->few_statuses;
	pending->handles = pending->few_handles;
	if (!requests || (count > FEW && !grow_pending(pending, (size_t)count)))
		return statuses;
	for (i = 0; i < count; i++) {
		pending->handles[i] = requests[i];
		pending->requests[i] = memphis_mpi_request_get(HANDLE(requests[i]));
		pending->known |= pending->requests[i].kind != MEMPHIS_MPI_REQUEST_NONE;
	}
	return pending->known && statuses == MPI_STATUSES_IGNORE ? pending->statuses : statuses;
}

void memphis_mpi_completed(struct call *call, const struct pending *pending, int at, const MPI_Status *status,
			   const struct memphis_mpi_waited *wait)
{
	const struct memphis_mpi_request *request = &pending->requests[at];
	struct memphis_mpi_sum sum = {.region = call->region.region, .partner = MEMPHIS_MPI_NONE};
	int cancelled = 0;

	if (request->kind == MEMPHIS_MPI_REQUEST_NONE)
		return;
	if (request->kind == MEMPHIS_MPI_REQUEST_RECEIVE &&
	    (PMPI_Test_cancelled(status, &cancelled) != MPI_SUCCESS || !cancelled))
		record_receive(&sum, request->entry, request->comm, status, wait);
	if (request->kind == MEMPHIS_MPI_REQUEST_COLLECTIVE) {
		sum.waits = 1;
		memphis_mpi_log_leave(request->entry, wait);
	}
	if (sum.waits)
		memphis_mpi_add(&sum);
	if (!request->persistent)
		memphis_mpi_request_remove(HANDLE(pending->handles[at]));
}

void memphis_mpi_pending_close(struct pending *pending)
{
	free(pending->memory);
}
