// SPDX-License-Identifier: BSD-3-Clause
/* Names of segments: of a section, of a map, or of a file. */
#include "name/segment.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define REMOVED " (deleted)"

int memphis_set_text(char **text, const char *format, ...)
{
	va_list arguments;
	int rc;

	free(*text);
	va_start(arguments, format);
	rc = vasprintf(text, format, arguments);
	va_end(arguments);
	if (rc >= 0)
		return 0;
	*text = NULL;
	return -ENOMEM;
}

/* The base name of the file. The kernel appends " (deleted)" to the path of a removed file. */
static int segment_of_file(const char *path, char **segment)
{
	const char *name = memphis_basename(path);
	size_t bytes = strlen(name), removed = strlen(REMOVED);

	if (bytes > removed && !strcmp(name + bytes - removed, REMOVED))
		bytes -= removed;
	return memphis_set_text(segment, "%.*s", (int)bytes, name);
}

int memphis_segment_of_section(const struct memphis_binary *binary, int section, char **segment)
{
	if (section >= 0 && (size_t)section < binary->section_count)
		return memphis_set_text(segment, "%s", binary->sections[section].name);
	return segment_of_file(binary->path, segment);
}

int memphis_segment_of_map(const struct memphis_map *map, char **segment)
{
	size_t bytes;

	if (!map)
		return memphis_set_text(segment, "unmapped");
	switch (map->kind) {
	case MEMPHIS_MAP_ANONYMOUS:
		return memphis_set_text(segment, "mmap");
	case MEMPHIS_MAP_SHARED:
		return memphis_set_text(segment, "shm");
	case MEMPHIS_MAP_HEAP:
		return memphis_set_text(segment, "heap");
	case MEMPHIS_MAP_STACK:
		return memphis_set_text(segment, "stack");
	case MEMPHIS_MAP_FILE:
		return segment_of_file(map->path, segment);
	case MEMPHIS_MAP_SPECIAL:
		break;
	}
	bytes = strlen(map->path);
	if (bytes > 2 && map->path[0] == '[' && map->path[bytes - 1] == ']')
		return memphis_set_text(segment, "%.*s", (int)bytes - 2, map->path + 1);
	return memphis_set_text(segment, "%s", map->path);
}
