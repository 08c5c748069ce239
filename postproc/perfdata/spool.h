/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes temporary sample files from other recordings. The contents of all files of a recording are in one
 * temporary file, the spool, in the order in which they were made. A file is a list of parts of the spool. The
 * spool has no name in any directory, so it vanishes when the process ends for any reason. The tool finds the
 * files by paths that are assigned to them.
 */
#ifndef MEMPHIS_PERFDATA_SPOOL_H
#define MEMPHIS_PERFDATA_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include <memphis/format.h>

#include "base/error.h"

/* A part of the spool. It ends where the next extent of the file begins. */
struct memphis_spool_extent {
	uint64_t begin;  /* offset in the file */
	uint64_t offset; /* offset in the spool */
};

/* A file, or a part of one, that is being made. */
struct memphis_spooled {
	struct memphis_spool_extent *extents;
	size_t count, room;
	uint64_t bytes;
};

struct memphis_spool {
	int fd;
	uint64_t bytes; /* number of bytes in the spool and in the buffer */
	uint8_t *buffer;
	size_t used;
	bool kept; /* files refer to it, which close it */
};

/* Opens the spool. Returns 0, or a negative errno with a message in *error. The caller must close the spool in both cases. */
int memphis_spool_begin(struct memphis_spool *spool, struct memphis_error *error);
void memphis_spool_close(struct memphis_spool *spool);

/* Append a chunk or a header to the file. Set checksums. Return 0, or a negative errno with a message in *error. */
int memphis_spool_chunk(struct memphis_spool *spool, struct memphis_spooled *file, uint16_t type,
			const void *payload, size_t bytes, uint32_t count, struct memphis_error *error);
int memphis_spool_header(struct memphis_spool *spool, struct memphis_spooled *file,
			 const struct memphis_file_header *header, struct memphis_error *error);

/* Moves the contents of `from` to the end of `to`. Returns 0, or -ENOMEM with a message in *error. */
int memphis_spooled_move(struct memphis_spooled *to, struct memphis_spooled *from,
			 struct memphis_error *error);
void memphis_spooled_close(struct memphis_spooled *file);

/*
 * Assigns a path to the file. memphis_made_find() finds it by this path until memphis_made_close(). Returns 0,
 * or a negative errno with a message in *error. Not thread-safe.
 */
int memphis_spool_keep(struct memphis_spool *spool, struct memphis_spooled *file, const char *path,
		       struct memphis_error *error);

/* A sample file that was made. */
struct memphis_made;

/* Returns the file to which this path was assigned, or NULL. */
const struct memphis_made *memphis_made_find(const char *path);
uint64_t memphis_made_bytes(const struct memphis_made *made);

/* Does the same as pread(2). Several threads may read a file. */
ssize_t memphis_made_read(const struct memphis_made *made, void *to, size_t bytes, uint64_t offset);

/* Does the same as stat(2), but of a file that was made, sets only type and size. */
int memphis_made_stat(const char *path, struct stat *status);

/* Closes all files that were made. No code may read them any more. */
void memphis_made_close(void);

#endif
