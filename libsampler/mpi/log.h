/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The log of this rank: the times at which its sends began, and the times for which it waited in receives and
 * collective calls. The ranks compare their logs in MPI_Finalize().
 *
 * The log has three lists. Each list has a limit; further entries are left out and counted.
 *
 * Sends and receives are matched by their order. For a given sender, receiver, tag and communicator, the k-th
 * send matches the k-th receive, in the order in which the receives were posted. Only the last entries of a
 * list are ever left out, so the others still match.
 */
#ifndef MEMPHIS_MPI_LOG_H
#define MEMPHIS_MPI_LOG_H

#include "mpi/communicator.h"

#define MEMPHIS_MPI_LOG_MAX  262144 /* maximum number of entries in each list */
#define MEMPHIS_MPI_UNLOGGED UINT32_MAX

struct memphis_mpi_sent {
	uint64_t comm;  /* identity of the communicator */
	uint64_t begin; /* time stamp */
	int to, tag;
};

/* The time for which the program waited in a call, and the region to which this time is charged. */
struct memphis_mpi_waited {
	uint64_t begin, end; /* time stamps; both are 0 as long as they are not known */
	uint32_t region;
	uint32_t call; /* number of the call; if one call has several waits, the longest one counts */
};

struct memphis_mpi_received {
	uint64_t comm; /* 0 if the entry is not used */
	int from, tag;
	struct memphis_mpi_waited wait;
};

/* The ranks that wait in a collective call. */
enum memphis_mpi_waiters {
	MEMPHIS_MPI_ALL_WAIT,   /* each rank waits for the last one */
	MEMPHIS_MPI_ROOT_WAITS, /* the root waits for the last one */
	MEMPHIS_MPI_FOR_ROOT,   /* the others wait for the root */
	MEMPHIS_MPI_UNCLEAR     /* depends on the implementation, as in MPI_Scan() */
};

struct memphis_mpi_entered {
	uint64_t comm;
	uint64_t begin;  /* time stamp of the arrival */
	uint32_t number; /* number of this call among the collective calls of the communicator */
	int judge;       /* the rank in MPI_COMM_WORLD that compares the arrivals at this call */
	int size;        /* number of ranks in the communicator */
	int root;        /* rank in MPI_COMM_WORLD, or -1 */
	enum memphis_mpi_waiters waiters;
	struct memphis_mpi_waited wait;
};

struct memphis_mpi_log {
	struct memphis_mpi_sent *sent;
	struct memphis_mpi_received *received;
	struct memphis_mpi_entered *entered;
	uint32_t sent_count, received_count, entered_count;
	uint64_t left_out;
};

extern struct memphis_mpi_log memphis_mpi_log;

/* Allocates the lists. If memory is exhausted, nothing is logged. */
void memphis_mpi_log_open(void);
void memphis_mpi_log_close(void);

/* Logs a message. `begin` is the time at which the call that sent it began. `comm` may be NULL. */
void memphis_mpi_log_send(const struct memphis_mpi_comm *comm, int to, int tag, uint64_t begin);

/* Reserves an entry for a receive that is being posted. Returns the number of the entry, or MEMPHIS_MPI_UNLOGGED. */
uint32_t memphis_mpi_log_post(const struct memphis_mpi_comm *comm);

/*
 * Called when the receive has completed. Stores in its entry which message the receive has matched. Does
 * nothing if the receive was not logged.
 */
void memphis_mpi_log_receive(uint32_t entry, const struct memphis_mpi_comm *comm, int from, int tag,
			     const struct memphis_mpi_waited *wait);

/* Logs that this rank has entered a collective call. Returns the number of the entry, or MEMPHIS_MPI_UNLOGGED. */
uint32_t memphis_mpi_log_enter(struct memphis_mpi_comm *comm, enum memphis_mpi_waiters waiters, int root,
			       uint64_t begin);

/* Logs that the collective call has completed. */
void memphis_mpi_log_leave(uint32_t entry, const struct memphis_mpi_waited *wait);

#endif
