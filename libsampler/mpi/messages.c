/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI functions that send and receive messages between two ranks. */
#include "mpi/message.h"

/* `number` is the type of counts: int, or MPI_Count for the functions of MPI 4 whose names end in _c. */
#define SEND(name, number)                                                                                \
	CALL(name, (const void *buffer, number count, MPI_Datatype type, int to, int tag, MPI_Comm comm), \
	     (buffer, count, type, to, tag, comm), (void)0,                                               \
	     memphis_mpi_sent(&call, count, type, to, tag, comm))

/* The request needs no entry, because no waiting time is computed for sends. */
#define ISEND(name, number)                                                                        \
	CALL(name,                                                                                 \
	     (const void *buffer, number count, MPI_Datatype type, int to, int tag, MPI_Comm comm, \
	      MPI_Request *request),                                                               \
	     (buffer, count, type, to, tag, comm, request), (void)0,                               \
	     memphis_mpi_sent(&call, count, type, to, tag, comm))

#define SEND_INIT(name, number)                                                                    \
	CALL(name,                                                                                 \
	     (const void *buffer, number count, MPI_Datatype type, int to, int tag, MPI_Comm comm, \
	      MPI_Request *request),                                                               \
	     (buffer, count, type, to, tag, comm, request), (void)0,                               \
	     memphis_mpi_track_send(*request, count, type, to, tag, comm))

/* Makes the status of the call available, even if the program ignores it. */
#define SEE(status)     \
	MPI_Status own; \
	status = status == MPI_STATUS_IGNORE ? &own : status

#define RECV(name, number)                                                                     \
	CALL(name,                                                                             \
	     (void *buffer, number count, MPI_Datatype type, int from, int tag, MPI_Comm comm, \
	      MPI_Status *status),                                                             \
	     (buffer, count, type, from, tag, comm, status), SEE(status);                      \
	     const uint32_t entry = memphis_mpi_post(comm, from),                              \
	     memphis_mpi_received(&call, entry, comm, status))

#define IRECV(name, number)                                                                    \
	CALL(name,                                                                             \
	     (void *buffer, number count, MPI_Datatype type, int from, int tag, MPI_Comm comm, \
	      MPI_Request *request),                                                           \
	     (buffer, count, type, from, tag, comm, request),                                  \
	     const uint32_t entry = memphis_mpi_post(comm, from),                              \
	     memphis_mpi_track(*request, entry, comm, from, false))

#define RECV_INIT(name, number)                                                                \
	CALL(name,                                                                             \
	     (void *buffer, number count, MPI_Datatype type, int from, int tag, MPI_Comm comm, \
	      MPI_Request *request),                                                           \
	     (buffer, count, type, from, tag, comm, request), (void)0,                         \
	     memphis_mpi_track(*request, MEMPHIS_MPI_UNLOGGED, comm, from, true))

/* The sent message is counted in a separate sum, because the call has two partners. */
static void record_send_apart(const struct call *call, MPI_Count count, MPI_Datatype type, int to, int tag,
			      MPI_Comm comm)
{
	struct call other = {.region = call->region, .sum = {.region = call->region.region}};

	memphis_mpi_sent(&other, count, type, to, tag, comm);
	if (other.sum.sent)
		memphis_mpi_add(&other.sum);
}

#define SENDRECV(name, number)                                                                               \
	CALL(name,                                                                                           \
	     (const void *buffer, number count, MPI_Datatype type, int to, int tag, void *into, number room, \
	      MPI_Datatype into_type, int from, int from_tag, MPI_Comm comm, MPI_Status *status),            \
	     (buffer, count, type, to, tag, into, room, into_type, from, from_tag, comm, status),            \
	     SEE(status);                                                                                    \
	     const uint32_t entry = memphis_mpi_post(comm, from),                                            \
	     record_send_apart(&call, count, type, to, tag, comm);                                           \
	     memphis_mpi_received(&call, entry, comm, status))

#define SENDRECV_REPLACE(name, number)                                                                \
	CALL(name,                                                                                    \
	     (void *buffer, number count, MPI_Datatype type, int to, int tag, int from, int from_tag, \
	      MPI_Comm comm, MPI_Status *status),                                                     \
	     (buffer, count, type, to, tag, from, from_tag, comm, status), SEE(status);               \
	     const uint32_t entry = memphis_mpi_post(comm, from),                                     \
	     record_send_apart(&call, count, type, to, tag, comm);                                    \
	     memphis_mpi_received(&call, entry, comm, status))

#define MRECV(name, number)                                                                             \
	CALL(name,                                                                                      \
	     (void *buffer, number count, MPI_Datatype type, MPI_Message *message, MPI_Status *status), \
	     (buffer, count, type, message, status), SEE(status);                                       \
	     const struct memphis_mpi_request matched = memphis_mpi_take(*message),                     \
	     memphis_mpi_received_matched(&call, &matched, status))

#define IMRECV(name, number)                                                                              \
	CALL(name,                                                                                        \
	     (void *buffer, number count, MPI_Datatype type, MPI_Message *message, MPI_Request *request), \
	     (buffer, count, type, message, request),                                                     \
	     const struct memphis_mpi_request matched = memphis_mpi_take(*message),                       \
	     if (matched.kind != MEMPHIS_MPI_REQUEST_NONE)                                                \
		     memphis_mpi_request_add(HANDLE(*request), &matched))

#define MESSAGES(suffix, number)                           \
	SEND(Send##suffix, number)                         \
	SEND(Bsend##suffix, number)                        \
	SEND(Ssend##suffix, number)                        \
	SEND(Rsend##suffix, number)                        \
	ISEND(Isend##suffix, number)                       \
	ISEND(Ibsend##suffix, number)                      \
	ISEND(Issend##suffix, number)                      \
	ISEND(Irsend##suffix, number)                      \
	SEND_INIT(Send_init##suffix, number)               \
	SEND_INIT(Bsend_init##suffix, number)              \
	SEND_INIT(Ssend_init##suffix, number)              \
	SEND_INIT(Rsend_init##suffix, number)              \
	RECV(Recv##suffix, number)                         \
	IRECV(Irecv##suffix, number)                       \
	RECV_INIT(Recv_init##suffix, number)               \
	SENDRECV(Sendrecv##suffix, number)                 \
	SENDRECV_REPLACE(Sendrecv_replace##suffix, number) \
	MRECV(Mrecv##suffix, number)                       \
	IMRECV(Imrecv##suffix, number)

MESSAGES(, int)

#if MPI_VERSION >= 4
MESSAGES(_c, MPI_Count)

/* Only the request of the receive is tracked, because no waiting time is computed for sends. */
#define ISENDRECV(name, number)                                                                              \
	CALL(name,                                                                                           \
	     (const void *buffer, number count, MPI_Datatype type, int to, int tag, void *into, number room, \
	      MPI_Datatype into_type, int from, int from_tag, MPI_Comm comm, MPI_Request *request),          \
	     (buffer, count, type, to, tag, into, room, into_type, from, from_tag, comm, request),           \
	     const uint32_t entry = memphis_mpi_post(comm, from),                                            \
	     record_send_apart(&call, count, type, to, tag, comm);                                           \
	     memphis_mpi_track(*request, entry, comm, from, false))

#define ISENDRECV_REPLACE(name, number)                                                               \
	CALL(name,                                                                                    \
	     (void *buffer, number count, MPI_Datatype type, int to, int tag, int from, int from_tag, \
	      MPI_Comm comm, MPI_Request *request),                                                   \
	     (buffer, count, type, to, tag, from, from_tag, comm, request),                           \
	     const uint32_t entry = memphis_mpi_post(comm, from),                                     \
	     record_send_apart(&call, count, type, to, tag, comm);                                    \
	     memphis_mpi_track(*request, entry, comm, from, false))

ISENDRECV(Isendrecv, int)
ISENDRECV(Isendrecv_c, MPI_Count)
ISENDRECV_REPLACE(Isendrecv_replace, int)
ISENDRECV_REPLACE(Isendrecv_replace_c, MPI_Count)
#endif

CALL(Start, (MPI_Request * request), (request), (void)0, memphis_mpi_started(&call, *request))

CALL(Startall, (int count, MPI_Request *requests), (count, requests), (void)0,
     for (int i = 0; i < count; i++) memphis_mpi_started(&call, requests[i]))

CALL(Probe, (int from, int tag, MPI_Comm comm, MPI_Status *status), (from, tag, comm, status), SEE(status),
     memphis_mpi_probed(&call, comm, status))

TIMED(Iprobe, (int from, int tag, MPI_Comm comm, int *flag, MPI_Status *status),
      (from, tag, comm, flag, status))

/* A matched probe determines which message will be received, so it takes the place of the receive in the order of receives. */
CALL(Mprobe, (int from, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status),
     (from, tag, comm, message, status), SEE(status);
     const uint32_t entry = memphis_mpi_post(comm, from), memphis_mpi_matched(*message, entry, comm);
     memphis_mpi_probed(&call, comm, status))

CALL(Improbe, (int from, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status),
     (from, tag, comm, flag, message, status), (void)0,
     if (*flag) memphis_mpi_matched(*message, memphis_mpi_post(comm, from), comm))
