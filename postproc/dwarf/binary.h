/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Mapped programs and libraries, located by path and build-id and opened with libelf and libdw. A file that
 * is missing or has changed since the recording is reported as such; its contents are never guessed.
 */
#ifndef MEMPHIS_BINARY_H
#define MEMPHIS_BINARY_H

#include <elfutils/libdw.h>
#include <libelf.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pool.h"
#include "base/text.h"
#include "dwarf/scopes.h"

/*
 * Decompresses debug sections compressed with zstd (gABI, ELFCOMPRESS_ZSTD) for a libelf that cannot do it:
 * before version 0.189, elfutils decompresses zlib only.
 */
struct memphis_inflated {
	Elf *elf; /* ELF handle of the image; NULL if nothing was decompressed */
	void *image;
	size_t bytes;
};

enum memphis_binary_state {
	MEMPHIS_BINARY_OK = 0,
	MEMPHIS_BINARY_MISSING, /* no file has that name */
	MEMPHIS_BINARY_CHANGED, /* files have that name, but none has the recorded build-id */
	MEMPHIS_BINARY_NOT_ELF, /* mapped data: a font, a locale ... */
	MEMPHIS_BINARY_JIT, /* no file: code that was made at run time, with the functions that it was described by */
	MEMPHIS_BINARY_STATES
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
struct memphis_fde;
struct memphis_relocation;
struct memphis_source_digests;

struct memphis_binary {
	char *path; /* as recorded */
	char *build_id; /* recorded build-id in hex; identity of a file without one, see below; "" if none was recorded */
	char *found;         /* path of the file that was opened, or NULL */
	uint64_t changed_ns; /* time of the last change of that file, by CLOCK_REALTIME */
	char *debug_path;    /* path of the separate debug file, or NULL */
	enum memphis_binary_state state;
	/*
	 * What is known of the file if the recording does not say whether it has a build-id, or NULL: "?INODE.LATEST_NS", or "?elsewhere" (docs/format.md,
	 * MAPS). The file in a --binaries directory is taken, or that at its path if it has this inode (0: any) and was not changed later.
	 */
	char *unidentified;
	bool unverified; /* neither the recording nor the file has a build-id to compare */
	int fd, debug_fd;
	Elf *elf, *debug_elf;
	/* decompressed image; libdw reads this instead of elf or debug_elf */
	struct memphis_inflated inflated;
	Dwarf *dwarf; /* opened by memphis_binary_dwarf() */
	bool dwarf_tried;
	/* dwz's common file, which the debug information refers to; NULL if there is none, or if libdw has found it */
	Dwarf *common;
	Elf *common_elf;
	int common_fd;
	char *split_missing; /* first common, .dwo or .dwp file that could not be read, or NULL */
	struct memphis_segment *segments;
	size_t segment_count;
	struct memphis_section *sections; /* sections that occupy memory, sorted by address */
	size_t section_count;
	uint64_t low, high;   /* link-time address range of all PT_LOAD segments */
	pthread_mutex_t lock; /* protects the fields below, which are filled on first use */
	struct memphis_variables *variables;
	struct memphis_lines *lines;
	struct memphis_source_digests *digests; /* used by one thread (source_digests.h) */
	struct memphis_locals *locals;
	struct memphis_scopes scopes; /* of variables */
	Dwarf_CFI *cfi;               /* of .eh_frame; opened by memphis_cfa_find() */
	bool cfi_tried;
	/* Ranges of the entries of .eh_frame, sorted by address; read by memphis_function_find_bounds(). */
	struct memphis_fde *fdes;
	size_t fde_count;
	bool fdes_tried;
	/* Relocations, sorted by address; read by the functions of loader.h. */
	struct memphis_relocation *relocations;
	size_t relocation_count;
	bool relocations_tried;
};

struct memphis_binaries {
	struct memphis_binary **list;
	size_t count, room;
	char **directories; /* given with --binaries; owned by the caller */
	size_t directory_count;
};

#define MEMPHIS_NO_BINARY UINT32_MAX

/* Returns true for a build-id; false for "" and for the identity of a file without one: "=SIZE.CHANGED_NS.SUM" (docs/format.md, MAPS). */
static inline bool memphis_is_build_id(const char *id)
{
	return *id && *id != '=';
}

/*
 * Returns the index of the binary with this path and build-id. The file is located and opened on the first
 * call.
 */
uint32_t memphis_binaries_add(struct memphis_binaries *binaries, const char *path, const char *build_id);
/* The same of a file of which the recording does not say whether it has a build-id; `known`: see memphis_binary.unidentified. */
uint32_t memphis_binaries_add_unidentified(struct memphis_binaries *binaries, const char *path,
					   const char *known);

/* Adds a binary that is no file, identified by `build_id`. Its functions are those that memphis_symbols_add() gives it. */
uint32_t memphis_binaries_add_jit(struct memphis_binaries *binaries, const char *build_id);
void memphis_binaries_close(struct memphis_binaries *binaries);

/*
 * Returns the DWARF of the binary or of its separate debug file, or NULL. The caller must hold binary->lock.
 */
Dwarf *memphis_binary_dwarf(struct memphis_binaries *binaries, struct memphis_binary *binary);

/* Returns the index of the section that contains `vaddr`, or -1. */
int memphis_binary_section(const struct memphis_binary *binary, uint64_t vaddr);

/* Returns the segment whose part in the file contains `vaddr`, or NULL. */
const struct memphis_segment *memphis_binary_segment(const struct memphis_binary *binary, uint64_t vaddr);

/*
 * Copies up to `bytes` bytes of the binary at link-time address `vaddr` from its file. Returns the number of
 * bytes copied.
 */
size_t memphis_binary_read(struct memphis_binary *binary, uint64_t vaddr, void *to, size_t bytes);

/* Returns true if functions of the binary may be known (memphis_symbols_find()). */
static inline bool memphis_binary_has_symbols(const struct memphis_binary *binary)
{
	return binary->elf || binary->state == MEMPHIS_BINARY_JIT;
}

const char *memphis_binary_state_name(enum memphis_binary_state state);

#endif
