/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI functions that make and release communicators. All ranks of the old one take part, unless noted. */
#include "mpi/collective.h"

/* `comm` is the old communicator; `made`, the new one. */
#define MAKES(name, parameters, arguments)                                                           \
	CALL(name, parameters, arguments,                                                            \
	     const struct entered entered = memphis_mpi_enter(&call, comm, MEMPHIS_MPI_ALL_WAIT, 0), \
	     memphis_mpi_leave(&call, &entered);                                                     \
	     memphis_mpi_comm_add(*made))

/* Only the ranks of the new communicator take part, or those of two old ones. */
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

/* The handle exists when the call returns, and has the members of the old communicator. */
CALL(Comm_idup, (MPI_Comm comm, MPI_Comm *made, MPI_Request *request), (comm, made, request), (void)0,
     memphis_mpi_comm_add_as(*made, comm))

#define RELEASES(name)                                                                                \
	CALL(name, (MPI_Comm * comm), (comm), const MPI_Comm released = comm ? *comm : MPI_COMM_NULL, \
	     memphis_mpi_comm_remove(released))

RELEASES(Comm_free)
RELEASES(Comm_disconnect)
