/* SPDX-License-Identifier: BSD-3-Clause */
/* Atomic output files: a file appears under its name complete, or not at all. */
#ifndef MEMPHIS_OUTFILE_H
#define MEMPHIS_OUTFILE_H

#include <stdio.h>

#include "base/error.h"
#include "base/text.h"

struct memphis_outfile {
	FILE *stream;
	const char *path; /* owned by the caller */
	char *target;     /* the path with symbolic links resolved */
	/*
	 * temporary file in the target's directory; NULL: the target is a device or pipe and is written
	 * directly
	 */
	char *temporary;
};

/* Returns 0, or a negative errno with nothing to close. */
int memphis_outfile_open(struct memphis_outfile *file, const char *path, struct memphis_error *error);

/* Reports the failure in errno with the file's name. Returns the negative errno. */
int memphis_outfile_failed(const struct memphis_outfile *file, struct memphis_error *error);

/*
 * With `rc` 0, renames the file to its target. If `rc` is non-zero or the renaming fails, removes the
 * temporary file. Returns `rc` or a negative errno.
 */
int memphis_outfile_close(struct memphis_outfile *file, int rc, struct memphis_error *error);

/* Writes all of `text` to the file and closes `text`. Returns 0 or a negative errno. */
int memphis_outfile_write(const char *path, struct memphis_text *text, struct memphis_error *error);

#endif
