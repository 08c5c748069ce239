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

#define SEGMENTS_MAX 64
#define NOTES_BYTES  4096

static void read_notes(struct memphis_object *object, int fd, const Elf64_Phdr *segment)
{
	char notes[NOTES_BYTES] __attribute__((aligned(8)));
	ssize_t bytes =
		pread(fd, notes, segment->p_filesz < sizeof(notes) ? segment->p_filesz : sizeof(notes),
		      (off_t)segment->p_offset);

	if (bytes > 0)
		memphis_object_identify(object, notes, notes + bytes);
}

/* Reads the object whose beginning is mapped at `start`. Returns 0 if the file is not an ELF object. */
static int read_object(struct memphis_object *object, int fd, __u64 start)
{
	Elf64_Phdr segments[SEGMENTS_MAX];
	const Elf64_Phdr *first = NULL;
	Elf64_Ehdr header;
	size_t bytes, i;

	*object = (struct memphis_object){.start = UINT64_MAX, .build_id = "-"};
	if (pread(fd, &header, sizeof(header), 0) != sizeof(header) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    header.e_phentsize != sizeof(*segments) || header.e_phnum > SEGMENTS_MAX)
		return 0;
	bytes = header.e_phnum * sizeof(*segments);
	if (pread(fd, segments, bytes, (off_t)header.e_phoff) != (ssize_t)bytes)
		return 0;
	for (i = 0; i < header.e_phnum; i++) {
		if (segments[i].p_type == PT_NOTE && object->build_id[0] == '-')
			read_notes(object, fd, &segments[i]);
		if (segments[i].p_type != PT_LOAD)
			continue;
		if (!first)
			first = &segments[i];
		memphis_object_cover(object, &segments[i], start - (first->p_vaddr & ~4095ull));
	}
	return first != NULL;
}

/* Opens the file at `path` as the process sees it. Returns -1 if the file is not the one that was mapped. */
static int open_mapped(const char *path, unsigned long inode)
{
	char root[MEMPHIS_PROC_PATH], full[PATH_MAX];
	struct stat status;
	int fd;

	if (snprintf(full, sizeof(full), "%s%s", memphis_proc(root, "root"), path) >= (int)sizeof(full))
		return -1;
	fd = open(full, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return -1;
	if (!fstat(fd, &status) && S_ISREG(status.st_mode) && status.st_ino == inode)
		return fd;
	close(fd);
	return -1;
}

static void add_line(struct memphis_objects *objects, const char *line, size_t length)
{
	unsigned long long start, offset;
	unsigned long inode;
	char path[PATH_MAX];
	int path_at = 0, fd;

	if (objects->count == MEMPHIS_OBJECTS_MAX ||
	    sscanf(line, "%llx-%*x %*s %llx %*s %lu %n", &start, &offset, &inode, &path_at) < 3 || offset ||
	    !path_at || (size_t)path_at >= length || line[path_at] != '/' ||
	    length - (size_t)path_at >= sizeof(path))
		return;
	memcpy(path, line + path_at, length - (size_t)path_at);
	path[length - (size_t)path_at] = '\0';
	fd = open_mapped(path, inode);
	if (fd < 0)
		return;
	objects->count += (size_t)read_object(&objects->object[objects->count], fd, start);
	close(fd);
}

void memphis_maps_of_files(struct memphis_objects *objects, const struct memphis_text *maps)
{
	const char *line, *end;

	for (line = maps->data; maps->used && (end = strchr(line, '\n')); line = end + 1)
		add_line(objects, line, (size_t)(end - line));
}

void memphis_maps_of_executable(struct memphis_object *object)
{
	char path[MEMPHIS_PROC_PATH];
	int fd = open(memphis_proc(path, "exe"), O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return;
	read_object(object, fd, 0);
	close(fd);
}
