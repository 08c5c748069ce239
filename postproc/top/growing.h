/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A sample file that its writer may still extend, replace or remove. Each look reads only what was added
 * since the previous look: new chunks or, in a file of several ended threads, new threads.
 */
#ifndef MEMPHIS_GROWING_H
#define MEMPHIS_GROWING_H

#include "read/reader.h"

enum memphis_growing_state {
	MEMPHIS_GROWING_NEW = 0, /* no complete header yet */
	MEMPHIS_GROWING_OPEN,    /* more chunks may follow */
	MEMPHIS_GROWING_CLOSED,  /* the END chunk has been read */
	MEMPHIS_GROWING_DAMAGED, /* a chunk has remained unreadable; nothing more is read from the file */
	MEMPHIS_GROWING_GONE     /* removed, or replaced by another file */
};

struct memphis_growing {
	char *path;
	enum memphis_growing_state state;
	struct memphis_file_header header; /* zero in state NEW */
	uint64_t offset;                   /* offset of the next chunk */
	uint64_t
		bytes; /* size of the file up to which everything has been read; equals `offset` if the next chunk is incomplete */
	/* number of consecutive looks that could not read the next chunk */
	unsigned int failures;
};

/* Callback for a new chunk whose payload has not been read yet. Returns 0, -EBADMSG or -ENOMEM. */
typedef int memphis_growing_take(void *context, struct memphis_file *file, struct memphis_chunk_view *chunk,
				 struct memphis_error *error);

/*
 * Reads the header, unless it has been read before. Returns 0, -ENODATA if there is no header yet, or another
 * negative errno with a message in *error.
 */
int memphis_growing_read_header(struct memphis_growing *growing, struct memphis_error *error);

/*
 * Calls `take` for each new chunk. A chunk that cannot be read or taken may be incomplete. The next calls try
 * it again, until the file counts as damaged. Returns 0, or -ENOMEM with a message in *error.
 */
int memphis_growing_read(struct memphis_growing *growing, memphis_growing_take *take, void *context,
			 struct memphis_error *error);

#endif
