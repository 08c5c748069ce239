/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions of libmemphis for the layers for MPI (libmemphis-mpi-*.so) and I/O (libmemphis-io.so) of the same
 * version: regions of calls, their sums, files, and stamps. Any thread may call them. The functions for MPI
 * may be called from MPI_Init() on. They never fail. If sampling is not possible, they only return stamps.
 */
#ifndef MEMPHIS_MPI_LAYER_H
#define MEMPHIS_MPI_LAYER_H

#include <stdbool.h>

#include "format.h"

/* A call of an MPI or I/O function. */
struct memphis_layer_call {
	__u64 begin;  /* stamp */
	__u64 before; /* I/O functions only: time in I/O of this thread when the call began, in units of
		       * stamps */
	__u64 end;    /* stamp, set by memphis_mpi_end() */
	__u32 region; /* region of the call */
	__u32 opened; /* used by the library */
};

/* True while the calling thread is inside an MPI function. Calls that MPI makes in this time are a part of that function. */
extern __thread bool memphis_mpi_inside __attribute__((tls_model("initial-exec")));

/*
 * Opens the region of a call. The region has this `name` and is inside the thread's open region. `name` must
 * be a string constant.
 */
void memphis_mpi_begin(struct memphis_layer_call *call, const char *name);

/* Closes the region. */
void memphis_mpi_end(struct memphis_layer_call *call);

/* Adds to the sums of the calling thread. `sum->ns` is a difference of stamps. All other members are as in the file. */
void memphis_mpi_add(const struct memphis_mpi_sum *sum);

/* Returns true if events are recorded. */
int memphis_mpi_records_events(void);

/* Records an event of the calling thread if events are recorded. Its times are stamps. All other members are as in the file. */
void memphis_mpi_record_event(const struct memphis_mpi_event *event);

/*
 * Begins a call of an I/O function. Returns false if the call must not be counted: MPI or the library itself
 * makes it, or the library is not ready. If a signal handler interrupts the call, the time of the handler's own calls is charged to
 * them and not to the interrupted call. No region is opened, because there are no samples in the kernel. A
 * region only names the sum. The program may leave the call by longjmp(), and the call is then not counted.
 * Like memphis_io_end(), it is async-signal-safe.
 */
bool memphis_io_begin(struct memphis_layer_call *call);

/*
 * Ends the call, and adds it to the sums of the calling thread. `name` must be a string constant. NULL: the
 * call is not counted. `partner`: the partner number of the file, as returned by memphis_io_file().
 */
void memphis_io_end(const struct memphis_layer_call *call, const char *name, __s32 partner, __u64 read,
		    __u64 written);

/*
 * Returns the partner number of the file with this path. Returns MEMPHIS_MPI_NONE if `path` is NULL. Returns
 * MEMPHIS_MPI_OTHERS in a child of vfork(), which shares its parent's memory but not the descriptors.
 * Async-signal-safe.
 */
__s32 memphis_io_file(const char *path);

/*
 * Returns the partner number of the file to which a descriptor refers. Returns MEMPHIS_MPI_NONE if it has no
 * path, for example a socket or a pipe. Returns MEMPHIS_MPI_OTHERS if its path can't be read, or in a child
 * of vfork(). Preserves errno.
 */
__s32 memphis_io_file_at(int fd);

/*
 * Stores a fact about the process, which becomes a line of SETTINGS when the process ends. `key` must be a
 * string constant. At most 8 keys are stored.
 */
void memphis_mpi_store_fact(const char *key, __u64 value);

/* Returns a stamp. Unless `ns` is NULL, stores CLOCK_MONOTONIC at the same moment in *ns. */
__u64 memphis_mpi_stamp(__u64 *ns);

#endif
