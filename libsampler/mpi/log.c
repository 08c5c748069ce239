/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The log of this rank: the times at which its sends began, and the times for which it waited in receives and
 * collective calls.
 */
#include <errno.h>
#include <sys/mman.h>

#include "mpi/log.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

#define POPULATED 4096 /* number of entries, chosen so that they fill whole pages in each list */

struct memphis_mpi_log memphis_mpi_log;

/* Returns zeroed memory, or NULL. Physical memory is used only for the entries that are written. */
static void *map_list(size_t bytes)
{
	void *p = mmap(NULL, MEMPHIS_MPI_LOG_MAX * bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

void memphis_mpi_log_open(void)
{
	struct memphis_mpi_log *log = &memphis_mpi_log;

	log->sent = map_list(sizeof(*log->sent));
	log->received = map_list(sizeof(*log->received));
	log->entered = map_list(sizeof(*log->entered));
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

/*
 * Asks the kernel to allocate the pages for the next entries of a list all at once. This takes a third of the
 * time of separate page faults. Kernels before 5.14 refuse it.
 */
static __attribute__((noinline)) void populate(char *list, size_t bytes, uint32_t count)
{
	const int saved = errno;

	madvise(list + bytes * count, bytes * POPULATED, MADV_POPULATE_WRITE);
	errno = saved;
}

/* Adds an entry of the given size to a list. Returns its number, or MEMPHIS_MPI_UNLOGGED. */
static inline uint32_t add_entry(void *list, size_t bytes, uint32_t *count)
{
	if (unlikely(!list || *count >= MEMPHIS_MPI_LOG_MAX)) {
		memphis_mpi_log.left_out++;
		return MEMPHIS_MPI_UNLOGGED;
	}
	if (unlikely(!(*count % POPULATED)))
		populate(list, bytes, *count);
	return (*count)++;
}

#define ADD_ENTRY(log, list) add_entry((log)->list, sizeof(*(log)->list), &(log)->list##_count)

void memphis_mpi_log_send(const struct memphis_mpi_comm *comm, int to, int tag, uint64_t begin)
{
	struct memphis_mpi_log *log = &memphis_mpi_log;
	uint32_t entry;

	if (!comm || !comm->id || to < 0)
		return;
	lock();
	entry = ADD_ENTRY(log, sent);
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
	entry = ADD_ENTRY(log, received);
	unlock();
	return entry;
}

void memphis_mpi_log_receive(uint32_t entry, const struct memphis_mpi_comm *comm, int from, int tag,
			     const struct memphis_mpi_waited *wait)
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
	entry = ADD_ENTRY(log, entered);
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

void memphis_mpi_log_leave(uint32_t entry, const struct memphis_mpi_waited *wait)
{
	if (entry != MEMPHIS_MPI_UNLOGGED)
		memphis_mpi_log.entered[entry].wait = *wait;
}
