/* SPDX-License-Identifier: BSD-3-Clause */
/* Source files by the path that DWARF gives, found there or below the --source directories. */
#ifndef MEMPHIS_SOURCE_FILES_H
#define MEMPHIS_SOURCE_FILES_H

#include <stddef.h>

struct memphis_source_file {
	char *path;    /* as DWARF has it */
	char *found;   /* the file in use, or NULL */
	char *text;    /* NUL-terminated */
	size_t *lines; /* offset of each line in `text` */
	size_t line_count;
};

struct memphis_sources {
	struct memphis_source_file *list;
	size_t count, room;
	char **directories; /* --source; the caller's */
	size_t directory_count;
};

/* NULL: not found, or no memory. Valid until the next call. */
const struct memphis_source_file *memphis_source_file(struct memphis_sources *sources, const char *path);

/* The text from line `line` (from 1) on, NULL past the end; *bytes to the end of that line without '\n'. */
const char *memphis_source_line(const struct memphis_source_file *file, unsigned int line, size_t *bytes);
void memphis_sources_close(struct memphis_sources *sources);

#endif
