/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI functions for files and for memory of other ranks. Records their times and bytes. */
#include <stdatomic.h>
#include <stdlib.h>

#include "mpi/call.h"

#define FILES 64 /* number of open files whose names are known at a time */

/* Open files: their handles and partner numbers. A handle is stored last and cleared first. */
static struct {
	_Atomic uintptr_t handle;
	int partner;
} files[FILES];
static pthread_mutex_t mutex =
	PTHREAD_MUTEX_INITIALIZER; /* for changes; no other lock is taken while it is held */

static void note_opened_file(MPI_File file, const char *name)
{
	char *path = realpath(name, NULL);
	int partner = memphis_io_file(path ? path : name);
	size_t i;

	if (partner < MEMPHIS_MPI_FILE)
		partner = MEMPHIS_MPI_FILE;
	free(path);
	pthread_mutex_lock(&mutex);
	for (i = 0; i < FILES && files[i].handle; i++)
		;
	if (i < FILES) {
		files[i].partner = partner;
		files[i].handle = HANDLE(file);
	}
	pthread_mutex_unlock(&mutex);
}

/* Returns the partner number of a file. It is the partner of each call for this file. */
static int file_partner(MPI_File file)
{
	size_t i;

	/* MPICH's MPI_FILE_NULL is 0, which also marks free entries. */
	for (i = 0; HANDLE(file) && i < FILES; i++)
		if (atomic_load_explicit(&files[i].handle, memory_order_acquire) == HANDLE(file))
			return files[i].partner;
	return MEMPHIS_MPI_FILE;
}

/* Forgets a file that the program closes. Returns its partner. */
static int forget_file(MPI_File file)
{
	const int partner = file_partner(file);
	size_t i;

	pthread_mutex_lock(&mutex);
	for (i = 0; i < FILES; i++)
		if (files[i].handle == HANDLE(file))
			files[i].handle = 0;
	pthread_mutex_unlock(&mutex);
	return partner;
}

#define OF_FILE call.sum.partner = file_partner(file)

CALL(File_open, (MPI_Comm comm, const char *name, int mode, MPI_Info info, MPI_File *file),
     (comm, name, mode, info, file), call.sum.partner = MEMPHIS_MPI_FILE, note_opened_file(*file, name))
CALL(File_close, (MPI_File * file), (file), call.sum.partner = forget_file(*file), (void)0)
CALL(File_sync, (MPI_File file), (file), OF_FILE, (void)0)
CALL(File_set_size, (MPI_File file, MPI_Offset size), (file, size), OF_FILE, (void)0)
CALL(File_set_view,
     (MPI_File file, MPI_Offset at, MPI_Datatype type, MPI_Datatype view, const char *format, MPI_Info info),
     (file, at, type, view, format, info), OF_FILE, (void)0)

/* Count the bytes that the program requests. A read at the end of a file gets fewer. */
#define READ(name)                                                                                  \
	CALL(name, (MPI_File file, void *buffer, int count, MPI_Datatype type, MPI_Status *status), \
	     (file, buffer, count, type, status), OF_FILE, call.sum.received_bytes = bytes_of(count, type))
#define READ_AT(name)                                                                                        \
	CALL(name,                                                                                           \
	     (MPI_File file, MPI_Offset at, void *buffer, int count, MPI_Datatype type, MPI_Status *status), \
	     (file, at, buffer, count, type, status), OF_FILE,                                               \
	     call.sum.received_bytes = bytes_of(count, type))
#define WRITE(name)                                                                                       \
	CALL(name, (MPI_File file, const void *buffer, int count, MPI_Datatype type, MPI_Status *status), \
	     (file, buffer, count, type, status), OF_FILE, call.sum.sent_bytes = bytes_of(count, type))
#define WRITE_AT(name)                                                                        \
	CALL(name,                                                                            \
	     (MPI_File file, MPI_Offset at, const void *buffer, int count, MPI_Datatype type, \
	      MPI_Status *status),                                                            \
	     (file, at, buffer, count, type, status), OF_FILE, call.sum.sent_bytes = bytes_of(count, type))

READ(File_read)
READ(File_read_all)
READ(File_read_shared)
READ(File_read_ordered)
READ_AT(File_read_at)
READ_AT(File_read_at_all)
WRITE(File_write)
WRITE(File_write_all)
WRITE(File_write_shared)
WRITE(File_write_ordered)
WRITE_AT(File_write_at)
WRITE_AT(File_write_at_all)

TIMED(Win_create, (void *base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, MPI_Win *win),
      (base, size, unit, info, comm, win))
TIMED(Win_allocate, (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *win),
      (size, unit, info, comm, base, win))
TIMED(Win_free, (MPI_Win * win), (win))
TIMED(Win_fence, (int assert, MPI_Win win), (assert, win))
TIMED(Win_start, (MPI_Group group, int assert, MPI_Win win), (group, assert, win))
TIMED(Win_complete, (MPI_Win win), (win))
TIMED(Win_post, (MPI_Group group, int assert, MPI_Win win), (group, assert, win))
TIMED(Win_wait, (MPI_Win win), (win))
TIMED(Win_lock, (int type, int rank, int assert, MPI_Win win), (type, rank, assert, win))
TIMED(Win_unlock, (int rank, MPI_Win win), (rank, win))
TIMED(Win_lock_all, (int assert, MPI_Win win), (assert, win))
TIMED(Win_unlock_all, (MPI_Win win), (win))
TIMED(Win_flush, (int rank, MPI_Win win), (rank, win))
TIMED(Win_flush_all, (MPI_Win win), (win))

CALL(Put,
     (const void *from, int count, MPI_Datatype type, int to, MPI_Aint at, int to_count, MPI_Datatype to_type,
      MPI_Win win),
     (from, count, type, to, at, to_count, to_type, win), (void)0,
     call.sum.sent_bytes = bytes_of(count, type))
CALL(Get,
     (void *into, int count, MPI_Datatype type, int from, MPI_Aint at, int from_count, MPI_Datatype from_type,
      MPI_Win win),
     (into, count, type, from, at, from_count, from_type, win), (void)0,
     call.sum.received_bytes = bytes_of(count, type))
CALL(Accumulate,
     (const void *from, int count, MPI_Datatype type, int to, MPI_Aint at, int to_count, MPI_Datatype to_type,
      MPI_Op op, MPI_Win win),
     (from, count, type, to, at, to_count, to_type, op, win), (void)0,
     call.sum.sent_bytes = bytes_of(count, type))
