/* SPDX-License-Identifier: BSD-3-Clause */
/* A file to be written that appears under its name whole, or not at all. */
#ifndef MEMPHIS_OUTFILE_H
#define MEMPHIS_OUTFILE_H

#include <stdio.h>

#include "base/error.h"
#include "base/text.h"

struct memphis_outfile {
	FILE *stream;
	const char *path; /* the caller's */
	char *target;     /* the same without symbolic links */
	char *temporary; /* what is written, in the target's directory; NULL: a device or pipe, written as it is */
};

/* 0, or a negative errno with nothing to be closed. */
int memphis_outfile_open(struct memphis_outfile *file, const char *path, struct memphis_error *error);

/* What failed there: errno's text with the file's name. Returns the negative errno. */
int memphis_outfile_failed(const struct memphis_outfile *file, struct memphis_error *error);

/* With `rc` 0, gives the file its name; else, or if that fails, nothing of it stays. Returns rc or a negative errno. */
int memphis_outfile_close(struct memphis_outfile *file, int rc, struct memphis_error *error);

/* All of `text`, which is closed. 0 or a negative errno. */
int memphis_outfile_write(const char *path, struct memphis_text *text, struct memphis_error *error);

#endif
