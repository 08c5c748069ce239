/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes temporary sample files from other recordings. The files have no name in any directory, so they vanish
 * when the process ends for any reason. The tool opens them with memphis_made_open(), by paths that are
 * assigned to them. The chunks of all files are first collected in one temporary file, the spool.
 */
#ifndef MEMPHIS_PERFDATA_SPOOL_H
#define MEMPHIS_PERFDATA_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include <memphis/format.h>

#include "base/error.h"

/* A part of the spool. */
struct memphis_spool_extent {
	uint64_t offset, bytes;
};

/* The chunks of a file that is to be made, in their order. */
struct memphis_spooled {
	struct memphis_spool_extent *extents;
	size_t count, room;
};

struct memphis_spool {
	int fd;
	uint64_t bytes; /* number of bytes in the file and in the buffer */
	uint8_t *buffer;
	size_t used;
};

/* Opens the spool. Returns 0, or a negative errno with a message in *error. The caller must close the spool in both cases. */
int memphis_spool_begin(struct memphis_spool *spool, struct memphis_error *error);
void memphis_spool_close(struct memphis_spool *spool);

/* Appends a chunk to the chunks of `file`. Returns 0, or a negative errno with a message in *error. */
int memphis_spool_chunk(struct memphis_spool *spool, struct memphis_spooled *file, uint16_t type,
			const void *payload, size_t bytes, uint32_t count, struct memphis_error *error);
void memphis_spooled_close(struct memphis_spooled *file);

/* A sample file that is being made. */
struct memphis_made {
	int fd;
	uint64_t bytes;
};

/*
 * Creates the file, and writes the header. Sets the checksum of the header. Returns 0, or a negative errno
 * with a message in *error.
 */
int memphis_made_begin(struct memphis_made *made, const struct memphis_file_header *header,
		       struct memphis_error *error);

/* Append a header, chunks from the spool, or an END chunk. Return 0, or a negative errno with a message in *error. */
int memphis_made_header(struct memphis_made *made, const struct memphis_file_header *header,
			struct memphis_error *error);
int memphis_made_chunks(struct memphis_made *made, struct memphis_spool *spool,
			const struct memphis_spooled *file, struct memphis_error *error);
int memphis_made_end(struct memphis_made *made, struct memphis_error *error);

/*
 * Assigns a path to the file. memphis_made_open() opens it by this path until memphis_made_close(). Returns 0
 * or -ENOMEM. Not thread-safe.
 */
int memphis_made_keep(const struct memphis_made *made, const char *path);

/* Does the same as stat(2), also for files that were made and assigned this path. */
int memphis_made_stat(const char *path, struct stat *status);

/* Closes all files that were made. No code may read them any more. */
void memphis_made_close(void);

/* Returns a descriptor of the file that was made and assigned this path, or -1 if there is none. The caller must close it. */
int memphis_made_open(const char *path);

#endif
