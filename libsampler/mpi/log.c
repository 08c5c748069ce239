/* SPDX-License-Identifier: BSD-3-Clause */
/* When this rank began its sends, and waited in receives and collective calls. */
#include <sys/mman.h>

#include "mpi/log.h"

struct memphis_mpi_log memphis_mpi_log;

/* Memory is only used as far as entries are written. */
static void *room(size_t bytes)
{
	void *p = mmap(NULL, MEMPHIS_MPI_LOG_MAX * bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

void memphis_mpi_log_open(void)
{
	struct memphis_mpi_log *log = &memphis_mpi_log;

	log->sent = room(sizeof(*log->sent));
	log->received = room(sizeof(*log->received));
	log->entered = room(sizeof(*log->entered));
}

void memphis_mpi_log_close(void)
{
	struct memphis_mpi_log *log = &memphis_mpi_log;

	if (log->sent)
		munmap(log->sent, MEMPHIS_MPI_LOG_MAX * sizeof(*log->sent));
	if (log->received)
		munmap(log->received, MEMPHIS_MPI_LOG_MAX * sizeof(*log->received));
	if (log->entered)
		munmap(log->entered, MEMPHIS_MPI_LOG_MAX * sizeof(*log->entered));
	log->sent = NULL;
	log->received = NULL;
	log->entered = NULL;
}

/* Returns the number of a new entry of a list, or MEMPHIS_MPI_UNLOGGED. */
static uint32_t next(const void *list, uint32_t *count)
{
	if (likely(list && *count < MEMPHIS_MPI_LOG_MAX))
		return (*count)++;
	memphis_mpi_log.left_out++;
	return MEMPHIS_MPI_UNLOGGED;
}

void memphis_mpi_log_send(const struct memphis_mpi_comm *comm, int to, int tag, uint64_t begin)
{
	struct memphis_mpi_log *log = &memphis_mpi_log;
	uint32_t entry;

	if (!comm || !comm->id || to < 0)
		return;
	lock();
	entry = next(log->sent, &log->sent_count);
	if (entry != MEMPHIS_MPI_UNLOGGED)
		log->sent[entry] = (struct memphis_mpi_sent){comm->id, begin, to, tag};
	unlock();
}

uint32_t memphis_mpi_log_post(const struct memphis_mpi_comm *comm)
{
	struct memphis_mpi_log *log = &memphis_mpi_log;
	uint32_t entry;

	if (!comm || !comm->id)
		return MEMPHIS_MPI_UNLOGGED;
	lock();
	entry = next(log->received, &log->received_count);
	unlock();
	return entry;
}

void memphis_mpi_log_receive(uint32_t entry, const struct memphis_mpi_comm *comm, int from, int tag,
			     const struct memphis_mpi_wait *wait)
{
	struct memphis_mpi_received *received;

	if (entry == MEMPHIS_MPI_UNLOGGED || !comm || from < 0)
		return;
	received = &memphis_mpi_log.received[entry];
	received->from = from;
	received->tag = tag;
	received->wait = *wait;
	received->comm = comm->id;
}

uint32_t memphis_mpi_log_enter(struct memphis_mpi_comm *comm, enum memphis_mpi_waiters waiters, int root,
			       uint64_t begin)
{
	struct memphis_mpi_log *log = &memphis_mpi_log;
	uint32_t entry, number;

	if (!comm || !comm->id || comm->inter)
		return MEMPHIS_MPI_UNLOGGED;
	lock();
	number = comm->collectives++;
	entry = next(log->entered, &log->entered_count);
	if (entry != MEMPHIS_MPI_UNLOGGED)
		log->entered[entry] = (struct memphis_mpi_entered){
			.comm = comm->id,
			.begin = begin,
			.number = number,
			.judge = memphis_mpi_comm_world(
				comm, (int)((number + (uint32_t)comm->id) % (uint32_t)comm->size)),
			.size = comm->size,
			.root = root,
			.waiters = waiters};
	unlock();
	return entry;
}

void memphis_mpi_log_leave(uint32_t entry, const struct memphis_mpi_wait *wait)
{
	if (entry != MEMPHIS_MPI_UNLOGGED)
		memphis_mpi_log.entered[entry].wait = *wait;
}
