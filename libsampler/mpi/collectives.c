/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collective functions of MPI, each in a blocking and a non-blocking form. The bytes that the rank
 * contributes are counted as sent, and the bytes that it gets as received. How many bytes the implementation
 * really sends is unknown.
 */
#include "mpi/call.h"

/* A collective call that this rank has entered. */
struct entered {
	struct memphis_mpi_comm *comm; /* NULL: unknown */
	uint32_t entry;                /* index in the log */
	int size;                      /* size of the communicator; 0: unknown */
	int root;                      /* rank in MPI_COMM_WORLD, or -1 */
	bool is_root;
	bool waits; /* true: this rank may have to wait */
};

/* Called when this rank enters the call. `root`: the program's argument; ignored if all ranks wait. */
static struct entered enter_collective(const struct call *call, MPI_Comm comm,
				       enum memphis_mpi_waiters waiters, int root)
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

/* Called when a blocking call has ended. */
static void leave_collective(struct call *call, const struct entered *entered)
{
	const struct memphis_mpi_waited wait = wait_of(call);

	if (!entered->waits)
		return;
	call->sum.waits = 1;
	memphis_mpi_log_leave(entered->entry, &wait);
}

/* Called when a non-blocking call has begun. The call ends with its request. */
static void track_collective(MPI_Request request, const struct entered *entered)
{
	if (entered->waits)
		memphis_mpi_request_add(HANDLE(request),
					&(struct memphis_mpi_request){.kind = MEMPHIS_MPI_REQUEST_COLLECTIVE,
								      .entry = entered->entry,
								      .comm = entered->comm});
}

/* Records the call as an event. Called after the bytes of the call have been set, if they are known. */
static void record_collective(const struct call *call, const struct entered *entered)
{
	if (unlikely(memphis_mpi_state.events))
		memphis_mpi_record_event(
			&(struct memphis_mpi_event){.begin_ns = call->region.begin,
						    .end_ns = call->region.end,
						    .comm = entered->comm ? entered->comm->id : 0,
						    .sent_bytes = call->sum.sent_bytes,
						    .received_bytes = call->sum.received_bytes,
						    .region = call->region.region,
						    .partner = entered->root,
						    .kind = MEMPHIS_MPI_COLLECTIVE});
}

/* Returns the sum of the counts in bytes. All counts have the same type. */
static uint64_t bytes_of_counts(const struct entered *entered, const int *counts, MPI_Datatype type)
{
	uint64_t count = 0;
	int i;

	for (i = 0; i < entered->size; i++)
		count += counts[i] > 0 ? (uint64_t)counts[i] : 0;
	return bytes_of((MPI_Count)count, type);
}

/* Returns the sum of the counts in bytes. Each count has its own type. */
static uint64_t bytes_of_types(const struct entered *entered, const int *counts, const MPI_Datatype *types)
{
	uint64_t bytes = 0;
	int i;

	for (i = 0; i < entered->size; i++)
		bytes += bytes_of(counts[i], types[i]);
	return bytes;
}

#define UNPACK(...) __VA_ARGS__

/*
 * Defines the blocking function `name` and the non-blocking function `other`. `waiters` and `root`: see
 * enter_collective(). `counted`: code that sets the bytes.
 */
#define COLLECTIVE(name, other, parameters, arguments, waiters, root, counted)                             \
	CALL(                                                                                              \
		name, (UNPACK parameters), (UNPACK arguments),                                             \
		const struct entered entered = enter_collective(&call, comm, MEMPHIS_MPI_##waiters, root), \
		leave_collective(&call, &entered);                                                         \
		if (knows_bytes(&entered)) { counted; } record_collective(&call, &entered))                \
	CALL(                                                                                              \
		other, (UNPACK parameters, MPI_Request * request), (UNPACK arguments, request),            \
		const struct entered entered = enter_collective(&call, comm, MEMPHIS_MPI_##waiters, root), \
		track_collective(*request, &entered);                                                      \
		if (knows_bytes(&entered)) { counted; } record_collective(&call, &entered))

/*
 * Returns false if the bytes are unknown. In an intercommunicator, the arguments have other meanings, and
 * some are not significant. For a communicator without an entry, nothing is known.
 */
static bool knows_bytes(const struct entered *entered)
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
	   if (entered.is_root) RECEIVED(bytes_of_counts(&entered, received, to_type)))

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
	   if (entered.is_root) SENT(bytes_of_counts(&entered, sent, type)))

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
	   RECEIVED(bytes_of_counts(&entered, received, to_type)))

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
	   RECEIVED(bytes_of_counts(&entered, received, to_type));
	   SENT(from == MPI_IN_PLACE ? call.sum.received_bytes : bytes_of_counts(&entered, sent, type)))

COLLECTIVE(Alltoallw, Ialltoallw,
	   (const void *from, const int *sent, const int *places, const MPI_Datatype *types, void *to,
	    const int *received, const int *to_places, const MPI_Datatype *to_types, MPI_Comm comm),
	   (from, sent, places, types, to, received, to_places, to_types, comm), ALL_WAIT, 0,
	   RECEIVED(bytes_of_types(&entered, received, to_types));
	   SENT(from == MPI_IN_PLACE ? call.sum.received_bytes : bytes_of_types(&entered, sent, types)))

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
	   (from, to, counts, type, op, comm), ALL_WAIT, 0, SENT(bytes_of_counts(&entered, counts, type)))

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

/* In these calls, a rank waits only for its neighbours, which are unknown here. */
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

/* Defines a function that creates a communicator. `comm` is the old communicator, `made` the new one. */
#define MAKES(name, parameters, arguments)                                                          \
	CALL(name, parameters, arguments,                                                           \
	     const struct entered entered = enter_collective(&call, comm, MEMPHIS_MPI_ALL_WAIT, 0), \
	     leave_collective(&call, &entered);                                                     \
	     memphis_mpi_comm_add(*made))

/*
 * Defines a function that creates a communicator, and in which only the ranks of the new communicator take
 * part, or those of two old ones.
 */
#define MAKES_APART(name, parameters, arguments) \
	CALL(name, parameters, arguments, (void)0, memphis_mpi_comm_add(*made))

MAKES(Comm_dup, (MPI_Comm comm, MPI_Comm *made), (comm, made))
MAKES(Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm *made), (comm, info, made))
MAKES(Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm *made), (comm, color, key, made))
MAKES(Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made),
      (comm, type, key, info, made))
MAKES(Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm *made), (comm, group, made))
MAKES_APART(Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *made),
	    (comm, group, tag, made))
MAKES(Cart_create,
      (MPI_Comm comm, int count, const int *sizes, const int *periods, int reorder, MPI_Comm *made),
      (comm, count, sizes, periods, reorder, made))
MAKES(Cart_sub, (MPI_Comm comm, const int *kept, MPI_Comm *made), (comm, kept, made))
MAKES(Graph_create,
      (MPI_Comm comm, int count, const int *index, const int *edges, int reorder, MPI_Comm *made),
      (comm, count, index, edges, reorder, made))
MAKES(Dist_graph_create,
      (MPI_Comm comm, int count, const int *sources, const int *degrees, const int *targets,
       const int *weights, MPI_Info info, int reorder, MPI_Comm *made),
      (comm, count, sources, degrees, targets, weights, info, reorder, made))
MAKES(Dist_graph_create_adjacent,
      (MPI_Comm comm, int in, const int *sources, const int *in_weights, int out, const int *targets,
       const int *out_weights, MPI_Info info, int reorder, MPI_Comm *made),
      (comm, in, sources, in_weights, out, targets, out_weights, info, reorder, made))
MAKES_APART(Intercomm_create,
	    (MPI_Comm comm, int leader, MPI_Comm peer, int remote_leader, int tag, MPI_Comm *made),
	    (comm, leader, peer, remote_leader, tag, made))
MAKES_APART(Intercomm_merge, (MPI_Comm comm, int high, MPI_Comm *made), (comm, high, made))

/* The handle exists when the call returns. The new communicator has the members of the old one. */
CALL(Comm_idup, (MPI_Comm comm, MPI_Comm *made, MPI_Request *request), (comm, made, request), (void)0,
     memphis_mpi_comm_add_as(*made, comm))

#define RELEASES(name)                                                                                \
	CALL(name, (MPI_Comm * comm), (comm), const MPI_Comm released = comm ? *comm : MPI_COMM_NULL, \
	     memphis_mpi_comm_remove(released))

RELEASES(Comm_free)
RELEASES(Comm_disconnect)
