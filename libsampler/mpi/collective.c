/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective calls: who waits for whom, and what a rank contributes and gets. */
#include "mpi/collective.h"

struct entered memphis_mpi_enter(const struct call *call, MPI_Comm comm, enum memphis_mpi_waiters waiters,
				 int root)
{
	struct memphis_mpi_comm *entry = memphis_mpi_comm_find(comm);
	const bool rooted = waiters == MEMPHIS_MPI_ROOT_WAITS || waiters == MEMPHIS_MPI_FOR_ROOT;
	const int world = rooted ? memphis_mpi_comm_world(entry, root) : -1;
	struct entered entered = {.comm = entry, .entry = MEMPHIS_MPI_UNLOGGED, .root = world};

	entered.is_root = rooted && world == memphis_mpi_state.rank && !(entry && entry->inter);
	entered.size = entry ? entry->size : 0;
	entered.waits = waiters == MEMPHIS_MPI_ALL_WAIT || waiters == MEMPHIS_MPI_UNCLEAR ||
			entered.is_root == (waiters == MEMPHIS_MPI_ROOT_WAITS);
	entered.entry = memphis_mpi_log_enter(entry, waiters, world, call->region.begin);
	return entered;
}

void memphis_mpi_leave(struct call *call, const struct entered *entered)
{
	const struct memphis_mpi_waited wait = wait_of(call);

	if (!entered->waits)
		return;
	call->sum.waits = 1;
	memphis_mpi_log_leave(entered->entry, &wait);
}

void memphis_mpi_track_collective(MPI_Request request, const struct entered *entered)
{
	if (entered->waits)
		memphis_mpi_request_add(HANDLE(request),
					&(struct memphis_mpi_request){.kind = MEMPHIS_MPI_REQUEST_COLLECTIVE,
								      .entry = entered->entry,
								      .comm = entered->comm});
}

void memphis_mpi_record_collective(const struct call *call, const struct entered *entered)
{
	if (unlikely(memphis_mpi_state.events))
		memphis_mpi_event(&(struct memphis_mpi_event){.begin_ns = call->region.begin,
							      .end_ns = call->region.end,
							      .comm = entered->comm ? entered->comm->id : 0,
							      .sent_bytes = call->sum.sent_bytes,
							      .received_bytes = call->sum.received_bytes,
							      .region = call->region.region,
							      .partner = entered->root,
							      .kind = MEMPHIS_MPI_COLLECTIVE});
}

uint64_t memphis_mpi_bytes_of_all(const struct entered *entered, const int *counts, MPI_Datatype type)
{
	uint64_t count = 0;
	int i;

	for (i = 0; i < entered->size; i++)
		count += counts[i] > 0 ? (uint64_t)counts[i] : 0;
	return bytes_of((MPI_Count)count, type);
}

uint64_t memphis_mpi_bytes_of_types(const struct entered *entered, const int *counts,
				    const MPI_Datatype *types)
{
	uint64_t bytes = 0;
	int i;

	for (i = 0; i < entered->size; i++)
		bytes += bytes_of(counts[i], types[i]);
	return bytes;
}
