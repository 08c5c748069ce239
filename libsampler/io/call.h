/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The code around each interposed I/O function. The files that define the functions are tables. Each row
 * contains the type of the result, the name of the function, its parameters, their names, the descriptor, and
 * the numbers of bytes read and written.
 */
#ifndef MEMPHIS_IO_CALL_H
#define MEMPHIS_IO_CALL_H

#include <memphis/mpi_layer.h>

#include "io/descriptors.h"

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define PUBLIC      __attribute__((visibility("default")))

/*
 * Returns the function of the C library, or NULL if the library does not have it. In the latter case, no
 * program calls the function.
 */
void *memphis_io_next(const char *name);

/*
 * Defines next_NAME(), which calls the function of the C library. The function is looked up when the layer is
 * loaded, so that the first call may be made in a signal handler. Constructors of other libraries may call it
 * before that.
 */
#define NEXT(type, name, parameters, arguments)                                    \
	static type(*found_##name) parameters;                                     \
	__attribute__((constructor)) static void find_##name(void)                 \
	{                                                                          \
		if (!found_##name)                                                 \
			found_##name = (type(*) parameters)memphis_io_next(#name); \
	}                                                                          \
	static inline type next_##name parameters                                  \
	{                                                                          \
		if (unlikely(!found_##name))                                       \
			find_##name();                                             \
		return found_##name arguments;                                     \
	}

/* Called before a call that transfers data of a descriptor. Returns false if the call is not counted. */
static inline __attribute__((always_inline)) bool begin_transfer(struct memphis_layer_call *call, int fd,
								 int *file)
{
	if (memphis_io_is_no_file(fd) || !memphis_io_begin(call))
		return false;
	*file = memphis_io_file_of(fd);
	if (likely(*file != MEMPHIS_MPI_NONE))
		return true;
	memphis_io_end(call, NULL, 0, 0, 0);
	return false;
}

/*
 * `fd` is the descriptor. `read` and `written` are numbers of bytes, and may be expressions that contain
 * `result`. `counted` is the name of the sum.
 */
#define TRANSFER_AS(counted, type, name, parameters, arguments, fd, read, written) \
	NEXT(type, name, parameters, arguments)                                    \
	PUBLIC type name parameters                                                \
	{                                                                          \
		struct memphis_layer_call call;                                    \
		type result;                                                       \
		int file;                                                          \
                                                                                   \
		if (!begin_transfer(&call, fd, &file))                             \
			return next_##name arguments;                              \
		result = next_##name arguments;                                    \
		memphis_io_end(&call, counted, file, read, written);               \
		return result;                                                     \
	}

#define TRANSFER(type, name, parameters, arguments, fd, read, written) \
	TRANSFER_AS(#name, type, name, parameters, arguments, fd, read, written)

#endif
