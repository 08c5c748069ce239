/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The programs and libraries that were mapped: found again by path and build-id, opened with libelf and
 * libdw. What can't be found, or is not the same file any more, is said and never guessed.
 */
#ifndef MEMPHIS_BINARY_H
#define MEMPHIS_BINARY_H

#include <elfutils/libdw.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "dwarf/inflate.h"
#include "base/pool.h"
#include "base/text.h"

enum memphis_binary_state {
	MEMPHIS_BINARY_OK = 0,
	MEMPHIS_BINARY_MISSING, /* no file of that name */
	MEMPHIS_BINARY_CHANGED, /* files of that name, but none with the recorded build-id */
	MEMPHIS_BINARY_NOT_ELF  /* mapped data, a font, a locale ... */
};

struct memphis_segment {
	uint64_t vaddr, offset, file_bytes, memory_bytes;
	uint32_t flags; /* PF_* */
};

struct memphis_section {
	uint64_t low, high;
	char *name; /* without the leading dot */
};

struct memphis_variables;
struct memphis_lines;
struct memphis_locals;

struct memphis_binary {
	char *path;       /* as recorded */
	char *build_id;   /* hex, as recorded; "" = none was */
	char *found;      /* the file in use, or NULL */
	char *debug_path; /* separate debug file, or NULL */
	enum memphis_binary_state state;
	bool unverified; /* no build-id on either side to compare */
	int fd, debug_fd;
	Elf *elf, *debug_elf;
	struct memphis_inflated inflated; /* in the place of either, for libdw */
	Dwarf *dwarf;                     /* opened by memphis_binary_dwarf() */
	bool dwarf_tried;
	char *split_missing; /* a file with the first unit's debug information that was not read, or NULL */
	struct memphis_segment *segments;
	size_t segment_count;
	struct memphis_section *sections; /* those in memory, by address */
	size_t section_count;
	uint64_t low, high;   /* of all segments in memory, link-time addresses */
	pthread_mutex_t lock; /* owns everything below, until it is built */
	struct memphis_variables *variables;
	struct memphis_lines *lines;
	struct memphis_locals *locals;
};

struct memphis_binaries {
	struct memphis_binary **list;
	size_t count, room;
	char **directories; /* --binaries; the caller's */
	size_t directory_count;
};

#define MEMPHIS_NO_BINARY UINT32_MAX

/* The number of the binary of this path and build-id, opened if it was not known yet. */
uint32_t memphis_binaries_add(struct memphis_binaries *binaries, const char *path, const char *build_id);
void memphis_binaries_close(struct memphis_binaries *binaries);

/* The DWARF of the binary or of its separate debug file, or NULL. Call with the lock held. */
Dwarf *memphis_binary_dwarf(struct memphis_binaries *binaries, struct memphis_binary *binary);

/* Index into sections, or -1. */
int memphis_binary_section(const struct memphis_binary *binary, uint64_t vaddr);

/* Copies up to `bytes` bytes of the file that stand at `vaddr`; returns how many. */
size_t memphis_binary_read(struct memphis_binary *binary, uint64_t vaddr, void *to, size_t bytes);

const char *memphis_binary_state_name(enum memphis_binary_state state);

#endif
