/* SPDX-License-Identifier: BSD-3-Clause */
/* Atomic output files: the file appears under its name only when it is complete. */
#ifndef MEMPHIS_OUTFILE_H
#define MEMPHIS_OUTFILE_H

#include <stdio.h>

#include "base/error.h"
#include "base/text.h"

struct memphis_outfile {
	FILE *stream;
	const char *path; /* owned by the caller */
	char *target;     /* the path with symbolic links resolved */
	/* temporary file in the target's directory; NULL if the target is a device or pipe, which is written directly */
	char *temporary;
};

/* Opens the output file. Returns 0 or a negative errno. After a failure, the file must not be closed. */
int memphis_outfile_open(struct memphis_outfile *file, const char *path, struct memphis_error *error);

/*
 * Checks whether the file can be created or written, for programs that compute for a long time before they
 * write. Returns 0 or a negative errno. Leaves nothing behind. Does not open devices and pipes, and does not
 * notice a full disk.
 */
int memphis_outfile_check(const char *path, struct memphis_error *error);

/* Stores a message about the error in errno and the file's name in *error. Returns the negative errno. */
int memphis_outfile_failed(const struct memphis_outfile *file, struct memphis_error *error);

/*
 * Closes the file. If `rc` is 0, renames the temporary file to its target. If `rc` is not 0 or renaming
 * fails, removes the temporary file. Returns `rc`, or a negative errno if closing or renaming fails.
 */
int memphis_outfile_close(struct memphis_outfile *file, int rc, struct memphis_error *error);

/* Writes all of `text` to a file at `path`, and closes `text`. Returns 0 or a negative errno. */
int memphis_outfile_write(const char *path, struct memphis_text *text, struct memphis_error *error);

#endif
