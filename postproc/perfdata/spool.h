/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sample files that the tool makes for itself from other recordings. They have no name in any directory, and end with the process, however it
 * ends; memphis_spool_open() opens them by the paths that they are given. Chunks of many files are collected in one temporary file first.
 */
#ifndef MEMPHIS_PERFDATA_SPOOL_H
#define MEMPHIS_PERFDATA_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include <memphis/format.h>

#include "base/error.h"

/* A part of the temporary file. */
struct memphis_spool_extent {
	uint64_t offset, bytes;
};

/* The chunks of a file or of a member that is to be made, in their order. */
struct memphis_spooled {
	struct memphis_spool_extent *extents;
	size_t count, room;
};

struct memphis_spool {
	int fd;
	uint64_t bytes; /* written, and in the buffer */
	uint8_t *buffer;
	size_t used;
};

/* Opens the temporary file. Returns 0, or a negative errno with a message in *error; the spool must be closed in both cases. */
int memphis_spool_begin(struct memphis_spool *spool, struct memphis_error *error);
void memphis_spool_close(struct memphis_spool *spool);

/* Adds a chunk to those of a file. Returns 0, or a negative errno with a message in *error. */
int memphis_spool_chunk(struct memphis_spool *spool, struct memphis_spooled *file, uint16_t type,
			const void *payload, size_t bytes, uint32_t count, struct memphis_error *error);
void memphis_spooled_close(struct memphis_spooled *file);

/* A file that is made. */
struct memphis_made {
	int fd;
	uint64_t bytes;
};

/* Begins a file with the header, whose checksum is set here. Returns 0, or a negative errno with a message in *error. */
int memphis_made_begin(struct memphis_made *made, const struct memphis_file_header *header,
		       struct memphis_error *error);

/* Appends a header, chunks of the spool, or an END chunk. Return 0, or a negative errno with a message in *error. */
int memphis_made_header(struct memphis_made *made, const struct memphis_file_header *header,
			struct memphis_error *error);
int memphis_made_chunks(struct memphis_made *made, struct memphis_spool *spool,
			const struct memphis_spooled *file, struct memphis_error *error);
int memphis_made_end(struct memphis_made *made, struct memphis_error *error);

/* Gives the file its path, under which it is opened until memphis_made_close(). Returns 0 or -ENOMEM. Not for several threads at a time. */
int memphis_made_keep(const struct memphis_made *made, const char *path);

/* Does what stat(2) does, of a file that was made under this path, too. */
int memphis_made_stat(const char *path, struct stat *status);

/* Closes all files that were made, which nothing reads any more. */
void memphis_made_close(void);

/* Returns a descriptor of the file that was made under this path, or -1 if there is none. The caller closes it. */
int memphis_made_open(const char *path);

#endif
