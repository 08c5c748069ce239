/* SPDX-License-Identifier: BSD-3-Clause */
/* The objects that are loaded: their build-ids, and the list of maps with them (MAPS). */
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "facts.h"
#include "maps.h"

#define OBJECTS_MAX 4096

struct object {
	__u64 start, end;
	char build_id[2 * MEMPHIS_BUILD_ID_MAX + 1];
};

struct objects {
	size_t count;
	struct object object[OBJECTS_MAX];
};

/* The build-id among the notes in [p, end), as hex. */
static void find_build_id(const char *p, const char *end, char *out)
{
	while (p + sizeof(ElfW(Nhdr)) <= end) {
		const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)(const void *)p;
		const char *name = p + sizeof(*note);
		const unsigned char *id;
		__u32 i;

		id = (const unsigned char *)name + ((note->n_namesz + 3) & ~3u);
		p = (const char *)id + ((note->n_descsz + 3) & ~3u);
		if (p > end)
			return;
		if (note->n_type != NT_GNU_BUILD_ID || note->n_namesz != 4 || memcmp(name, "GNU", 4) ||
		    note->n_descsz > MEMPHIS_BUILD_ID_MAX)
			continue;
		for (i = 0; i < note->n_descsz; i++)
			sprintf(out + 2 * i, "%02x", id[i]);
		return;
	}
}

static int add_object(struct dl_phdr_info *info, size_t size, void *data)
{
	struct objects *objects = data;
	struct object *object = &objects->object[objects->count];
	int i;

	(void)size;
	if (objects->count == OBJECTS_MAX)
		return 1;
	object->start = UINT64_MAX;
	object->end = 0;
	strcpy(object->build_id, "-");
	for (i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		__u64 start = info->dlpi_addr + ph->p_vaddr;

		if (ph->p_type == PT_LOAD) {
			if (start < object->start)
				object->start = start & ~4095ull;
			if (start + ph->p_memsz > object->end)
				object->end = (start + ph->p_memsz + 4095) & ~4095ull;
		} else if (ph->p_type == PT_NOTE && object->build_id[0] == '-') {
			find_build_id((const char *)start, (const char *)start + ph->p_memsz,
				      object->build_id);
		}
	}
	objects->count++;
	return 0;
}

static int stop_at_first(struct dl_phdr_info *info, size_t size, void *data)
{
	add_object(info, size, data);
	return 1; /* the executable comes first */
}

void memphis_maps_executable_build_id(char *out)
{
	struct objects *objects = sys_map(sizeof(*objects));

	strcpy(out, "-");
	if (!objects)
		return;
	dl_iterate_phdr(stop_at_first, objects);
	if (objects->count)
		strcpy(out, objects->object[0].build_id);
	sys_unmap(objects, sizeof(*objects));
}

/* One line of /proc/self/maps as one line of MAPS. */
static void add_map(struct memphis_text *text, const char *line, const struct objects *objects)
{
	unsigned long long start, end, offset;
	const char *build_id = "-", *path;
	char perms[8];
	int path_at = 0;
	size_t i;

	if (sscanf(line, "%llx-%llx %7s %llx %*s %*s %n", &start, &end, perms, &offset, &path_at) < 4)
		return;
	path = line + path_at;
	if (*path == '/')
		for (i = 0; i < objects->count; i++)
			if (start >= objects->object[i].start && start < objects->object[i].end)
				build_id = objects->object[i].build_id;
	memphis_text_add(text, "0x%llx 0x%llx %s 0x%llx %s ", start, end, perms, offset, build_id);
	/* The kernel has written '\n' in a path as "\012" already. */
	memphis_text_value(text, path, strlen(path));
}

void memphis_facts_maps(struct memphis_text *text)
{
	struct objects *objects = sys_map(sizeof(*objects));
	struct memphis_text raw = {0};
	char *line, *end;

	if (!objects)
		return;
	dl_iterate_phdr(add_object, objects);
	memphis_text_add(text, "time_ns %llu\n", now_ns());
	if (!memphis_text_read(&raw, "/proc/self/maps")) {
		for (line = raw.data; (end = strchr(line, '\n')); line = end + 1) {
			*end = '\0';
			add_map(text, line, objects);
		}
	}
	memphis_text_free(&raw);
	sys_unmap(objects, sizeof(*objects));
}

static int get_version(struct dl_phdr_info *info, size_t size, void *data)
{
	if (size >= offsetof(struct dl_phdr_info, dlpi_subs) + sizeof(info->dlpi_subs))
		*(__u64 *)data = info->dlpi_adds + info->dlpi_subs;
	return 1;
}

__u64 memphis_facts_maps_version(void)
{
	__u64 version = 0;

	dl_iterate_phdr(get_version, &version);
	return version;
}
