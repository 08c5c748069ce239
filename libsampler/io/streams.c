/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * I/O functions for streams. The calls of read() and write() inside the C library can't be interposed, so the
 * functions that make these calls are interposed. The counted bytes are those that the program reads and
 * writes. The buffer of the stream determines when they reach the file.
 */
#undef _FORTIFY_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "io/call.h"

#undef fread_unlocked
#undef fwrite_unlocked

/*
 * Returns the descriptor of the stream, or -1 for a stream in memory, which has no descriptor. In that case
 * fileno() sets errno, so errno is restored.
 */
static int stream_descriptor(FILE *stream)
{
	const int saved = errno;
	const int fd = stream ? fileno_unlocked(stream) : -1;

	errno = saved;
	return fd;
}

#define FD   stream_descriptor(stream)
#define DONE (result > 0 ? (__u64)result : 0)

#define READ(name, counted, parameters, arguments) \
	TRANSFER_AS(counted, size_t, name, parameters, arguments, FD, size *result, 0)
#define WRITE(name, counted, parameters, arguments) \
	TRANSFER_AS(counted, size_t, name, parameters, arguments, FD, 0, size *result)
#define PRINT(name, counted, parameters, arguments) \
	TRANSFER_AS(counted, int, name, parameters, arguments, FD, 0, DONE)

READ(fread, "fread", (void *to, size_t size, size_t count, FILE *stream), (to, size, count, stream))
READ(fread_unlocked, "fread", (void *to, size_t size, size_t count, FILE *stream), (to, size, count, stream))
READ(__fread_chk, "fread", (void *to, size_t room, size_t size, size_t count, FILE *stream),
     (to, room, size, count, stream))
READ(__fread_unlocked_chk, "fread", (void *to, size_t room, size_t size, size_t count, FILE *stream),
     (to, room, size, count, stream))
WRITE(fwrite, "fwrite", (const void *from, size_t size, size_t count, FILE *stream),
      (from, size, count, stream))
WRITE(fwrite_unlocked, "fwrite", (const void *from, size_t size, size_t count, FILE *stream),
      (from, size, count, stream))
PRINT(vfprintf, "fprintf", (FILE * stream, const char *format, va_list list), (stream, format, list))
PRINT(__vfprintf_chk, "fprintf", (FILE * stream, int flag, const char *format, va_list list),
      (stream, flag, format, list))
TRANSFER(int, fputs, (const char *text, FILE *stream), (text, stream), FD, 0, result >= 0 ? strlen(text) : 0)
TRANSFER_AS("fputs", int, fputs_unlocked, (const char *text, FILE *stream), (text, stream), FD, 0,
	    result >= 0 ? strlen(text) : 0)
TRANSFER(char *, fgets, (char *to, int room, FILE *stream), (to, room, stream), FD,
	 result ? strlen(result) : 0, 0)

PUBLIC int fprintf(FILE *stream, const char *format, ...)
{
	va_list list;
	int result;

	va_start(list, format);
	result = vfprintf(stream, format, list);
	va_end(list);
	return result;
}

PUBLIC int __fprintf_chk(FILE *stream, int flag, const char *format, ...)
{
	va_list list;
	int result;

	va_start(list, format);
	result = __vfprintf_chk(stream, flag, format, list);
	va_end(list);
	return result;
}

/* Returns the file of the stream. Without a stream, a call applies to all streams. */
static int stream_file(FILE *stream)
{
	return stream ? memphis_io_file_of(FD) : MEMPHIS_MPI_FILE;
}

NEXT(int, fflush, (FILE * stream), (stream))
PUBLIC int fflush(FILE *stream)
{
	struct memphis_layer_call call;
	int rc, file;

	if (!memphis_io_begin(&call))
		return next_fflush(stream);
	file = stream_file(stream);
	rc = next_fflush(stream);
	memphis_io_end(&call, file == MEMPHIS_MPI_NONE ? NULL : "fflush", file, 0, 0);
	return rc;
}

NEXT(int, fclose, (FILE * stream), (stream))
PUBLIC int fclose(FILE *stream)
{
	struct memphis_layer_call call;
	const int fd = FD;
	int rc, file;

	if (!memphis_io_begin(&call)) {
		memphis_io_forget(fd);
		return next_fclose(stream);
	}
	file = memphis_io_file_of(fd);
	memphis_io_forget(fd);
	rc = next_fclose(stream);
	memphis_io_end(&call, file == MEMPHIS_MPI_NONE ? NULL : "fclose", file, 0, 0);
	return rc;
}

/* Like open(), the call is counted without a file. */
#define OPEN(name, counted, parameters, arguments)                              \
	NEXT(FILE *, name, parameters, arguments)                               \
	PUBLIC FILE *name parameters                                            \
	{                                                                       \
		struct memphis_layer_call call;                                 \
		const bool counts = memphis_io_begin(&call);                    \
		FILE *result = next_##name arguments;                           \
                                                                                \
		memphis_io_forget(stream_descriptor(result));                   \
		if (counts)                                                     \
			memphis_io_end(&call, counted, MEMPHIS_MPI_FILE, 0, 0); \
		return result;                                                  \
	}

OPEN(fopen, "fopen", (const char *path, const char *mode), (path, mode))
OPEN(fopen64, "fopen", (const char *path, const char *mode), (path, mode))

/* The call closes the descriptor of the stream, even if the new file can't be opened. */
#define REOPEN(name)                                                                                 \
	NEXT(FILE *, name, (const char *path, const char *mode, FILE *stream), (path, mode, stream)) \
	PUBLIC FILE *name(const char *path, const char *mode, FILE *stream)                          \
	{                                                                                            \
		struct memphis_layer_call call;                                                      \
		const bool counts = memphis_io_begin(&call);                                         \
		const int fd = FD;                                                                   \
		FILE *result;                                                                        \
                                                                                                     \
		memphis_io_forget(fd);                                                               \
		result = next_##name(path, mode, stream);                                            \
		memphis_io_forget(stream_descriptor(result));                                        \
		if (counts)                                                                          \
			memphis_io_end(&call, "freopen", MEMPHIS_MPI_FILE, 0, 0);                    \
		return result;                                                                       \
	}

REOPEN(freopen)
REOPEN(freopen64)

NEXT(int, pclose, (FILE * stream), (stream))
PUBLIC int pclose(FILE *stream)
{
	memphis_io_forget(FD);
	return next_pclose(stream);
}
