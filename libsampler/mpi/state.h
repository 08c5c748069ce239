/* SPDX-License-Identifier: BSD-3-Clause */
/* The state that all parts of the MPI layer share. */
#ifndef MEMPHIS_MPI_STATE_H
#define MEMPHIS_MPI_STATE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mpi.h>

#include <memphis/mpi_layer.h>

#ifdef OPEN_MPI
/*
 * In Open MPI, the handles of predefined objects are the addresses of these objects. The addresses are looked
 * up when MPI is initialised, and not when this library is loaded, because the library can be preloaded into
 * programs without MPI, such as shells and mpirun, and into programs that load MPI later.
 */
#define MEMPHIS_MPI_OBJECTS(object)                                                                       \
	object(ompi_mpi_byte) object(ompi_mpi_comm_null) object(ompi_mpi_comm_self)                       \
		object(ompi_mpi_comm_world) object(ompi_mpi_datatype_null) object(ompi_mpi_errors_return) \
			object(ompi_mpi_int) object(ompi_mpi_op_min) object(ompi_message_no_proc)         \
				object(ompi_request_null)

#define MEMPHIS_MPI_OBJECT(name) void *name;
struct memphis_mpi_objects {
	MEMPHIS_MPI_OBJECTS(MEMPHIS_MPI_OBJECT)
};
extern struct memphis_mpi_objects memphis_mpi_objects;

#undef OMPI_PREDEFINED_GLOBAL
#define OMPI_PREDEFINED_GLOBAL(type, global) ((type)memphis_mpi_objects.global)
#endif

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define UNUSED      __attribute__((unused))

struct memphis_mpi_state {
	bool ready;    /* true between MPI_Init() and MPI_Finalize(); messages are logged in this time */
	bool events;   /* messages and collective calls are recorded individually */
	bool threaded; /* the program uses MPI_THREAD_MULTIPLE, so the tables have to be locked */
	int rank, size;
	MPI_Comm own; /* a duplicate of MPI_COMM_WORLD, for the layer's own messages */
};

extern struct memphis_mpi_state memphis_mpi_state;
/*
 * Protects the log, and the tables of communicators and requests. While this lock is held, no MPI function is
 * called and no other lock is taken.
 */
extern pthread_mutex_t memphis_mpi_mutex;

static inline void lock(void)
{
	if (unlikely(memphis_mpi_state.threaded))
		pthread_mutex_lock(&memphis_mpi_mutex);
}

static inline void unlock(void)
{
	if (unlikely(memphis_mpi_state.threaded))
		pthread_mutex_unlock(&memphis_mpi_mutex);
}

/* A handle is an int in MPICH, and a pointer in Open MPI and in the standard's binary interface. */
#define HANDLE(handle) ((uintptr_t)(handle))

#endif
