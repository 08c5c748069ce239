/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collective functions of MPI, each blocking and non-blocking. Counted as sent is what the rank contributes, as received what it gets; what the
 * implementation sends for that is not known.
 */
#include "mpi/collective.h"

#define UNPACK(...) __VA_ARGS__

/* `name` blocks, `other` does not. `waiters` and `root`: as of memphis_mpi_enter(). `counted` sets the bytes. */
#define COLLECTIVE(name, other, parameters, arguments, waiters, root, counted)                              \
	CALL(                                                                                               \
		name, (UNPACK parameters), (UNPACK arguments),                                              \
		const struct entered entered = memphis_mpi_enter(&call, comm, MEMPHIS_MPI_##waiters, root), \
		memphis_mpi_leave(&call, &entered);                                                         \
		if (has_bytes(&entered)) { counted; } memphis_mpi_record_collective(&call, &entered))       \
	CALL(                                                                                               \
		other, (UNPACK parameters, MPI_Request * request), (UNPACK arguments, request),             \
		const struct entered entered = memphis_mpi_enter(&call, comm, MEMPHIS_MPI_##waiters, root), \
		memphis_mpi_track_collective(*request, &entered);                                           \
		if (has_bytes(&entered)) { counted; } memphis_mpi_record_collective(&call, &entered))

/*
 * Between two groups, the arguments have other meanings: some are not significant, and may be anything. Nothing is known of a communicator
 * without an entry, either.
 */
static bool has_bytes(const struct entered *entered)
{
	return entered->comm && !entered->comm->inter;
}

#define SENT(bytes)     call.sum.sent_bytes = (bytes)
#define RECEIVED(bytes) call.sum.received_bytes = (bytes)
#define EACH(count)     ((MPI_Count)(count)*entered.size)

COLLECTIVE(Barrier, Ibarrier, (MPI_Comm comm), (comm), ALL_WAIT, 0, (void)0)

COLLECTIVE(Bcast, Ibcast, (void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm),
	   (buffer, count, type, root, comm), FOR_ROOT, root,
	   if (entered.is_root) SENT(bytes_of(count, type));
	   else RECEIVED(bytes_of(count, type)))

COLLECTIVE(Gather, Igather,
	   (const void *from, int sent, MPI_Datatype type, void *to, int received, MPI_Datatype to_type,
	    int root, MPI_Comm comm),
	   (from, sent, type, to, received, to_type, root, comm), ROOT_WAITS, root,
	   if (from != MPI_IN_PLACE) SENT(bytes_of(sent, type));
	   if (entered.is_root) RECEIVED(bytes_of(EACH(received), to_type)))

COLLECTIVE(Gatherv, Igatherv,
	   (const void *from, int sent, MPI_Datatype type, void *to, const int *received, const int *places,
	    MPI_Datatype to_type, int root, MPI_Comm comm),
	   (from, sent, type, to, received, places, to_type, root, comm), ROOT_WAITS, root,
	   if (from != MPI_IN_PLACE) SENT(bytes_of(sent, type));
	   if (entered.is_root) RECEIVED(memphis_mpi_bytes_of_all(&entered, received, to_type)))

COLLECTIVE(Scatter, Iscatter,
	   (const void *from, int sent, MPI_Datatype type, void *to, int received, MPI_Datatype to_type,
	    int root, MPI_Comm comm),
	   (from, sent, type, to, received, to_type, root, comm), FOR_ROOT, root,
	   if (to != MPI_IN_PLACE) RECEIVED(bytes_of(received, to_type));
	   if (entered.is_root) SENT(bytes_of(EACH(sent), type)))

COLLECTIVE(Scatterv, Iscatterv,
	   (const void *from, const int *sent, const int *places, MPI_Datatype type, void *to, int received,
	    MPI_Datatype to_type, int root, MPI_Comm comm),
	   (from, sent, places, type, to, received, to_type, root, comm), FOR_ROOT, root,
	   if (to != MPI_IN_PLACE) RECEIVED(bytes_of(received, to_type));
	   if (entered.is_root) SENT(memphis_mpi_bytes_of_all(&entered, sent, type)))

COLLECTIVE(Allgather, Iallgather,
	   (const void *from, int sent, MPI_Datatype type, void *to, int received, MPI_Datatype to_type,
	    MPI_Comm comm),
	   (from, sent, type, to, received, to_type, comm), ALL_WAIT, 0,
	   SENT(from == MPI_IN_PLACE ? bytes_of(received, to_type) : bytes_of(sent, type));
	   RECEIVED(bytes_of(EACH(received), to_type)))

COLLECTIVE(Allgatherv, Iallgatherv,
	   (const void *from, int sent, MPI_Datatype type, void *to, const int *received, const int *places,
	    MPI_Datatype to_type, MPI_Comm comm),
	   (from, sent, type, to, received, places, to_type, comm), ALL_WAIT, 0,
	   if (from != MPI_IN_PLACE) SENT(bytes_of(sent, type));
	   RECEIVED(memphis_mpi_bytes_of_all(&entered, received, to_type)))

COLLECTIVE(Alltoall, Ialltoall,
	   (const void *from, int sent, MPI_Datatype type, void *to, int received, MPI_Datatype to_type,
	    MPI_Comm comm),
	   (from, sent, type, to, received, to_type, comm), ALL_WAIT, 0,
	   RECEIVED(bytes_of(EACH(received), to_type));
	   SENT(from == MPI_IN_PLACE ? call.sum.received_bytes : bytes_of(EACH(sent), type)))

COLLECTIVE(Alltoallv, Ialltoallv,
	   (const void *from, const int *sent, const int *places, MPI_Datatype type, void *to,
	    const int *received, const int *to_places, MPI_Datatype to_type, MPI_Comm comm),
	   (from, sent, places, type, to, received, to_places, to_type, comm), ALL_WAIT, 0,
	   RECEIVED(memphis_mpi_bytes_of_all(&entered, received, to_type));
	   SENT(from == MPI_IN_PLACE ? call.sum.received_bytes
				     : memphis_mpi_bytes_of_all(&entered, sent, type)))

COLLECTIVE(Alltoallw, Ialltoallw,
	   (const void *from, const int *sent, const int *places, const MPI_Datatype *types, void *to,
	    const int *received, const int *to_places, const MPI_Datatype *to_types, MPI_Comm comm),
	   (from, sent, places, types, to, received, to_places, to_types, comm), ALL_WAIT, 0,
	   RECEIVED(memphis_mpi_bytes_of_types(&entered, received, to_types));
	   SENT(from == MPI_IN_PLACE ? call.sum.received_bytes
				     : memphis_mpi_bytes_of_types(&entered, sent, types)))

COLLECTIVE(Reduce, Ireduce,
	   (const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm),
	   (from, to, count, type, op, root, comm), ROOT_WAITS, root, SENT(bytes_of(count, type));
	   if (entered.is_root) RECEIVED(bytes_of(count, type)))

COLLECTIVE(Allreduce, Iallreduce,
	   (const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
	   (from, to, count, type, op, comm), ALL_WAIT, 0, SENT(bytes_of(count, type));
	   RECEIVED(bytes_of(count, type)))

COLLECTIVE(Reduce_scatter, Ireduce_scatter,
	   (const void *from, void *to, const int *counts, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
	   (from, to, counts, type, op, comm), ALL_WAIT, 0,
	   SENT(memphis_mpi_bytes_of_all(&entered, counts, type)))

COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block,
	   (const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
	   (from, to, count, type, op, comm), ALL_WAIT, 0, SENT(bytes_of(EACH(count), type));
	   RECEIVED(bytes_of(count, type)))

COLLECTIVE(Scan, Iscan, (const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
	   (from, to, count, type, op, comm), UNCLEAR, 0, SENT(bytes_of(count, type));
	   RECEIVED(bytes_of(count, type)))

COLLECTIVE(Exscan, Iexscan,
	   (const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
	   (from, to, count, type, op, comm), UNCLEAR, 0, SENT(bytes_of(count, type));
	   RECEIVED(bytes_of(count, type)))

/* A rank waits for its neighbours only, of which nothing is known here. */
COLLECTIVE(Neighbor_allgather, Ineighbor_allgather,
	   (const void *from, int sent, MPI_Datatype type, void *to, int received, MPI_Datatype to_type,
	    MPI_Comm comm),
	   (from, sent, type, to, received, to_type, comm), UNCLEAR, 0, SENT(bytes_of(sent, type)))

COLLECTIVE(Neighbor_alltoall, Ineighbor_alltoall,
	   (const void *from, int sent, MPI_Datatype type, void *to, int received, MPI_Datatype to_type,
	    MPI_Comm comm),
	   (from, sent, type, to, received, to_type, comm), UNCLEAR, 0, (void)0)

COLLECTIVE(Neighbor_alltoallv, Ineighbor_alltoallv,
	   (const void *from, const int *sent, const int *places, MPI_Datatype type, void *to,
	    const int *received, const int *to_places, MPI_Datatype to_type, MPI_Comm comm),
	   (from, sent, places, type, to, received, to_places, to_type, comm), UNCLEAR, 0, (void)0)
