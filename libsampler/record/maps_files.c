/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Objects of another process, read from their files, since reading the process's memory requires the rights
 * of a debugger.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "record/maps_files.h"
#include "base/proc.h"
#include "unwind/cfi_copy.h"
#include "unwind/stack.h"

#define SEGMENTS_MAX 64
#define NOTES_BYTES  4096

static void read_notes(struct memphis_mapped_object *object, int fd, const Elf64_Phdr *segment)
{
	char notes[NOTES_BYTES] __attribute__((aligned(8)));
	ssize_t bytes =
		pread(fd, notes, segment->p_filesz < sizeof(notes) ? segment->p_filesz : sizeof(notes),
		      (off_t)segment->p_offset);

	if (bytes > 0)
		memphis_object_identify(object, notes, notes + bytes);
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

/* Sets *bias to that of an object whose beginning is mapped at `start`. Returns false if nothing of it is loaded. */
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
static int read_object(struct memphis_mapped_object *object, int fd, __u64 start)
{
	Elf64_Phdr segments[SEGMENTS_MAX];
	const size_t count = read_segments(fd, segments);
	__u64 bias;
	size_t i;

	*object = (struct memphis_mapped_object){.start = UINT64_MAX, .build_id = "-"};
	if (!find_bias(segments, count, start, &bias))
		return 0;
	for (i = 0; i < count; i++) {
		if (segments[i].p_type == PT_NOTE && object->build_id[0] == '-')
			read_notes(object, fd, &segments[i]);
		if (segments[i].p_type == PT_LOAD)
			memphis_object_cover(object, &segments[i], bias);
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
 * Opens the object whose beginning is mapped by this line of procfs, which ends at `length`, and stores the address in *start. Returns -1
 * if it is the line of something else, or if the file can't be opened.
 */
static int open_line(const char *line, size_t length, __u64 *start)
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

void memphis_maps_of_files(struct memphis_mapped_objects *objects, const struct memphis_text_buffer *maps)
{
	const char *line, *end;
	__u64 start;
	int fd;

	for (line = maps->data;
	     maps->used && objects->count < MEMPHIS_OBJECTS_MAX && (end = strchr(line, '\n'));
	     line = end + 1) {
		fd = open_line(line, (size_t)(end - line), &start);
		if (fd < 0)
			continue;
		objects->count += (size_t)read_object(&objects->object[objects->count], fd, start);
		close(fd);
	}
}

static void copy_cfi(int fd, __u64 start)
{
	Elf64_Phdr segments[SEGMENTS_MAX];
	const size_t count = read_segments(fd, segments);
	__u64 bias;

	/* Without a copy, the callers of samples in the object are unknown (no-rule). */
	if (find_bias(segments, count, start, &bias))
		memphis_cfi_copy_add(fd, segments, count, bias);
}

void memphis_maps_copy_cfi(void)
{
	struct memphis_text_buffer maps = {0};
	char path[MEMPHIS_PROC_PATH];
	const char *line, *end;
	__u64 start;
	int fd;

	memphis_cfi_copies_use();
	/* If the process has ended, the previous copies remain valid. */
	if (memphis_text_read(&maps, memphis_proc_memory(path, "maps")) || !maps.used)
		goto out;
	memphis_cfi_copies_clear();
	memphis_stack_forget();
	for (line = maps.data; (end = strchr(line, '\n')); line = end + 1) {
		fd = open_line(line, (size_t)(end - line), &start);
		if (fd < 0)
			continue;
		copy_cfi(fd, start);
		close(fd);
	}
out:
	memphis_text_free(&maps);
}

void memphis_maps_of_executable(struct memphis_mapped_object *object)
{
	char path[MEMPHIS_PROC_PATH];
	int fd = open(memphis_proc_memory(path, "exe"), O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return;
	read_object(object, fd, 0);
	close(fd);
}
