/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads source files. A file is searched at its path in DWARF, and below the directories given with --source. */
#ifndef MEMPHIS_SOURCE_H
#define MEMPHIS_SOURCE_H

#include <stddef.h>
#include <stdint.h>

struct memphis_source_file {
	char *path;  /* path in DWARF */
	char *found; /* path of the file that was read, or NULL */
	char *text;  /* NUL-terminated */
	size_t bytes;
	size_t *lines; /* offset of each line in `text` */
	size_t line_count;
	uint64_t changed_ns; /* modification time in nanoseconds, CLOCK_REALTIME */
};

struct memphis_sources {
	struct memphis_source_file *list;
	size_t count, room;
	char **directories; /* given with --source; owned by the caller */
	size_t directory_count;
};

/*
 * Returns the source file, which is read on first use. Returns NULL if it is not found or memory is
 * exhausted. The result is valid until the next call.
 */
const struct memphis_source_file *memphis_source_file(struct memphis_sources *sources, const char *path);

/*
 * Returns the text from the start of line number `line` (from 1), or NULL if the file has fewer lines. Sets
 * *bytes to the length of the line without its '\n'.
 */
const char *memphis_source_line(const struct memphis_source_file *file, unsigned int line, size_t *bytes);
void memphis_sources_close(struct memphis_sources *sources);

#endif
