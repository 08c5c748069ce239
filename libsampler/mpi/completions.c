/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI functions that wait for requests, test them or release them. */
#include "mpi/message.h"

static bool is_completed(const struct pending *pending, int index, int count)
{
	return pending->known && index >= 0 && index < count;
}

/* Called when all of `count` requests have completed. */
static void record_all(struct call *call, const struct pending *pending, int count,
		       const MPI_Status *statuses)
{
	const struct memphis_mpi_waited wait = wait_of(call);
	int i;

	for (i = 0; pending->known && i < count; i++)
		memphis_mpi_completed(call, pending, i, &statuses[i], &wait);
}

/* Called when the request at `at` has completed. */
static void record_one(struct call *call, const struct pending *pending, int at, const MPI_Status *status)
{
	const struct memphis_mpi_waited wait = wait_of(call);

	memphis_mpi_completed(call, pending, at, status, &wait);
}

/* Called when the requests at these indices have completed. */
static void record_some(struct call *call, const struct pending *pending, int count, const int *indices,
			const MPI_Status *statuses)
{
	const struct memphis_mpi_waited wait = wait_of(call);
	int i;

	for (i = 0; pending->known && count != MPI_UNDEFINED && i < count; i++)
		memphis_mpi_completed(call, pending, indices[i], &statuses[i], &wait);
}

/* For functions with the status of one request. The program may ignore the status. */
#define PENDING_ONE(count, requests)                                                \
	struct pending pending __attribute__((cleanup(memphis_mpi_pending_close))); \
	MPI_Status own;                                                             \
	memphis_mpi_pending(&pending, count, requests, &own);                       \
	status = pending.known && status == MPI_STATUS_IGNORE ? &own : status

#define PENDING(count, requests)                                                    \
	struct pending pending __attribute__((cleanup(memphis_mpi_pending_close))); \
	statuses = memphis_mpi_pending(&pending, count, requests, statuses)

CALL(Wait, (MPI_Request * request, MPI_Status *status), (request, status), PENDING_ONE(1, request),
     record_all(&call, &pending, 1, status))

CALL(Test, (MPI_Request * request, int *flag, MPI_Status *status), (request, flag, status),
     PENDING_ONE(1, request), if (*flag) record_all(&call, &pending, 1, status))

CALL(Waitall, (int count, MPI_Request *requests, MPI_Status *statuses), (count, requests, statuses),
     PENDING(count, requests), record_all(&call, &pending, count, statuses))

CALL(Testall, (int count, MPI_Request *requests, int *flag, MPI_Status *statuses),
     (count, requests, flag, statuses), PENDING(count, requests),
     if (*flag) record_all(&call, &pending, count, statuses))

CALL(Waitany, (int count, MPI_Request *requests, int *index, MPI_Status *status),
     (count, requests, index, status), PENDING_ONE(count, requests),
     if (is_completed(&pending, *index, count)) record_one(&call, &pending, *index, status))

CALL(Testany, (int count, MPI_Request *requests, int *index, int *flag, MPI_Status *status),
     (count, requests, index, flag, status), PENDING_ONE(count, requests),
     if (*flag && is_completed(&pending, *index, count)) record_one(&call, &pending, *index, status))

CALL(Waitsome, (int count, MPI_Request *requests, int *done, int *indices, MPI_Status *statuses),
     (count, requests, done, indices, statuses), PENDING(count, requests),
     record_some(&call, &pending, *done, indices, statuses))

CALL(Testsome, (int count, MPI_Request *requests, int *done, int *indices, MPI_Status *statuses),
     (count, requests, done, indices, statuses), PENDING(count, requests),
     record_some(&call, &pending, *done, indices, statuses))

CALL(Request_free, (MPI_Request * request), (request),
     const MPI_Request released = request ? *request : MPI_REQUEST_NULL,
     memphis_mpi_request_remove(HANDLE(released)))
