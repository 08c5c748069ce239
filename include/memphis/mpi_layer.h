/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the MPI layer (libmemphis-mpi-*.so) asks of libmemphis of the same version: regions of calls, their sums, and stamps. All functions
 * may be called by any thread, at any time from MPI_Init() on, and never fail; if sampling is not possible, only stamps are returned.
 */
#ifndef MEMPHIS_MPI_LAYER_H
#define MEMPHIS_MPI_LAYER_H

#include "format.h"

/* A call of an MPI function. */
struct memphis_mpi_call {
	__u64 begin;  /* stamp */
	__u64 end;    /* stamp, set by memphis_mpi_end() */
	__u32 region; /* of the call */
	__u32 opened; /* used by the library */
};

/* Opens the region `name` of a call inside the open region of the calling thread. `name` must be a string constant. */
void memphis_mpi_begin(struct memphis_mpi_call *call, const char *name);

/* Closes the region. */
void memphis_mpi_end(struct memphis_mpi_call *call);

/* Adds to the sums of the calling thread. `sum->ns` is a difference of stamps; all other members are as in the file. */
void memphis_mpi_add(const struct memphis_mpi_sum *sum);

/* Returns true if events are recorded. */
int memphis_mpi_records_events(void);

/* Records an event of the calling thread, if events are recorded. Its times are stamps; all other members are as in the file. */
void memphis_mpi_event(const struct memphis_mpi_event *event);

/* Writes a fact about the process as a line of SETTINGS when the process ends. `key` must be a string constant; at most 8 keys are kept. */
void memphis_mpi_fact(const char *key, __u64 value);

/* Returns a stamp, and in *ns (unless it is NULL) CLOCK_MONOTONIC at the same moment. */
__u64 memphis_mpi_stamp(__u64 *ns);

#endif
