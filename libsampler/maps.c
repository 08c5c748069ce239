/* SPDX-License-Identifier: BSD-3-Clause */
/* The objects that are loaded: their build-ids, and the list of maps with them (MAPS). */
#include <stdio.h>
#include <string.h>

#include "facts.h"
#include "maps.h"
#include "proc.h"
#include "session.h"

#define LOOK_NS_FIRST 100000000u  /* another process's maps are looked at as often ... */
#define LOOK_NS_LAST  6400000000u /* ... and less often with each change */

void memphis_object_identify(struct memphis_object *object, const char *p, const char *end)
{
	char *out = object->build_id;

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

void memphis_object_cover(struct memphis_object *object, const ElfW(Phdr) * segment, __u64 bias)
{
	__u64 start = bias + segment->p_vaddr, end = start + segment->p_memsz;

	if (start < object->start)
		object->start = start & ~4095ull;
	if (end > object->end)
		object->end = (end + 4095) & ~4095ull;
}

static int add_object(struct dl_phdr_info *info, size_t size, void *data)
{
	struct memphis_objects *objects = data;
	struct memphis_object *object = &objects->object[objects->count];
	int i;

	(void)size;
	if (objects->count == MEMPHIS_OBJECTS_MAX)
		return 1;
	*object = (struct memphis_object){.start = UINT64_MAX, .build_id = "-"};
	for (i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		__u64 start = info->dlpi_addr + ph->p_vaddr;

		if (ph->p_type == PT_LOAD)
			memphis_object_cover(object, ph, info->dlpi_addr);
		else if (ph->p_type == PT_NOTE && object->build_id[0] == '-')
			memphis_object_identify(object, (const char *)start,
						(const char *)start + ph->p_memsz);
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
	struct memphis_objects *objects = sys_map(sizeof(*objects));

	strcpy(out, "-");
	if (!objects)
		return;
	strcpy(objects->object[0].build_id, "-");
	if (memphis_session.other)
		memphis_maps_of_executable(&objects->object[0]);
	else
		dl_iterate_phdr(stop_at_first, objects);
	strcpy(out, objects->object[0].build_id);
	sys_unmap(objects, sizeof(*objects));
}

/* One line of procfs as one line of MAPS. */
static void add_map(struct memphis_text *text, const char *line, const struct memphis_objects *objects)
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
	struct memphis_objects *objects = sys_map(sizeof(*objects));
	char path[MEMPHIS_PROC_PATH], *line, *end;
	struct memphis_text raw = {0};
	int err;

	if (!objects)
		return;
	err = memphis_text_read(&raw, memphis_proc(path, "maps"));
	if (memphis_session.other)
		memphis_maps_of_files(objects, &raw);
	else
		dl_iterate_phdr(add_object, objects);
	/* Of a process that has ended, what was read before stands. */
	if (!memphis_session.other || raw.used)
		memphis_text_add(text, "time_ns %llu\n", now_ns());
	if (!err) {
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

/* Another process's list is only known by reading it, which keeps the process from changing it meanwhile. */
static __u64 version_of_other(void)
{
	static __u64 version, seen, looked_ns, interval_ns = LOOK_NS_FIRST;
	char path[MEMPHIS_PROC_PATH];
	struct memphis_text raw = {0};
	__u32 sum;

	if (now_ns() - looked_ns < interval_ns)
		return version;
	looked_ns = now_ns();
	if (memphis_text_read(&raw, memphis_proc(path, "maps")) || !raw.used)
		goto out;
	sum = memphis_crc32c(0, raw.data, raw.used);
	if (sum != seen) {
		seen = sum;
		version++;
		if (version > 1 && interval_ns < LOOK_NS_LAST)
			interval_ns *= 2;
	}
out:
	memphis_text_free(&raw);
	return version;
}

__u64 memphis_facts_maps_version(void)
{
	__u64 version = 0;

	if (memphis_session.other)
		return version_of_other();
	dl_iterate_phdr(get_version, &version);
	return version;
}
