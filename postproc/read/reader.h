/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the header and the chunks of one sample file, and validates them. Knows only the format of the file,
 * not the meaning of payloads.
 *
 * A file of ended threads contains the complete data of several threads, called members. Each member has its
 * own header and END chunk.
 */
#ifndef MEMPHIS_READER_H
#define MEMPHIS_READER_H

#include <stdbool.h>
#include <stdint.h>

#include <memphis/format.h>

#include "base/error.h"

struct memphis_file {
	char *path;
	int fd;                          /* -1 if `made` is not NULL */
	const struct memphis_made *made; /* the file exists only while the tool runs (perfdata/spool.h) */
	uint64_t bytes;
	struct memphis_file_header header; /* header of the file, or of the current member if there is one */
	uint64_t begin;                    /* offset of `header` in the file */
	bool has_members;                  /* this is a file of ended threads */
	uint64_t offset;                   /* offset of the next chunk header in the file */
	bool closed;                       /* the END chunk of the file or the member has been read */
	bool unfinished; /* the next chunk header is all zeros: the writer was killed while writing */
	size_t ahead;    /* read-ahead in bytes; 0: read only what is requested */
	uint8_t *window; /* buffer with the bytes that were read last */
	size_t window_room, window_bytes;
	uint64_t window_offset; /* offset of the window in the file */
};

struct memphis_chunk_view {
	uint64_t offset; /* offset of the chunk's header in the file */
	uint16_t type;
	uint32_t count, bytes;
	uint32_t crc32c;
	/* NULL until memphis_file_payload() is called; owned by the file and valid until the next call on the file */
	const uint8_t *payload;
};

/* Opens the file and validates its header. Returns 0 or a negative errno. After a failure, there is nothing to close. */
int memphis_file_open(struct memphis_file *file, const char *path, struct memphis_error *error);
void memphis_file_close(struct memphis_file *file);

/*
 * Opens a file of ended threads, and makes the member between the offsets `begin` and `end` the current one.
 * If `end` is 0, opens the whole file. Returns as memphis_file_open() does.
 */
int memphis_file_open_part(struct memphis_file *file, const char *path, uint64_t begin, uint64_t end,
			   struct memphis_error *error);

/*
 * Makes the next member of a file of ended threads the current one. memphis_file_next() then returns the
 * chunks of this member. All chunks of the previous member must have been read. Returns 1, 0 at the end (see
 * `closed` and `unfinished`), or a negative errno.
 */
int memphis_file_begin_member(struct memphis_file *file, struct memphis_error *error);

/* Stores the message about an empty file in *error. Returns -ENODATA, as memphis_file_open() does for an empty file. */
int memphis_file_empty(const char *path, struct memphis_error *error);

/* Goes back to the first chunk of the file or of the current member. */
void memphis_file_rewind(struct memphis_file *file);

/*
 * Values for `ahead`. AHEAD is for reading all chunks. GLANCE is for skipping samples: it covers the next
 * chunk header and the accounting.
 */
#define MEMPHIS_FILE_AHEAD  (256u << 10)
#define MEMPHIS_FILE_GLANCE 512u

/*
 * Finds the next chunk, and reads its header but not its payload. Returns 1, 0 at the end (see `closed` and
 * `unfinished`), or a negative errno.
 */
int memphis_file_next(struct memphis_file *file, struct memphis_chunk_view *chunk,
		      struct memphis_error *error);

/* Reads the payload of the chunk. Validates the checksum, and that the size fits `count`. Returns 0 or a negative errno. */
int memphis_file_payload(struct memphis_file *file, struct memphis_chunk_view *chunk,
			 struct memphis_error *error);

/*
 * Returns the name of a chunk type, such as "samples" or "accounting". Returns "unknown" for types that this
 * version does not support.
 */
const char *memphis_chunk_name(unsigned int type);

#endif
