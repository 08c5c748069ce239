/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The loaded objects with their build-ids, and the list of maps (chunk MAPS). For another process, the
 * objects are identified by the files that it has mapped.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/loaded.h"
#include "record/jit.h"
#include "record/maps.h"
#include "base/proc.h"
#include "core/entries.h"
#include "core/session.h"
#include "unwind/cfi.h"
#include "unwind/stack.h"

/* An object (ELF file) in memory: its address range and its build-id. */

#define OBJECTS_MAX 4096

struct mapped_object {
	__u64 start, end;
	char build_id[2 * MEMPHIS_BUILD_ID_MAX + 1]; /* in hexadecimal; "-" if there is none */
};

struct mapped_objects {
	size_t count;
	struct mapped_object object[OBJECTS_MAX];
};

/* Stores the build-id in *object if the notes in [p, end) contain one. */
static void read_build_id(struct mapped_object *object, const char *p, const char *end)
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

/* Extends the address range of an object, loaded at `bias`, so that it contains the segment. Rounds to whole pages. */
static void extend_range(struct mapped_object *object, const ElfW(Phdr) * segment, __u64 bias)
{
	__u64 start = bias + segment->p_vaddr, end = start + segment->p_memsz;

	if (start < object->start)
		object->start = start & ~4095ull;
	if (end > object->end)
		object->end = (end + 4095) & ~4095ull;
}

#define SEGMENTS_MAX 64
#define NOTES_BYTES  4096

static void read_notes(struct mapped_object *object, int fd, const Elf64_Phdr *segment)
{
	char notes[NOTES_BYTES] __attribute__((aligned(8)));
	ssize_t bytes =
		pread(fd, notes, segment->p_filesz < sizeof(notes) ? segment->p_filesz : sizeof(notes),
		      (off_t)segment->p_offset);

	if (bytes > 0)
		read_build_id(object, notes, notes + bytes);
}

/* Reads the program headers. Returns their number, or 0 if the file is not an ELF object. */
static size_t read_segments(int fd, Elf64_Phdr segments[SEGMENTS_MAX])
{
	Elf64_Ehdr header;
	size_t bytes;

	if (pread(fd, &header, sizeof(header), 0) != sizeof(header) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    header.e_phentsize != sizeof(*segments) || header.e_phnum > SEGMENTS_MAX)
		return 0;
	bytes = header.e_phnum * sizeof(*segments);
	return pread(fd, segments, bytes, (off_t)header.e_phoff) == (ssize_t)bytes ? header.e_phnum : 0;
}

/*
 * Stores the load bias of an object whose first byte is mapped at `start` in *bias. Returns false if the
 * object has no loadable segment.
 */
static bool find_bias(const Elf64_Phdr *segments, size_t count, __u64 start, __u64 *bias)
{
	size_t i;

	for (i = 0; i < count && segments[i].p_type != PT_LOAD; i++)
		;
	if (i == count)
		return false;
	*bias = start - (segments[i].p_vaddr & ~4095ull);
	return true;
}

/* Reads the object whose beginning is mapped at `start`. Returns 0 if the file is not an ELF object. */
static int read_object(struct mapped_object *object, int fd, __u64 start)
{
	Elf64_Phdr segments[SEGMENTS_MAX];
	const size_t count = read_segments(fd, segments);
	__u64 bias;
	size_t i;

	*object = (struct mapped_object){.start = UINT64_MAX, .build_id = "-"};
	if (!find_bias(segments, count, start, &bias))
		return 0;
	for (i = 0; i < count; i++) {
		if (segments[i].p_type == PT_NOTE && object->build_id[0] == '-')
			read_notes(object, fd, &segments[i]);
		if (segments[i].p_type == PT_LOAD)
			extend_range(object, &segments[i], bias);
	}
	return 1;
}

/* Opens the file at `path` as the process sees it. Returns -1 if the file is not the one that was mapped. */
static int open_mapped(const char *path, unsigned long inode)
{
	char root[MEMPHIS_PROC_PATH], full[PATH_MAX];
	struct stat status;
	int fd;

	if (snprintf(full, sizeof(full), "%s%s", memphis_proc_memory(root, "root"), path) >=
	    (int)sizeof(full))
		return -1;
	fd = open(full, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return -1;
	if (!fstat(fd, &status) && S_ISREG(status.st_mode) && status.st_ino == inode)
		return fd;
	close(fd);
	return -1;
}

/*
 * Opens the file that this line of /proc/PID/maps maps from its first byte, and stores the address of the map
 * in *start. `length`: of the line. Returns -1 if the line maps something else, or if the file can't be
 * opened.
 */
static int open_object_of_line(const char *line, size_t length, __u64 *start)
{
	unsigned long long low, offset;
	unsigned long inode;
	char path[PATH_MAX];
	int path_at = 0;

	if (sscanf(line, "%llx-%*x %*s %llx %*s %lu %n", &low, &offset, &inode, &path_at) < 3 || offset ||
	    !path_at || (size_t)path_at >= length || line[path_at] != '/' ||
	    length - (size_t)path_at >= sizeof(path))
		return -1;
	memcpy(path, line + path_at, length - (size_t)path_at);
	path[length - (size_t)path_at] = '\0';
	*start = low;
	return open_mapped(path, inode);
}

/* Finds the mapped files in another process's /proc/PID/maps. Calls `visit` with each file and the address of its first map. */
static void visit_mapped_files(const struct memphis_text_buffer *maps,
			       void (*visit)(int fd, __u64 start, void *data), void *data)
{
	const char *line, *end;
	__u64 start;
	int fd;

	for (line = maps->data; maps->used && (end = strchr(line, '\n')); line = end + 1) {
		fd = open_object_of_line(line, (size_t)(end - line), &start);
		if (fd < 0)
			continue;
		visit(fd, start, data);
		close(fd);
	}
}

static void add_file(int fd, __u64 start, void *data)
{
	struct mapped_objects *objects = data;

	if (objects->count < OBJECTS_MAX)
		objects->count += (size_t)read_object(&objects->object[objects->count], fd, start);
}

static void copy_cfi(int fd, __u64 start, UNUSED void *data)
{
	Elf64_Phdr segments[SEGMENTS_MAX];
	const size_t count = read_segments(fd, segments);
	__u64 bias;

	/*
	 * Without a copy of its unwind rules, the callers of samples in this object are reported as unknown
	 * with the reason no-rule.
	 */
	if (find_bias(segments, count, start, &bias))
		memphis_cfi_copy_add(fd, segments, count, bias);
}

void memphis_maps_copy_cfi(void)
{
	struct memphis_text_buffer maps = {0};
	char path[MEMPHIS_PROC_PATH];

	memphis_cfi_copies_use();
	/* If the process has ended, the previous copies remain valid. */
	if (memphis_text_read(&maps, memphis_proc_memory(path, "maps")) || !maps.used)
		goto out;
	memphis_cfi_copies_clear();
	memphis_stack_forget();
	visit_mapped_files(&maps, copy_cfi, NULL);
out:
	memphis_text_free(&maps);
}

/* Reads the executable of the process. */
static void read_executable(struct mapped_object *object)
{
	char path[MEMPHIS_PROC_PATH];
	int fd = open(memphis_proc_memory(path, "exe"), O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return;
	read_object(object, fd, 0);
	close(fd);
}

#define LOOK_NS_FIRST \
	100000000u /* initial interval for reading the maps if the library does not see their changes */
#define LOOK_NS_LAST 6400000000u /* final interval; the interval doubles with each change */

static int add_object(struct dl_phdr_info *info, UNUSED size_t size, void *data)
{
	struct mapped_objects *objects = data;
	struct mapped_object *object = &objects->object[objects->count];
	int i;

	if (objects->count == OBJECTS_MAX)
		return 1;
	*object = (struct mapped_object){.start = UINT64_MAX, .build_id = "-"};
	for (i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		__u64 start = info->dlpi_addr + ph->p_vaddr;

		if (ph->p_type == PT_LOAD)
			extend_range(object, ph, info->dlpi_addr);
		else if (ph->p_type == PT_NOTE && object->build_id[0] == '-')
			read_build_id(object, (const char *)start, (const char *)start + ph->p_memsz);
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
	struct mapped_objects *objects = sys_map(sizeof(*objects));

	strcpy(out, "-");
	if (!objects)
		return;
	strcpy(objects->object[0].build_id, "-");
	if (memphis_session.identity.other)
		read_executable(&objects->object[0]);
	else
		memphis_loaded_each(stop_at_first, objects);
	strcpy(out, objects->object[0].build_id);
	sys_unmap(objects, sizeof(*objects));
}

/* Identity of a file without build-id at the time of its mapping. */
struct proof {
	unsigned long inode;
	__u64 bytes, changed_ns;
	__u32 sum;
};

#define PROOFS_MAX  256
#define BLOCK_BYTES 4096u

static __u32 sum_range(int fd, __u32 sum, __u64 from, __u64 to)
{
	char block[BLOCK_BYTES];
	ssize_t got;

	for (; from < to; from += (__u64)got) {
		got = pread(fd, block, to - from < sizeof(block) ? to - from : sizeof(block), (off_t)from);
		if (got <= 0)
			break;
		sum = memphis_crc32c(sum, block, (size_t)got);
	}
	return sum;
}

static __u32 sum_file(int fd, __u64 bytes)
{
	__u64 from, to;
	__u32 sum = 0;
	unsigned int i;

	for (i = 0; memphis_summed_part(bytes, i, &from, &to); i++)
		sum = sum_range(fd, sum, from, to);
	return sum;
}

/*
 * Fills in the identity of the file at `path`. Reads each file only once. Returns false if the file is not
 * the one that was mapped.
 */
static bool fill_proof(const char *path, unsigned long inode, struct proof *proof)
{
	static struct proof known[PROOFS_MAX];
	static unsigned int count;
	const int fd = open_mapped(path, inode);
	struct stat status;
	unsigned int i;

	if (fd < 0 || fstat(fd, &status)) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	*proof =
		(struct proof){inode, (__u64)status.st_size,
			       (__u64)status.st_mtim.tv_sec * 1000000000u + (__u64)status.st_mtim.tv_nsec, 0};
	for (i = 0; i < count; i++)
		if (known[i].inode == inode && known[i].bytes == proof->bytes &&
		    known[i].changed_ns == proof->changed_ns)
			break;
	if (i < count) {
		*proof = known[i];
	} else {
		proof->sum = sum_file(fd, proof->bytes);
		if (count < PROOFS_MAX)
			known[count++] = *proof;
	}
	close(fd);
	return true;
}

/* Returns a text that identifies the file of an object without build-id, or "-" if the file can't be read. */
static const char *identify_file(const char *path, unsigned long inode, char *out, size_t size)
{
	struct proof proof;

	if (!fill_proof(path, inode, &proof))
		return "-";
	snprintf(out, size, "=%llu.%llu.%08x", proof.bytes, proof.changed_ns, proof.sum);
	return out;
}

/* Converts a line of /proc/PID/maps to a line of MAPS. */
static void add_map(struct memphis_text_buffer *text, const char *line, const struct mapped_objects *objects)
{
	unsigned long long start, end, offset;
	const char *build_id = "-", *path;
	char perms[8], identity[64];
	unsigned long inode = 0;
	int path_at = 0;
	size_t i;

	if (sscanf(line, "%llx-%llx %7s %llx %*s %lu %n", &start, &end, perms, &offset, &inode, &path_at) < 5)
		return;
	path = line + path_at;
	if (perms[2] == 'x')
		memphis_jit_note_path(path);
	if (*path == '/')
		for (i = 0; i < objects->count; i++)
			if (start >= objects->object[i].start && start < objects->object[i].end)
				build_id = strcmp(objects->object[i].build_id, "-") != 0
						   ? objects->object[i].build_id
						   : identify_file(path, inode, identity, sizeof(identity));
	memphis_text_add(text, "0x%llx 0x%llx %s 0x%llx %s ", start, end, perms, offset, build_id);
	/* The kernel has already written '\n' in a path as "\012". */
	memphis_text_add_value(text, path, strlen(path));
}

/* Times of the first and of the last dlclose() that unloaded an object, since the last list of maps. 0: no such call. */
static _Atomic __u64 unloaded_first_ns, unloaded_last_ns;
static _Atomic __u64
	unloaded; /* number of these calls; after each, a new object may have the addresses of the old one */

void memphis_maps_unloaded(void)
{
	__u64 none = 0, now = now_ns();

	atomic_compare_exchange_strong(&unloaded_first_ns, &none, now);
	atomic_store(&unloaded_last_ns, now);
	atomic_fetch_add(&unloaded, 1);
}

static int read_maps(struct memphis_text_buffer *raw, struct mapped_objects *objects)
{
	char path[MEMPHIS_PROC_PATH];
	int err = memphis_text_read(raw, memphis_proc_memory(path, "maps"));

	if (memphis_session.identity.other)
		visit_mapped_files(raw, add_file, objects);
	else
		memphis_loaded_each(add_object, objects);
	return err;
}

static void add_time(struct memphis_text_buffer *text, int loading, __u64 first_ns, __u64 last_ns)
{
	memphis_text_add(text, "time_ns %llu%s", now_ns(), loading ? " loading" : "");
	if (first_ns && last_ns)
		memphis_text_add(text, " unloaded_ns %llu %llu", first_ns, last_ns);
	memphis_text_add(text, "\n");
}

int memphis_maps_add_lines(struct memphis_text_buffer *text, int unfinished_too)
{
	const __u64 before = memphis_loaded_version();
	const bool was_changing = memphis_loaded_is_changing();
	struct mapped_objects *objects;
	__u64 first_ns, last_ns;
	struct memphis_text_buffer raw = {0};
	int err, loading;
	char *line, *end;

	if (was_changing && !unfinished_too && !memphis_session.identity.other)
		return -EAGAIN;
	objects = sys_map(sizeof(*objects));
	if (!objects)
		return -ENOMEM;
	err = read_maps(&raw, objects);
	/* The objects of another process are identified by their files, and the first map of each file is sufficient for that. */
	loading = !memphis_session.identity.other &&
		  (was_changing || memphis_loaded_is_changing() || memphis_loaded_version() != before);
	if (loading && !unfinished_too) {
		err = -EAGAIN;
		goto out;
	}
	first_ns = atomic_exchange(&unloaded_first_ns, 0);
	last_ns = atomic_exchange(&unloaded_last_ns, 0);
	/* If the process has ended, the previous list remains valid. */
	if (!memphis_session.identity.other || raw.used)
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
 * Reads the list of maps to detect changes. Reads it rarely, because the process can't change its maps during
 * the read. Returns the number of changes found so far.
 */
static __u64 list_version(void)
{
	static __u64 version, seen, looked_ns, interval_ns = LOOK_NS_FIRST;
	char path[MEMPHIS_PROC_PATH];
	struct memphis_text_buffer raw = {0};
	__u32 sum;

	if (now_ns() - looked_ns < interval_ns)
		return version;
	looked_ns = now_ns();
	if (memphis_text_read(&raw, memphis_proc_memory(path, "maps")) || !raw.used)
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

__u64 memphis_maps_version(void)
{
	return memphis_session.identity.other ? list_version() : memphis_loaded_version() + unloaded;
}

bool memphis_maps_change_unseen(void)
{
	static __u64 known;
	__u64 before = known;

	if (memphis_session.identity.other || !(memphis_entries_bypassed() & ~MEMPHIS_ENTRIES_OF_BREAK))
		return false;
	known = list_version();
	return known != before;
}
