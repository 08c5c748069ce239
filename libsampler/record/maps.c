/* SPDX-License-Identifier: BSD-3-Clause */
/* The loaded objects with their build-ids, and the list of maps (chunk MAPS). */
#include <stdio.h>
#include <string.h>

#include "record/maps.h"
#include "record/maps_files.h"
#include "base/proc.h"
#include "core/entries.h"
#include "core/session.h"

#define LOOK_NS_FIRST \
	100000000u /* initial interval for reading maps whose changes the library does not see */
#define LOOK_NS_LAST 6400000000u /* final interval: the interval doubles with each change */

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
	return 1; /* stop after the executable, which comes first */
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

/* Converts a line of procfs to a line of MAPS. */
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
	/* The kernel has already written '\n' in a path as "\012". */
	memphis_text_value(text, path, strlen(path));
}

/* Times of the first and the last dlclose() that unloaded an object since the last list of maps; 0: none. */
static _Atomic __u64 unloaded_first_ns, unloaded_last_ns;

/* A snapshot of the dynamic loader's state. */
struct loader {
	__u64 changes, unloads; /* objects loaded or unloaded so far; objects unloaded so far */
	int working;
};

/*
 * Returns the structure in which the loader publishes its state for debuggers, or NULL if the program has
 * none.
 */
static const struct r_debug *debug_of(const struct dl_phdr_info *program)
{
	const ElfW(Dyn) *entry = NULL;
	int i;

	for (i = 0; i < program->dlpi_phnum; i++)
		if (program->dlpi_phdr[i].p_type == PT_DYNAMIC)
			entry = (const ElfW(Dyn) *)(program->dlpi_addr + program->dlpi_phdr[i].p_vaddr);
	for (; entry && entry->d_tag != DT_NULL; entry++)
		if (entry->d_tag == DT_DEBUG)
			return (const struct r_debug *)entry->d_un.d_ptr;
	return NULL;
}

static int ask_loader(struct dl_phdr_info *info, size_t size, void *data)
{
	const struct r_debug *debug = debug_of(info);
	struct loader *loader = data;

	if (size >= offsetof(struct dl_phdr_info, dlpi_subs) + sizeof(info->dlpi_subs)) {
		loader->changes = info->dlpi_adds + info->dlpi_subs;
		loader->unloads = info->dlpi_subs;
	}
	/*
	 * The loader sets r_state, possibly in another thread. glibc (2.36) does so only after it has mapped
	 * the first object: a list read before that may show part of the object, as a file without build-id.
	 * The report then uses the next list.
	 */
	loader->working = debug && __atomic_load_n(&debug->r_state, __ATOMIC_ACQUIRE) != RT_CONSISTENT;
	return 1; /* stop after the executable, which comes first: the counts are global */
}

/* Queries the dynamic loader. Takes its lock of the list of objects, which is never held for long. */
static struct loader loader_now(void)
{
	struct loader loader = {0};

	dl_iterate_phdr(ask_loader, &loader);
	return loader;
}

__u64 memphis_maps_unloads(void)
{
	return loader_now().unloads;
}

void memphis_maps_unloaded(void)
{
	__u64 none = 0, now = now_ns();

	atomic_compare_exchange_strong(&unloaded_first_ns, &none, now);
	atomic_store(&unloaded_last_ns, now);
}

static int read_maps(struct memphis_text *raw, struct memphis_objects *objects)
{
	char path[MEMPHIS_PROC_PATH];
	int err = memphis_text_read(raw, memphis_proc(path, "maps"));

	if (memphis_session.other)
		memphis_maps_of_files(objects, raw);
	else
		dl_iterate_phdr(add_object, objects);
	return err;
}

static void add_time(struct memphis_text *text, int loading, __u64 first_ns, __u64 last_ns)
{
	memphis_text_add(text, "time_ns %llu%s", now_ns(), loading ? " loading" : "");
	if (first_ns && last_ns)
		memphis_text_add(text, " unloaded_ns %llu %llu", first_ns, last_ns);
	memphis_text_add(text, "\n");
}

int memphis_metadata_maps(struct memphis_text *text, int unfinished_too)
{
	struct loader before = loader_now(), after;
	struct memphis_objects *objects;
	__u64 first_ns, last_ns;
	struct memphis_text raw = {0};
	int err, loading;
	char *line, *end;

	if (before.working && !unfinished_too && !memphis_session.other)
		return -EAGAIN;
	objects = sys_map(sizeof(*objects));
	if (!objects)
		return -ENOMEM;
	err = read_maps(&raw, objects);
	after = loader_now();
	/* Objects of another process are identified by their files, for which their first map is sufficient. */
	loading = !memphis_session.other &&
		  (before.working || after.working || before.changes != after.changes);
	if (loading && !unfinished_too) {
		err = -EAGAIN;
		goto out;
	}
	first_ns = atomic_exchange(&unloaded_first_ns, 0);
	last_ns = atomic_exchange(&unloaded_last_ns, 0);
	/* If the process has ended, the previous list remains valid. */
	if (!memphis_session.other || raw.used)
		add_time(text, loading, first_ns, last_ns);
	if (!err) {
		for (line = raw.data; (end = strchr(line, '\n')); line = end + 1) {
			*end = '\0';
			add_map(text, line, objects);
		}
	}
	err = loading;
out:
	memphis_text_free(&raw);
	sys_unmap(objects, sizeof(*objects));
	return err;
}

/*
 * Reads the list to detect changes. The list is read rarely, since the process can't change its maps while they
 * are being read. Returns the number of changes found so far.
 */
static __u64 version_of_list(void)
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

__u64 memphis_metadata_maps_version(void)
{
	return memphis_session.other ? version_of_list() : loader_now().changes;
}

bool memphis_maps_change_unseen(void)
{
	static __u64 known;
	__u64 before = known;

	if (memphis_session.other || !(memphis_entries_bypassed() & ~MEMPHIS_ENTRIES_OF_BREAK))
		return false;
	known = version_of_list();
	return known != before;
}
