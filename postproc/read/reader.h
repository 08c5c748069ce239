/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads one sample file: its header and chunks, validated as they are read. Contains the format only, not the
 * meaning of payloads.
 */
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
	uint64_t offset; /* file offset of the next chunk header */
	bool closed;     /* the END chunk has been read */
	bool unfinished; /* a chunk header of zeros was found: the writer was killed while writing */
	size_t ahead;    /* read-ahead in bytes; 0: read only what is requested */
	uint8_t *window; /* the bytes read last ... */
	size_t window_room, window_bytes;
	uint64_t window_offset; /* ... and their file offset */
};

struct memphis_chunk_view {
	uint64_t offset; /* of the chunk's header in the file */
	uint16_t type;
	uint32_t count, bytes;
	uint32_t crc32c;
	/* NULL until memphis_file_payload(); owned by the file, valid until the next call on it */
	const uint8_t *payload;
};

/* Opens the file and validates its header. After a failure there is nothing to close. */
int memphis_file_open(struct memphis_file *file, const char *path, struct memphis_error *error);
void memphis_file_close(struct memphis_file *file);

/* Returns to the first chunk. */
void memphis_file_rewind(struct memphis_file *file);

/*
 * Values for `ahead`: AHEAD when all chunks are read; GLANCE when samples are skipped, just enough for the
 * accounting and the next chunk header after them.
 */
#define MEMPHIS_FILE_AHEAD  (256u << 10)
#define MEMPHIS_FILE_GLANCE 512u

/* Finds the next chunk. Returns 1, 0 at the end (see `closed` and `unfinished`), or a negative errno. */
int memphis_file_next(struct memphis_file *file, struct memphis_chunk_view *chunk,
		      struct memphis_error *error);

/* Reads the chunk's payload and validates its checksum and its size against `count`. */
int memphis_file_payload(struct memphis_file *file, struct memphis_chunk_view *chunk,
			 struct memphis_error *error);

/*
 * Returns the name of a chunk type: "samples", "accounting" ...; "unknown" for types that this version does
 * not have.
 */
const char *memphis_chunk_name(unsigned int type);

#endif
