/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the mapped programs and libraries by path and build-id, and opens them with libelf and libdw. Reports
 * files that are missing or have changed since the recording. Never uses such a file instead of the recorded
 * one.
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
 * Decompresses debug sections in zstd format (gABI, ELFCOMPRESS_ZSTD). Needed because elfutils before version
 * 0.189 can decompress only zlib.
 */
struct memphis_inflated {
	Elf *elf; /* ELF handle of the image; NULL if nothing was decompressed */
	void *image;
	size_t bytes;
};

enum memphis_binary_state {
	MEMPHIS_BINARY_OK = 0,
	MEMPHIS_BINARY_MISSING, /* no file has this path */
	MEMPHIS_BINARY_CHANGED, /* files with this path exist, but none has the recorded build-id */
	MEMPHIS_BINARY_NOT_ELF, /* not a binary: mapped data such as a font or a locale */
	/* There is no file: the code was generated at run time. Its functions are known from the generator's description. */
	MEMPHIS_BINARY_JIT,
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
	char *path; /* recorded path */
	/*
	 * Recorded build-id in hex digits, or the identity of a file without one (see memphis_is_build_id()).
	 * It is "" if neither was recorded.
	 */
	char *build_id;
	char *found;         /* path of the file that was opened, or NULL */
	uint64_t changed_ns; /* modification time of that file in nanoseconds, CLOCK_REALTIME */
	char *debug_path;    /* path of the separate debug file, or NULL */
	enum memphis_binary_state state;
	/*
	 * Set if the recording does not tell whether the file has a build-id, otherwise NULL:
	 * "?INODE.RECORDED_NS" or "?elsewhere" (docs/format.md, MAPS). A file in a --binaries directory is
	 * accepted. The file at the recorded path is accepted if it has this inode (0: any) and was not
	 * modified after that time.
	 */
	char *unidentified;
	bool unverified; /* nothing could be compared, because the recording has neither a build-id nor "=SIZE.CHANGED_NS.SUM" */
	int fd, debug_fd;
	Elf *elf, *debug_elf;
	/* Decompressed image, which libdw reads instead of elf or debug_elf. */
	struct memphis_inflated inflated;
	Dwarf *dwarf; /* opened by memphis_binary_dwarf() */
	bool dwarf_tried;
	/*
	 * Common file made by dwz, to which the debug information refers. It is NULL if there is none, or if
	 * libdw has found it itself.
	 */
	Dwarf *common;
	Elf *common_elf;
	int common_fd;
	char *split_missing; /* name of the first common, .dwo or .dwp file that could not be read, or NULL */
	struct memphis_segment *segments;
	size_t segment_count;
	struct memphis_section *sections; /* sections that occupy memory, sorted by address */
	size_t section_count;
	uint64_t low, high;   /* link-time address range of all PT_LOAD segments */
	pthread_mutex_t lock; /* protects the fields below, which are filled on first use */
	struct memphis_variables *variables;
	struct memphis_lines *lines;
	struct memphis_source_digests *digests; /* only one thread may use it (see source_digests.h) */
	struct memphis_locals *locals;
	struct memphis_scopes scopes; /* cache of the scopes around declarations */
	Dwarf_CFI *cfi;               /* call frame information in .eh_frame; opened by memphis_cfa_find() */
	bool cfi_tried;
	/* Address ranges of the entries in .eh_frame, sorted by address. Read by memphis_function_find_bounds(). */
	struct memphis_fde *fdes;
	size_t fde_count;
	bool fdes_tried;
	/* Relocations, sorted by address. Read by the functions in loader.h. */
	struct memphis_relocation *relocations;
	size_t relocation_count;
	bool relocations_tried;
};

struct memphis_binaries {
	struct memphis_binary **list;
	size_t count, room;
	struct memphis_strings keys; /* what memphis_binaries_add() is given, as one string */
	uint32_t *of_keys;           /* index of the binary with each key */
	size_t key_room;
	char **directories; /* given with --binaries; owned by the caller */
	size_t directory_count;
};

#define MEMPHIS_NO_BINARY UINT32_MAX

/*
 * Returns true if the text is a build-id. Returns false for "" and for the identity of a file without one,
 * which has the form "=SIZE.CHANGED_NS.SUM" (docs/format.md, MAPS).
 */
static inline bool memphis_is_build_id(const char *id)
{
	return *id && *id != '=';
}

/* Returns the index of the binary with this path and build-id. Finds and opens the file on the first call. */
uint32_t memphis_binaries_add(struct memphis_binaries *binaries, const char *path, const char *build_id);
/*
 * Does the same for a file of which the recording does not tell whether it has a build-id. `known` is
 * described at memphis_binary.unidentified.
 */
uint32_t memphis_binaries_add_unidentified(struct memphis_binaries *binaries, const char *path,
					   const char *known);

/* Adds code that is not in a file. `build_id` identifies it. memphis_symbols_add() adds its functions. */
uint32_t memphis_binaries_add_jit(struct memphis_binaries *binaries, const char *build_id);
void memphis_binaries_close(struct memphis_binaries *binaries);

/* Returns the DWARF of the binary or of its separate debug file, or NULL. The caller must hold binary->lock. */
Dwarf *memphis_binary_dwarf(struct memphis_binaries *binaries, struct memphis_binary *binary);

/* Returns the index of the section that contains `vaddr`, or -1. */
int memphis_binary_section(const struct memphis_binary *binary, uint64_t vaddr);

/* Returns the segment that contains `vaddr` in its file part (not only in zeroed memory), or NULL. */
const struct memphis_segment *memphis_binary_segment(const struct memphis_binary *binary, uint64_t vaddr);

/* Reads up to `bytes` bytes at link-time address `vaddr` from the file of the binary. Returns the number of bytes read. */
size_t memphis_binary_read(struct memphis_binary *binary, uint64_t vaddr, void *to, size_t bytes);

/* Returns true if memphis_symbols_find() may find functions in the binary. */
static inline bool memphis_binary_has_symbols(const struct memphis_binary *binary)
{
	return binary->elf || binary->state == MEMPHIS_BINARY_JIT;
}

const char *memphis_binary_state_name(enum memphis_binary_state state);

#endif
