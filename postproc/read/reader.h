/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads one sample file, header and chunks, and validates them. Handles only the format of the file, not the
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
	struct memphis_file_header header; /* of the file or, once there is a member, of the member */
	uint64_t begin;                    /* offset of this header */
	bool has_members;                  /* a file of ended threads */
	uint64_t offset;                   /* offset of the next chunk header in the file */
	bool closed;                       /* the END chunk of the file or the member has been read */
	bool unfinished; /* the next chunk header is all zeros: the writer was killed while writing */
	size_t ahead;    /* read-ahead in bytes; 0 to read only what is requested */
	uint8_t *window; /* the bytes that were read last */
	size_t window_room, window_bytes;
	uint64_t window_offset; /* their offset in the file */
};

struct memphis_chunk_view {
	uint64_t offset; /* offset of the chunk's header in the file */
	uint16_t type;
	uint32_t count, bytes;
	uint32_t crc32c;
	/* NULL until memphis_file_payload(); owned by the file and valid until the next call on the file */
	const uint8_t *payload;
};

/*
 * Opens the file and validates its header. Returns 0 or a negative errno; after a failure there is nothing to
 * close.
 */
int memphis_file_open(struct memphis_file *file, const char *path, struct memphis_error *error);
void memphis_file_close(struct memphis_file *file);

/*
 * Opens a member, which is in the file from `begin` to `end` and becomes the current one. If `end` is 0, opens the whole file. Returns as
 * memphis_file_open() does.
 */
int memphis_file_open_part(struct memphis_file *file, const char *path, uint64_t begin, uint64_t end,
			   struct memphis_error *error);

/*
 * Makes the next member of a file of ended threads the current one, whose chunks memphis_file_next() finds. The chunks of the previous
 * member must have been read. Returns 1, 0 at the end (see `closed` and `unfinished`), or a negative errno.
 */
int memphis_file_member(struct memphis_file *file, struct memphis_error *error);

/* Stores the message about an empty file, for which memphis_file_open() returns -ENODATA, and returns -ENODATA. */
int memphis_file_empty(const char *path, struct memphis_error *error);

/* Makes the first chunk of the file, or of the member, the next one to be read. */
void memphis_file_rewind(struct memphis_file *file);

/*
 * Values for `ahead`. AHEAD is for reading all chunks. GLANCE is for skipping samples: enough for the next
 * chunk header and the accounting.
 */
#define MEMPHIS_FILE_AHEAD  (256u << 10)
#define MEMPHIS_FILE_GLANCE 512u

/* Finds the next chunk. Returns 1, 0 at the end (see `closed` and `unfinished`), or a negative errno. */
int memphis_file_next(struct memphis_file *file, struct memphis_chunk_view *chunk,
		      struct memphis_error *error);

/*
 * Reads the payload of the chunk. Validates its checksum, and its size against `count`. Returns 0 or a
 * negative errno.
 */
int memphis_file_payload(struct memphis_file *file, struct memphis_chunk_view *chunk,
			 struct memphis_error *error);

/*
 * Returns the name of a type of chunk, such as "samples" or "accounting"; "unknown" for a type that this
 * version does not support.
 */
const char *memphis_chunk_name(unsigned int type);

#endif
