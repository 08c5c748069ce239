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
	/*
	 * temporary file in the target's directory; NULL if the target is a device or pipe, which is written
	 * directly
	 */
	char *temporary;
};

/* Opens the output file. Returns 0 or a negative errno; after a failure there is nothing to close. */
int memphis_outfile_open(struct memphis_outfile *file, const char *path, struct memphis_error *error);

/*
 * Returns 0 if the file can be created or written, else a negative errno: for programs that compute for long before they write. Nothing is left
 * behind. Devices and pipes are not opened, and a full disk is not noticed.
 */
int memphis_outfile_check(const char *path, struct memphis_error *error);

/* Reports the error in errno together with the file's name. Returns the negative errno. */
int memphis_outfile_failed(const struct memphis_outfile *file, struct memphis_error *error);

/*
 * Closes the file. Renames it to its target if `rc` is 0; removes the temporary file if `rc` is non-zero or
 * renaming fails. Returns `rc`, or a negative errno if closing or renaming fails.
 */
int memphis_outfile_close(struct memphis_outfile *file, int rc, struct memphis_error *error);

/* Writes all of `text` to a file at `path`, and closes `text`. Returns 0 or a negative errno. */
int memphis_outfile_write(const char *path, struct memphis_text *text, struct memphis_error *error);

#endif
