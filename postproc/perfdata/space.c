// SPDX-License-Identifier: BSD-3-Clause
/* Tracks the address space of a process from perf's records. */
#include "perfdata/space.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/order.h"
#include "perfdata/sample.h"

#define ANONYMOUS "//anon"

/* The fixed part of a record, after its header. */
struct map_record {
	uint32_t pid, tid;
	uint64_t start, bytes, offset;
};

struct map2_record {
	struct map_record map;
	/* 8 bytes each for device, inode and inode generation, or 1 byte with the size, 3 unused bytes, and a build-id. */
	uint8_t identity[24];
	uint32_t protection, flags;
};

static void set_permissions(char *permissions, uint32_t protection, uint32_t flags)
{
	permissions[0] = protection & PROT_READ ? 'r' : '-';
	permissions[1] = protection & PROT_WRITE ? 'w' : '-';
	permissions[2] = protection & PROT_EXEC ? 'x' : '-';
	permissions[3] = flags & MAP_SHARED ? 's' : 'p';
	permissions[4] = '\0';
}

/* Adds the path, which is NUL-terminated and padded. Memory without a file gets the empty path. */
static uint32_t path_of(struct memphis_strings *strings, const char *path, size_t bytes)
{
	bytes = strnlen(path, bytes);
	if (bytes == strlen(ANONYMOUS) && !memcmp(path, ANONYMOUS, bytes))
		bytes = 0;
	return memphis_strings_add(strings, path, bytes);
}

static int set_build_id(struct memphis_strings *strings, const struct map2_record *record,
			struct memphis_perfdata_map *map)
{
	char text[2 * MEMPHIS_PERFDATA_BUILD_ID_BYTES_MAX + 1];

	memphis_perfdata_build_id_text(text, record->identity + 4, record->identity[0]);
	map->build_id = memphis_strings_add_text(strings, text);
	return map->build_id == MEMPHIS_NO_STRING ? -ENOMEM : 1;
}

int memphis_perfdata_map_read(const struct memphis_perfdata_event *event,
			      const struct perf_event_header *record, struct memphis_strings *strings,
			      struct memphis_perfdata_map *map, uint32_t *pid)
{
	const bool detailed = record->type == PERF_RECORD_MMAP2;
	const size_t fixed = detailed ? sizeof(struct map2_record) : sizeof(struct map_record);
	const size_t bytes = record->size - sizeof(*record),
		     trailer = memphis_perfdata_trailer_bytes(&event->attribute);
	const uint8_t *body = (const uint8_t *)(record + 1);
	struct map2_record read = {.flags = MAP_PRIVATE};

	if (bytes < fixed + trailer)
		return -EBADMSG;
	memcpy(&read, body, fixed);
	*pid = read.map.pid;
	if ((record->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL || !read.map.bytes ||
	    read.map.bytes > UINT64_MAX - read.map.start || *pid == UINT32_MAX)
		return 0;
	if (!detailed)
		read.protection = record->misc & MEMPHIS_PERFDATA_MISC_MMAP_DATA ? PROT_READ | PROT_WRITE
										 : PROT_READ | PROT_EXEC;
	memset(map, 0, sizeof(*map));
	map->start = read.map.start;
	map->end = read.map.start + read.map.bytes;
	map->offset = read.map.offset;
	set_permissions(map->permissions, read.protection, read.flags);
	map->path = path_of(strings, (const char *)body + fixed, bytes - fixed - trailer);
	if (map->path == MEMPHIS_NO_STRING)
		return -ENOMEM;
	/* For memory without a file, the offset has no meaning. */
	if (!map->path)
		map->offset = 0;
	if (detailed && record->misc & MEMPHIS_PERFDATA_MISC_BUILD_ID)
		return set_build_id(strings, &read, map);
	memcpy(&map->inode, read.identity + 8, sizeof(map->inode));
	return 1;
}

static bool is_file(const struct memphis_perfdata_map *map)
{
	return map->path > 0;
}

/* Makes a copy of the list if other spaces share it. Returns 0 or -ENOMEM. */
static int own_list(struct memphis_perfdata_space *space)
{
	struct memphis_perfdata_map *list;

	if (!space->sharers || *space->sharers == 1)
		return 0;
	list = malloc((space->count + 1) * sizeof(*list));
	if (!list)
		return -ENOMEM;
	if (space->count)
		memcpy(list, space->list, space->count * sizeof(*list));
	--*space->sharers;
	space->sharers = NULL;
	space->list = list;
	space->room = space->count + 1;
	return 0;
}

/* Replaces `fewer` maps at the index by room for `more` maps. Returns 0 or -ENOMEM. */
static int replace(struct memphis_perfdata_space *space, size_t at, size_t fewer, size_t more)
{
	const size_t count = space->count - fewer + more;

	if (own_list(space) || memphis_grow(&space->list, &space->room, count + 1, sizeof(*space->list)))
		return -ENOMEM;
	memmove(space->list + at + more, space->list + at + fewer,
		(space->count - at - fewer) * sizeof(*space->list));
	space->count = count;
	return 0;
}

/* Returns true if the map has code of a file, and `map` gives its memory other contents. */
static bool replaces_code(const struct memphis_perfdata_map *map, const struct memphis_perfdata_map *old)
{
	return is_file(old) && old->permissions[2] == 'x' &&
	       (map->path != old->path || map->build_id != old->build_id ||
		map->start - map->offset != old->start - old->offset || map->permissions[2] != 'x');
}

int memphis_perfdata_space_add(struct memphis_perfdata_space *space, const struct memphis_perfdata_map *map)
{
	const struct memphis_perfdata_map *list = space->list;
	const size_t first = memphis_bisect(at, space->count, list[at].end <= map->start),
		     last = memphis_bisect(at, space->count, list[at].start < map->end);
	struct memphis_perfdata_map parts[3];
	size_t count = 0, i;

	for (i = first; i < last; i++)
		space->version += replaces_code(map, &list[i]);
	/* Keep the parts of the first and last old map that are outside the new map. */
	if (first < last && list[first].start < map->start) {
		parts[count] = list[first];
		parts[count++].end = map->start;
	}
	parts[count++] = *map;
	if (first < last && list[last - 1].end > map->end) {
		parts[count] = list[last - 1];
		parts[count].start = map->end;
		if (is_file(&parts[count]))
			parts[count].offset += map->end - list[last - 1].start;
		count++;
	}
	if (replace(space, first, last - first, count))
		return -ENOMEM;
	memcpy(space->list + first, parts, count * sizeof(*parts));
	space->changed |= is_file(map);
	space->grown = true;
	return 0;
}

int memphis_perfdata_space_share(struct memphis_perfdata_space *space, struct memphis_perfdata_space *from)
{
	if (!from->sharers) {
		from->sharers = malloc(sizeof(*from->sharers));
		if (!from->sharers)
			return -ENOMEM;
		*from->sharers = 1;
	}
	++*from->sharers;
	*space = *from;
	space->changed = true;
	space->grown = false;
	return 0;
}

void memphis_perfdata_space_put(const struct memphis_perfdata_space *space,
				const struct memphis_strings *strings,
				const struct memphis_perfdata_origin *origin, uint64_t time_ns,
				struct memphis_text *text)
{
	const struct memphis_perfdata_map *map;
	const char *path, *next;
	size_t i;

	memphis_text_print(text, "time_ns %" PRIu64 "\n", time_ns);
	for (i = 0; i < space->count; i++) {
		map = &space->list[i];
		path = memphis_strings_get(strings, map->path);
		memphis_text_print(text, "0x%" PRIx64 " 0x%" PRIx64 " %s 0x%" PRIx64 " ", map->start,
				   map->end, map->permissions, map->offset);
		if (map->build_id)
			memphis_text_put(text, memphis_strings_get(strings, map->build_id));
		else
			memphis_perfdata_identity_put(origin, path, map->inode, text);
		memphis_text_put(text, " ");
		for (next = path; *next; next++)
			if (*next == '\n' || *next == '\\')
				memphis_text_put(text, *next == '\n' ? "\\n" : "\\\\");
			else
				memphis_text_add(text, next, 1);
		memphis_text_put(text, "\n");
	}
}

const char *memphis_perfdata_space_program(const struct memphis_perfdata_space *space,
					   const struct memphis_strings *strings)
{
	const char *path;
	size_t i;

	for (i = 0; i < space->count; i++) {
		path = memphis_strings_get(strings, space->list[i].path);
		if (*path == '/' && path[1] != '/' && space->list[i].permissions[2] == 'x')
			return path;
	}
	return NULL;
}

/* Must be the same list as in the library (docs/format.md, program_code). */
static const char *const shared[] = {"",      "/bin",     "/sbin", "/lib",       "/lib64",
				     "/usr",  "/usr/bin", "/opt",  "/usr/local", "/usr/local/bin",
				     "/home", "/tmp",     "/root"};

/* Returns the length of the path to the program's own directory, or 0 if the directory contains many programs. */
static size_t own_bytes(const char *program)
{
	const char *slash = strrchr(program, '/');
	const size_t bytes = slash ? (size_t)(slash - program) : 0;
	size_t i;

	for (i = 0; i < sizeof(shared) / sizeof(*shared); i++)
		if (strlen(shared[i]) == bytes && !memcmp(program, shared[i], bytes))
			return 0;
	return bytes;
}

void memphis_perfdata_program_directory(const char *program, struct memphis_text *text)
{
	memphis_text_add(text, program, own_bytes(program));
}

bool memphis_perfdata_space_is_own(const struct memphis_perfdata_space *space,
				   const struct memphis_strings *strings, uint64_t pc)
{
	const struct memphis_perfdata_map *list = space->list;
	const size_t found = memphis_bisect(at, space->count, list[at].end <= pc);
	const char *program = memphis_perfdata_space_program(space, strings), *path;
	size_t bytes;

	if (!program || found == space->count || list[found].start > pc)
		return false;
	path = memphis_strings_get(strings, list[found].path);
	bytes = own_bytes(program);
	return !strcmp(path, program) || (bytes && !strncmp(path, program, bytes + 1));
}

void memphis_perfdata_space_close(struct memphis_perfdata_space *space)
{
	if (!space->sharers || !--*space->sharers) {
		free(space->list);
		free(space->sharers);
	}
	memset(space, 0, sizeof(*space));
}
