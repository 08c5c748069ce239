/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the layers for MPI (libmemphis-mpi-*.so) and I/O (libmemphis-io.so) ask of libmemphis of the same version: regions of calls, their sums,
 * files, and stamps. All functions may be called by any thread, those for MPI from MPI_Init() on, and never fail; if sampling is not
 * possible, only stamps are returned.
 */
#ifndef MEMPHIS_MPI_LAYER_H
#define MEMPHIS_MPI_LAYER_H

#include <stdbool.h>

#include "format.h"

/* A call of an MPI or I/O function. */
struct memphis_layer_call {
	__u64 begin;  /* stamp */
	__u64 before; /* of an I/O function: time in I/O of this thread when it began, in units of stamps */
	__u64 end;    /* stamp, set by memphis_mpi_end() */
	__u32 region; /* of the call */
	__u32 opened; /* used by the library */
};

/* True while the calling thread is inside an MPI function: what MPI calls there is a part of it. */
extern __thread bool memphis_mpi_inside __attribute__((tls_model("initial-exec")));

/* Opens the region `name` of a call inside the open region of the calling thread. `name` must be a string constant. */
void memphis_mpi_begin(struct memphis_layer_call *call, const char *name);

/* Closes the region. */
void memphis_mpi_end(struct memphis_layer_call *call);

/* Adds to the sums of the calling thread. `sum->ns` is a difference of stamps; all other members are as in the file. */
void memphis_mpi_add(const struct memphis_mpi_sum *sum);

/* Returns true if events are recorded. */
int memphis_mpi_records_events(void);

/* Records an event of the calling thread, if events are recorded. Its times are stamps; all other members are as in the file. */
void memphis_mpi_event(const struct memphis_mpi_event *event);

/*
 * Begins a call of an I/O function. Returns false, and the call does not count, if it is made inside a call of MPI, or by the library
 * itself. If a signal handler interrupts the call, the time of the handler's own calls is charged to them and not to the interrupted call.
 * Async-signal-safe, as memphis_io_end() is. The program may leave the call by longjmp(); it does not count then. No region is opened,
 * since samples are not taken in the kernel: a region only names the sum.
 */
bool memphis_io_begin(struct memphis_layer_call *call);

/*
 * Ends the call, and adds it to the sums of the calling thread. `name` must be a string constant; NULL: the call does not count. `partner`
 * is the partner number of the file, as memphis_io_file() returns it.
 */
void memphis_io_end(const struct memphis_layer_call *call, const char *name, __s32 partner, __u64 read,
		    __u64 written);

/*
 * Returns the partner number of the file with this path; MEMPHIS_MPI_NONE for NULL; MEMPHIS_MPI_OTHERS in a child of vfork(), which shares
 * the memory of its parent, but not the descriptors. Async-signal-safe.
 */
__s32 memphis_io_file(const char *path);

/*
 * Returns the partner number of the file that a descriptor refers to; MEMPHIS_MPI_NONE if it has no path, as a socket or a pipe has none;
 * MEMPHIS_MPI_OTHERS if its path can't be read, or in a child of vfork(). Keeps errno.
 */
__s32 memphis_io_file_at(int fd);

/* Writes a fact about the process as a line of SETTINGS when the process ends. `key` must be a string constant; at most 8 keys are kept. */
void memphis_mpi_fact(const char *key, __u64 value);

/* Returns a stamp, and in *ns (unless it is NULL) CLOCK_MONOTONIC at the same moment. */
__u64 memphis_mpi_stamp(__u64 *ns);

#endif
