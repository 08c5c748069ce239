/* SPDX-License-Identifier: BSD-3-Clause */
/* One sample file: header and chunks, checked as they are read. Knows the format, not its meaning. */
#ifndef MEMPHIS_READER_H
#define MEMPHIS_READER_H

#include <stdbool.h>
#include <stdint.h>

#include <memphis/format.h>

#include "base/error.h"

struct memphis_file {
	char *path;
	int fd;
	uint64_t bytes;
	struct memphis_file_header header;
	uint64_t offset; /* of the next chunk's header */
	bool closed;     /* the END chunk was met */
	bool unfinished; /* a chunk header of zeros was met: the writer was killed while writing */
	size_t ahead;    /* read at least so much at a time; 0: only what is asked for */
	uint8_t *window; /* what was read last ... */
	size_t window_room, window_bytes;
	uint64_t window_offset; /* ... and from where */
};

struct memphis_chunk_view {
	uint64_t offset; /* of the chunk's header in the file */
	uint16_t type;
	uint32_t count, bytes;
	uint32_t crc32c;
	const uint8_t *payload; /* NULL until memphis_file_payload(); the file's, until its next call */
};

/* Opens and checks the header. A failed open leaves nothing to close. */
int memphis_file_open(struct memphis_file *file, const char *path, struct memphis_error *error);
void memphis_file_close(struct memphis_file *file);

/* Back to the first chunk. */
void memphis_file_rewind(struct memphis_file *file);

/* What `ahead` is worth while: where all chunks will be read, and where samples are passed by: then accounting and a header follow. */
#define MEMPHIS_FILE_AHEAD  (256u << 10)
#define MEMPHIS_FILE_GLANCE 512u

/* The next chunk: 1, or 0 at the end (see closed, unfinished), or a negative errno. */
int memphis_file_next(struct memphis_file *file, struct memphis_chunk_view *chunk,
		      struct memphis_error *error);

/* Reads the chunk's payload and checks its sum and its size against `count`. */
int memphis_file_payload(struct memphis_file *file, struct memphis_chunk_view *chunk,
			 struct memphis_error *error);

/* "samples", "books" ...; "unknown" for types that this version does not know. */
const char *memphis_chunk_name(unsigned int type);

#endif
