// SPDX-License-Identifier: BSD-3-Clause
/* Builds the address space of a process over time from the lists of memory maps in its file. */
#include "read/maps.h"

#include <errno.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*
 * If it is unknown whether a file has a build-id, the field for the build-id begins with this character. The rest of
 * the field tells which file is accepted (memphis_binary.unidentified).
 */
#define UNIDENTIFIED '?'

/* Names that the kernel gives to memory that is not backed by a file of a user (proc_pid_maps(5), mm/shmem.c, ipc/shm.c). */
static const struct {
	const char *begin;
	enum memphis_map_kind shared, private; /* kinds for MAP_SHARED and for MAP_PRIVATE */
} without_file[] = {
	{"/SYSV", MEMPHIS_MAP_SHARED, MEMPHIS_MAP_SHARED},
	{"/dev/shm/", MEMPHIS_MAP_SHARED, MEMPHIS_MAP_FILE},
	{"/memfd:", MEMPHIS_MAP_SHARED, MEMPHIS_MAP_FILE},
	{"/dev/zero", MEMPHIS_MAP_SHARED, MEMPHIS_MAP_ANONYMOUS},
	{"/anon_hugepage", MEMPHIS_MAP_SHARED, MEMPHIS_MAP_ANONYMOUS},
	{"[anon", MEMPHIS_MAP_SHARED, MEMPHIS_MAP_ANONYMOUS},
};

static enum memphis_map_kind kind_of(const char *path, bool shared, bool identified)
{
	size_t i;

	if (!*path)
		return MEMPHIS_MAP_ANONYMOUS;
	/* A file with a build-id is a program or library, even if its path looks special. */
	for (i = 0; !identified && i < sizeof(without_file) / sizeof(*without_file); i++)
		if (!strncmp(path, without_file[i].begin, strlen(without_file[i].begin)))
			return shared ? without_file[i].shared : without_file[i].private;
	if (*path == '/' && strncmp(path, "//", 2))
		return MEMPHIS_MAP_FILE;
	if (!strcmp(path, "[heap]"))
		return MEMPHIS_MAP_HEAP;
	if (!strncmp(path, "[stack", 6))
		return MEMPHIS_MAP_STACK;
	return MEMPHIS_MAP_SPECIAL;
}

/* Parses a line of the form: 0xstart 0xend perms 0xoffset BUILDID path. Returns 0, -EBADMSG or -ENOMEM. */
static int parse_map(struct memphis_span line, struct memphis_map *map, char **build_id)
{
	struct memphis_span perms, id;

	memset(map, 0, sizeof(*map));
	*build_id = NULL;
	if (!memphis_next_number(&line, true, &map->start) || !memphis_next_number(&line, true, &map->end) ||
	    !memphis_next_field(&line, &perms) || !memphis_next_number(&line, true, &map->offset) ||
	    !memphis_next_field(&line, &id) || map->end < map->start)
		return -EBADMSG;
	map->executable = perms.bytes > 2 && perms.text[2] == 'x';
	map->writable = perms.bytes > 1 && perms.text[1] == 'w';
	map->binary = MEMPHIS_NO_BINARY;
	map->instance = MEMPHIS_NO_INSTANCE;
	*build_id = memphis_span_unescape(memphis_span_is(id, "-") ? (struct memphis_span){"", 0} : id);
	map->path = memphis_span_unescape(line);
	if (!*build_id || !map->path) {
		free(*build_id);
		free(map->path);
		return -ENOMEM;
	}
	map->kind = kind_of(map->path, perms.bytes > 3 && perms.text[3] == 's',
			    **build_id && **build_id != UNIDENTIFIED);
	return 0;
}

static bool same_map(const struct memphis_map *a, const struct memphis_map *b)
{
	return a->start == b->start && a->end == b->end && a->offset == b->offset && a->binary == b->binary &&
	       a->kind == b->kind && a->executable == b->executable && a->writable == b->writable &&
	       !strcmp(a->path, b->path);
}

/*
 * Appends `map`. If the previous list contains an equal map, extends that one to the current list instead.
 * Takes ownership of map->path. The maps of the current list start at index `list_begin`.
 */
static int keep_map(struct memphis_maps *maps, struct memphis_map *map, size_t list_begin)
{
	uint32_t list = (uint32_t)maps->time_count - 1;
	struct memphis_map *known, *kept;
	size_t i;

	for (i = list_begin; list && i-- > 0;) {
		known = &maps->list[i];
		if (known->list_last != list - 1 || !same_map(known, map))
			continue;
		known->list_last = list;
		known->last_ns = maps->times_ns[list];
		free(map->path);
		return 0;
	}
	kept = memphis_append(maps->list, maps->count, maps->room);
	if (!kept) {
		free(map->path);
		return -ENOMEM;
	}
	*kept = *map;
	kept->list_first = kept->list_last = list;
	kept->first_ns = kept->last_ns = maps->times_ns[list];
	return 0;
}

static int add_line(struct memphis_maps *maps, struct memphis_binaries *binaries, struct memphis_span line,
		    size_t list_begin)
{
	struct memphis_map map;
	char *build_id;
	int rc = parse_map(line, &map, &build_id);

	if (rc)
		return rc;
	if (map.kind == MEMPHIS_MAP_FILE) {
		map.binary = *build_id == UNIDENTIFIED
				     ? memphis_binaries_add_unidentified(binaries, map.path, build_id)
				     : memphis_binaries_add(binaries, map.path, build_id);
		if (map.binary == MEMPHIS_NO_BINARY)
			rc = -ENOMEM;
	}
	free(build_id);
	if (rc)
		free(map.path);
	return rc ? rc : keep_map(maps, &map, list_begin);
}

/* First line of a list of maps: "time_ns T [loading] [unloaded_ns FIRST LAST]". */
struct heading {
	uint64_t time_ns, unloads_ns[2];
	bool loading, unloaded;
};

static bool parse_heading(struct memphis_span line, struct heading *heading)
{
	struct memphis_span word;

	memset(heading, 0, sizeof(*heading));
	if (!memphis_next_field(&line, &word) || !memphis_span_is(word, "time_ns") ||
	    !memphis_next_number(&line, false, &heading->time_ns))
		return false;
	while (memphis_next_field(&line, &word)) {
		if (memphis_span_is(word, "loading"))
			heading->loading = true;
		else if (memphis_span_is(word, "unloaded_ns"))
			heading->unloaded = memphis_next_number(&line, false, &heading->unloads_ns[0]) &&
					    memphis_next_number(&line, false, &heading->unloads_ns[1]);
	}
	return true;
}

static int note_unloads(struct memphis_maps *maps, const struct heading *heading)
{
	uint64_t *time_ns;
	size_t i;

	for (i = 0; i < 2 && heading->unloaded; i++) {
		time_ns = memphis_append(maps->unloads_ns, maps->unload_count, maps->unload_room);
		if (!time_ns)
			return -ENOMEM;
		*time_ns = heading->unloads_ns[i];
	}
	return 0;
}

static int add_list(struct memphis_maps *maps, struct memphis_binaries *binaries, struct memphis_span lines,
		    uint64_t time_ns, struct memphis_error *error)
{
	size_t list_begin = maps->count, number = 1;
	struct memphis_span line;
	uint64_t *time;
	int rc;

	time = memphis_append(maps->times_ns, maps->time_count, maps->time_room);
	if (!time)
		return memphis_fail(error, -ENOMEM, "out of memory");
	*time = time_ns;
	while (memphis_next_line(&lines, &line)) {
		number++;
		rc = add_line(maps, binaries, line, list_begin);
		if (rc == -EBADMSG)
			return memphis_fail(error, rc, "line %zu of the list of maps is malformed", number);
		if (rc)
			return memphis_fail(error, rc, "out of memory");
	}
	return 0;
}

/* Checks the list, and keeps its text. add_unfinished() adds the list if no other list follows. */
static int keep_unfinished(struct memphis_maps *maps, struct memphis_span payload, struct memphis_span lines,
			   struct memphis_error *error)
{
	struct memphis_span line;
	struct memphis_map map;
	size_t number = 1;
	char *build_id;
	int rc;

	while (memphis_next_line(&lines, &line)) {
		number++;
		rc = parse_map(line, &map, &build_id);
		if (rc == -EBADMSG)
			return memphis_fail(error, rc, "line %zu of the list of maps is malformed", number);
		if (rc)
			return memphis_fail(error, rc, "out of memory");
		free(build_id);
		free(map.path);
	}
	maps->unfinished = strndup(payload.text, payload.bytes);
	return maps->unfinished ? 0 : memphis_fail(error, -ENOMEM, "out of memory");
}

int memphis_maps_add(struct memphis_maps *maps, struct memphis_binaries *binaries,
		     struct memphis_span payload, struct memphis_error *error)
{
	struct memphis_span lines = payload, line;
	struct heading heading;

	if (!memphis_next_line(&lines, &line) || !parse_heading(line, &heading))
		return memphis_fail(error, -EBADMSG, "the list of maps does not begin with its time");
	free(maps->unfinished);
	maps->unfinished = NULL;
	if (note_unloads(maps, &heading))
		return memphis_fail(error, -ENOMEM, "out of memory");
	if (!heading.loading)
		return add_list(maps, binaries, lines, heading.time_ns, error);
	return keep_unfinished(maps, payload, lines, error);
}

/* Adds the last list of the file if the list was made while the dynamic loader was working. */
static int add_unfinished(struct memphis_maps *maps, struct memphis_binaries *binaries)
{
	struct memphis_span lines = {maps->unfinished, maps->unfinished ? strlen(maps->unfinished) : 0}, line;
	struct memphis_error error;
	struct heading heading;
	int rc = 0;

	if (memphis_next_line(&lines, &line) && parse_heading(line, &heading))
		rc = add_list(maps, binaries, lines, heading.time_ns, &error);
	free(maps->unfinished);
	maps->unfinished = NULL;
	return rc;
}

static bool map_fits(const struct memphis_map *map, const struct memphis_segment *segment)
{
	uint64_t page = segment->offset & ~4095ULL;

	return map->offset >= page && map->offset < segment->offset + segment->file_bytes &&
	       map->executable == !!(segment->flags & PF_X);
}

/* Computes the load bias of the object if `map` matches one of its segments. Otherwise returns false. */
static bool bias_of(const struct memphis_map *map, const struct memphis_binary *binary, uint64_t *bias)
{
	const struct memphis_segment *segment;
	size_t i;

	for (i = 0; i < binary->segment_count; i++) {
		segment = &binary->segments[i];
		if (!map_fits(map, segment))
			continue;
		*bias = map->start - (segment->vaddr - segment->offset + map->offset);
		return true;
	}
	*bias = 0;
	return false;
}

static struct memphis_instance *add_instance(struct memphis_maps *maps, uint32_t binary, uint64_t bias)
{
	struct memphis_instance *instance =
		memphis_append(maps->instances, maps->instance_count, maps->instance_room);

	if (instance)
		*instance = (struct memphis_instance){.binary = binary, .bias = bias, .low = UINT64_MAX};
	return instance;
}

/*
 * Returns true if `map` can be part of an object that is loaded with this bias. If the object's file is
 * missing, the result is always true.
 */
static bool is_part(const struct memphis_map *map, const struct memphis_binary *binary, uint64_t bias)
{
	const struct memphis_segment *segment;
	size_t i;

	for (i = 0; i < binary->segment_count; i++) {
		segment = &binary->segments[i];
		if (map_fits(map, segment) &&
		    map->start == bias + (segment->vaddr - segment->offset + map->offset))
			return true;
	}
	return !binary->segment_count;
}

/*
 * Returns the object around `map` if the map first appears in a later list than the object's other maps. If
 * there are several such objects, returns the one that was listed last. If `binary` is not NULL, the map must
 * match one of its segments. If `binary` is NULL, any map inside the object is accepted, because mprotect(2)
 * may have changed the protection.
 */
static struct memphis_instance *instance_around(struct memphis_maps *maps, const struct memphis_map *map,
						const struct memphis_binary *binary)
{
	struct memphis_instance *instance, *best = NULL;
	size_t i;

	for (i = 0; i < maps->instance_count; i++) {
		instance = &maps->instances[i];
		if (instance->binary == map->binary && map->start >= instance->low &&
		    map->start < instance->high && (!binary || is_part(map, binary, instance->bias)) &&
		    (!best || instance->list_last >= best->list_last))
			best = instance;
	}
	return best;
}

/*
 * Returns a load bias for an object whose file is missing. A run-time address minus this bias is the offset
 * in the file. In most libraries and position-independent programs, this offset is also the link-time
 * address. It is the same in all processes. An object in the lowest 4 GiB is assumed to be at the address to
 * which it was linked, with bias 0.
 */
static uint64_t bias_without_file(const struct memphis_map *map)
{
	return map->start >> 32 ? map->start - map->offset : 0;
}

/*
 * Returns the object that `map` is part of. `previous` is the preceding map of a file. In a list, the maps of
 * one object are adjacent, and the map of the first page comes first. If the file is missing, no bias tells
 * two loaded copies apart. A map that begins where the previous one ends then belongs to the same object.
 */
static struct memphis_instance *instance_of(struct memphis_maps *maps, const struct memphis_map *map,
					    const struct memphis_binary *binary,
					    const struct memphis_map *previous)
{
	struct memphis_instance *own = previous && previous->binary == map->binary &&
						       previous->list_first == map->list_first &&
						       previous->start < map->start
					       ? &maps->instances[previous->instance]
					       : NULL;
	struct memphis_instance *instance;
	uint64_t bias;
	size_t i;

	if (!binary->segment_count) {
		if (own && (map->offset || previous->end == map->start))
			return own;
		instance = map->offset ? instance_around(maps, map, binary) : NULL;
		return instance ? instance : add_instance(maps, map->binary, bias_without_file(map));
	}
	if (map->offset) {
		if (own && is_part(map, binary, own->bias))
			return own;
		instance = instance_around(maps, map, binary);
		if (instance)
			return instance;
	}
	/* After mprotect(2) has changed the protection of a map, the map matches no segment. */
	if (!bias_of(map, binary, &bias) && map->offset) {
		instance = own ? own : instance_around(maps, map, NULL);
		if (instance)
			return instance;
	}
	for (i = 0; i < maps->instance_count; i++)
		if (maps->instances[i].binary == map->binary && maps->instances[i].bias == bias)
			return &maps->instances[i];
	return add_instance(maps, map->binary, bias);
}

static int find_instances(struct memphis_maps *maps, const struct memphis_binaries *binaries)
{
	const struct memphis_map *previous = NULL;
	const struct memphis_binary *binary;
	struct memphis_instance *instance;
	struct memphis_map *map;
	size_t i;

	for (i = 0; i < maps->count; i++) {
		map = &maps->list[i];
		if (map->kind != MEMPHIS_MAP_FILE)
			continue;
		binary = binaries->list[map->binary];
		instance = instance_of(maps, map, binary, previous);
		if (!instance)
			return -ENOMEM;
		previous = map;
		map->instance = (uint32_t)(instance - maps->instances);
		if (map->list_last > instance->list_last)
			instance->list_last = map->list_last;
		if (map->start < instance->low)
			instance->low = map->start;
		if (map->end > instance->high)
			instance->high = map->end;
		if (binary->segment_count && instance->bias + binary->high > instance->high)
			instance->high = (instance->bias + binary->high + 4095) & ~4095ULL;
	}
	return 0;
}

/*
 * Returns the map of the object that was listed first, or NULL if the object has no map. Sets *last to the
 * index of the last list with a map of the object. Sets *listed to the address up to which maps of the
 * object, and anonymous maps, cover the range [low, high).
 */
static const struct memphis_map *listed_part(const struct memphis_maps *maps, uint32_t instance, uint64_t low,
					     uint64_t high, uint64_t *listed, uint32_t *last)
{
	const struct memphis_map *first = NULL, *map;

	*listed = low;
	*last = 0;
	for (map = maps->list; map < maps->list + maps->count; map++) {
		if (map->instance != instance && map->kind != MEMPHIS_MAP_ANONYMOUS)
			continue;
		if (map->start < high && map->end > *listed)
			*listed = map->end;
		if (map->instance == instance && (!first || map->list_first < first->list_first))
			first = map;
		if (map->instance == instance && map->list_last > *last)
			*last = map->list_last;
	}
	return first;
}

/* Adds a map for the part of the object's segment that no list contains. */
static int add_segment(struct memphis_maps *maps, uint32_t instance, const struct memphis_segment *segment)
{
	const uint64_t start = maps->instances[instance].bias + segment->vaddr,
		       high = (start + segment->memory_bytes + 4095) & ~4095ULL;
	const struct memphis_map *first;
	struct memphis_map added, *place;
	uint64_t listed;
	uint32_t last;

	first = listed_part(maps, instance, start & ~4095ULL, high, &listed, &last);
	if (!first || listed >= high)
		return 0;
	added = *first;
	added.start = listed;
	added.end = high;
	added.offset = segment->offset + (listed - (start & ~4095ULL));
	added.list_last = last;
	added.last_ns = maps->times_ns[last];
	added.executable = false;
	added.writable = segment->flags & PF_W;
	added.path = strdup(first->path);
	place = added.path ? memphis_append(maps->list, maps->count, maps->room) : NULL;
	if (!place) {
		free(added.path);
		return -ENOMEM;
	}
	*place = added;
	return 0;
}

/*
 * Adds the writable segments of loaded objects that the lists lack: perf records maps of data only with a
 * special option. The addresses of these segments follow from the load bias, which is known from the code.
 */
static int add_unlisted(struct memphis_maps *maps, const struct memphis_binaries *binaries)
{
	const struct memphis_binary *binary;
	size_t i, j;
	int rc = 0;

	for (i = 0; !rc && i < maps->instance_count; i++) {
		binary = binaries->list[maps->instances[i].binary];
		for (j = 0; !rc && j < binary->segment_count; j++)
			if (binary->segments[j].flags & PF_W)
				rc = add_segment(maps, (uint32_t)i, &binary->segments[j]);
	}
	return rc;
}

static bool at_same_time(const struct memphis_map *a, const struct memphis_map *b)
{
	return a->list_first <= b->list_last && b->list_first <= a->list_last;
}

/*
 * Returns true if the file is a program or library. If the file is missing, returns true if it had a build-id
 * or an executable map.
 */
static bool is_object(const struct memphis_maps *maps, const struct memphis_binaries *binaries,
		      const struct memphis_map *file)
{
	const struct memphis_binary *binary = binaries->list[file->binary];
	size_t i;

	if (binary->segment_count || *binary->build_id)
		return true;
	for (i = 0; i < maps->count; i++)
		if (maps->list[i].instance == file->instance && maps->list[i].executable)
			return true;
	return false;
}

/*
 * Sets map->instance to the object whose .bss ends in `map`: an anonymous map directly after the object's
 * last map of its file. If the file is missing, any writable anonymous map directly after a writable map of
 * the file is assumed to be its .bss.
 */
static void find_bss(struct memphis_maps *maps, const struct memphis_binaries *binaries,
		     struct memphis_map *map)
{
	const struct memphis_instance *instance;
	const struct memphis_map *file;
	size_t i;

	for (i = 0; i < maps->count; i++) {
		file = &maps->list[i];
		if (file->instance == MEMPHIS_NO_INSTANCE || file->kind != MEMPHIS_MAP_FILE ||
		    file->end > map->start || !at_same_time(file, map) || !is_object(maps, binaries, file))
			continue;
		instance = &maps->instances[file->instance];
		if (map->start < instance->high && map->start >= instance->low) {
			map->instance = file->instance;
			return;
		}
		if (!binaries->list[file->binary]->segment_count && file->end == map->start &&
		    file->writable && map->writable)
			map->instance = file->instance;
	}
}

/*
 * Returns true if the dynamic loader was still mapping the object when the list was made. glibc (2.36)
 * signals the start of its activity only afterwards. The list may then contain a part of the object, or the
 * whole file as one map, and no build-id yet.
 */
static bool is_unfinished(const struct memphis_maps *maps, const struct memphis_binaries *binaries,
			  const struct memphis_map *map)
{
	const struct memphis_map *later;
	size_t i;

	if (map->kind != MEMPHIS_MAP_FILE || map->list_last + 1 == maps->time_count ||
	    *binaries->list[map->binary]->build_id)
		return false;
	for (i = 0; i < maps->count; i++) {
		later = &maps->list[i];
		if (later->list_first == map->list_last + 1 && later->kind == MEMPHIS_MAP_FILE &&
		    later->start < map->end && map->start < later->end && !strcmp(later->path, map->path) &&
		    *binaries->list[later->binary]->build_id)
			return true;
	}
	return false;
}

/* Stores, for each list, the time of the last dlclose() between the previous list and this one. */
static int place_unloads(struct memphis_maps *maps)
{
	uint64_t unload_ns;
	size_t i, list;

	maps->last_unload_ns = calloc(maps->time_count + 1, sizeof(*maps->last_unload_ns));
	if (!maps->last_unload_ns)
		return -ENOMEM;
	for (i = 0; i < maps->unload_count; i++) {
		unload_ns = maps->unloads_ns[i];
		for (list = 0; list < maps->time_count && maps->times_ns[list] < unload_ns; list++)
			;
		if (unload_ns > maps->last_unload_ns[list])
			maps->last_unload_ns[list] = unload_ns;
	}
	return 0;
}

int memphis_maps_settle(struct memphis_maps *maps, struct memphis_binaries *binaries)
{
	size_t i;
	int rc;

	rc = add_unfinished(maps, binaries);
	if (!rc)
		rc = place_unloads(maps);
	if (!rc)
		rc = find_instances(maps, binaries);
	if (!rc)
		rc = add_unlisted(maps, binaries);
	if (rc)
		return rc;
	for (i = 0; i < maps->count; i++)
		if (maps->list[i].kind == MEMPHIS_MAP_ANONYMOUS)
			find_bss(maps, binaries, &maps->list[i]);
	for (i = 0; i < maps->count; i++)
		maps->list[i].unfinished = is_unfinished(maps, binaries, &maps->list[i]);
	for (i = 0; !rc && i < maps->count; i++)
		if (memphis_intervals_add(&maps->index, maps->list[i].start, maps->list[i].end, (uint32_t)i))
			rc = -ENOMEM;
	memphis_intervals_sort(&maps->index);
	return rc;
}

void memphis_maps_close(struct memphis_maps *maps)
{
	size_t i;

	for (i = 0; i < maps->count; i++)
		free(maps->list[i].path);
	free(maps->list);
	free(maps->times_ns);
	free(maps->unloads_ns);
	free(maps->last_unload_ns);
	free(maps->unfinished);
	free(maps->instances);
	memphis_intervals_close(&maps->index);
	memphis_jit_close(&maps->jit);
	memset(maps, 0, sizeof(*maps));
}
