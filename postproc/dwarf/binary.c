// SPDX-License-Identifier: BSD-3-Clause
/* Locates mapped programs and libraries by path and build-id, and finds their separate debug information. */
#include "dwarf/binary.h"

#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <stdarg.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dwarf/debuginfod.h"
#include "base/error.h"
#include "dwarf/type/definitions.h"

#define DEBUG_ROOT "/usr/lib/debug"

static const char *const state_names[] = {"ok", "missing", "changed", "not-elf"};

const char *memphis_binary_state_name(enum memphis_binary_state state)
{
	return state_names[state];
}

/* Stores the build-id of an open file in `hex`, as hexadecimal digits; "" if the file has none. */
static void read_build_id(Elf *elf, char *hex, size_t room)
{
	const void *id = NULL;
	ssize_t bytes = dwelf_elf_gnu_build_id(elf, &id), i;

	*hex = 0;
	for (i = 0; i < bytes && (size_t)i * 2 + 3 <= room; i++)
		snprintf(hex + i * 2, 3, "%02x", ((const unsigned char *)id)[i]);
}

struct opened {
	int fd;
	Elf *elf;
	char build_id[129];
};

static bool open_elf(const char *path, struct opened *opened)
{
	struct stat status;

	opened->elf = NULL;
	opened->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (opened->fd < 0)
		return false;
	if (fstat(opened->fd, &status) || !S_ISREG(status.st_mode))
		goto close_fd;
	opened->elf = elf_begin(opened->fd, ELF_C_READ_MMAP, NULL);
	if (!opened->elf || elf_kind(opened->elf) != ELF_K_ELF)
		goto close_fd;
	read_build_id(opened->elf, opened->build_id, sizeof(opened->build_id));
	return true;

close_fd:
	elf_end(opened->elf);
	close(opened->fd);
	opened->elf = NULL;
	return false;
}

/*
 * Opens `path` and keeps it open if it is the recorded file. Otherwise returns false and stores the reason in
 * binary->state.
 */
static bool try_path(struct memphis_binary *binary, const char *path)
{
	struct opened opened;

	if (access(path, F_OK))
		return false;
	if (!open_elf(path, &opened)) {
		if (binary->state == MEMPHIS_BINARY_MISSING)
			binary->state = *binary->build_id ? MEMPHIS_BINARY_CHANGED : MEMPHIS_BINARY_NOT_ELF;
		return false;
	}
	if (strcmp(opened.build_id, binary->build_id)) {
		binary->state = MEMPHIS_BINARY_CHANGED;
		goto refuse;
	}
	binary->found = strdup(path);
	if (!binary->found)
		goto refuse;
	binary->unverified = !*binary->build_id;
	binary->fd = opened.fd;
	binary->elf = opened.elf;
	binary->state = MEMPHIS_BINARY_OK;
	return true;

refuse:
	elf_end(opened.elf);
	close(opened.fd);
	return false;
}

/*
 * Searches each --binaries directory for the recorded path, with one more leading directory removed at each
 * attempt. After that, tries the recorded path itself, and finally debuginfod.
 */
static void find(struct memphis_binaries *binaries, struct memphis_binary *binary)
{
	const char *tail;
	char *path;
	size_t i;
	bool taken;

	for (i = 0; i < binaries->directory_count; i++) {
		for (tail = binary->path; tail && *tail; tail = strchr(tail, '/')) {
			tail += strspn(tail, "/");
			if (asprintf(&path, "%s/%s", binaries->directories[i], tail) < 0)
				return;
			taken = try_path(binary, path);
			free(path);
			if (taken)
				return;
		}
	}
	if (!try_path(binary, binary->path) && binary->state != MEMPHIS_BINARY_NOT_ELF) {
		path = memphis_debuginfod(MEMPHIS_DEBUGINFOD_EXECUTABLE, binary->build_id);
		if (path)
			try_path(binary, path);
		free(path);
	}
}

static int read_segments(struct memphis_binary *binary)
{
	size_t count, i;
	GElf_Phdr header;
	struct memphis_segment *segment;

	if (elf_getphdrnum(binary->elf, &count))
		return -1;
	binary->segments = calloc(count ? count : 1, sizeof(*binary->segments));
	if (!binary->segments)
		return -1;
	binary->low = UINT64_MAX;
	for (i = 0; i < count; i++) {
		if (!gelf_getphdr(binary->elf, (int)i, &header) || header.p_type != PT_LOAD)
			continue;
		if (header.p_vaddr + header.p_memsz < header.p_vaddr || header.p_filesz > header.p_memsz)
			continue;
		segment = &binary->segments[binary->segment_count++];
		segment->vaddr = header.p_vaddr;
		segment->offset = header.p_offset;
		segment->file_bytes = header.p_filesz;
		segment->memory_bytes = header.p_memsz;
		segment->flags = header.p_flags;
		if (segment->vaddr < binary->low)
			binary->low = segment->vaddr;
		if (segment->vaddr + segment->memory_bytes > binary->high)
			binary->high = segment->vaddr + segment->memory_bytes;
	}
	return 0;
}

static int compare_sections(const void *a, const void *b)
{
	const struct memphis_section *x = a, *y = b;

	return x->low < y->low ? -1 : x->low > y->low;
}

static int read_sections(struct memphis_binary *binary)
{
	struct memphis_section *section;
	size_t names, room = 0;
	Elf_Scn *scn = NULL;
	GElf_Shdr header;
	const char *name;

	if (elf_getshdrstrndx(binary->elf, &names))
		return 0;
	while ((scn = elf_nextscn(binary->elf, scn))) {
		/* .tbss has an address but occupies no memory at that address. */
		if (!gelf_getshdr(scn, &header) || !(header.sh_flags & SHF_ALLOC) || !header.sh_size ||
		    (header.sh_flags & SHF_TLS && header.sh_type == SHT_NOBITS) ||
		    header.sh_addr + header.sh_size < header.sh_addr)
			continue;
		name = elf_strptr(binary->elf, names, header.sh_name);
		section = memphis_append(binary->sections, binary->section_count, room);
		if (!section)
			return -1;
		section->low = header.sh_addr;
		section->high = header.sh_addr + header.sh_size;
		section->name = strdup(name ? name + (*name == '.') : "");
		if (!section->name)
			return -1;
	}
	if (binary->section_count)
		qsort(binary->sections, binary->section_count, sizeof(*section), compare_sections);
	return 0;
}

uint32_t memphis_binaries_add(struct memphis_binaries *binaries, const char *path, const char *build_id)
{
	struct memphis_binary *binary;
	size_t i;

	for (i = 0; i < binaries->count; i++)
		if (!strcmp(binaries->list[i]->path, path) && !strcmp(binaries->list[i]->build_id, build_id))
			return (uint32_t)i;
	elf_version(EV_CURRENT);
	if (memphis_grow(&binaries->list, &binaries->room, binaries->count + 1, sizeof(*binaries->list)))
		return MEMPHIS_NO_BINARY;
	binary = calloc(1, sizeof(*binary));
	if (!binary)
		return MEMPHIS_NO_BINARY;
	binary->fd = binary->debug_fd = -1;
	binary->state = MEMPHIS_BINARY_MISSING;
	pthread_mutex_init(&binary->lock, NULL);
	binary->path = strdup(path);
	binary->build_id = strdup(build_id);
	binaries->list[binaries->count++] = binary;
	if (!binary->path || !binary->build_id)
		return MEMPHIS_NO_BINARY;
	find(binaries, binary);
	if (binary->elf && (read_segments(binary) || read_sections(binary)))
		return MEMPHIS_NO_BINARY;
	return (uint32_t)(binaries->count - 1);
}

static bool has_section(Elf *elf, const char *wanted)
{
	size_t names;
	Elf_Scn *scn = NULL;
	GElf_Shdr header;
	const char *name;

	if (elf_getshdrstrndx(elf, &names))
		return false;
	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &header))
			continue;
		name = elf_strptr(elf, names, header.sh_name);
		if (name && !strcmp(name, wanted) && header.sh_type != SHT_NOBITS)
			return true;
	}
	return false;
}

/*
 * Returns true if the file has the checksum stored in .gnu_debuglink: CRC-32 of the whole file (GDB's manual,
 * "Separate Debug Files").
 */
static bool has_crc(int fd, uint32_t wanted)
{
	uint8_t bytes[65536];
	uint32_t crc = ~0u;
	off_t at = 0;
	ssize_t got, i;
	int bit;

	while ((got = pread(fd, bytes, sizeof(bytes), at)) > 0) {
		for (i = 0; i < got; i++) {
			crc ^= bytes[i];
			for (bit = 0; bit < 8; bit++)
				crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
		}
		at += got;
	}
	return !got && ~crc == wanted;
}

/*
 * Uses `path` as the binary's debug file if their build-ids match. For a binary without a build-id, the file
 * must have the checksum *crc of the debug link (`crc` is NULL if there is no debug link). Returns false and
 * frees `path` if the file cannot be used.
 */
static bool try_debug(struct memphis_binary *binary, char *path, const GElf_Word *crc)
{
	struct opened opened;
	bool fits;

	if (!path)
		return false;
	if (!open_elf(path, &opened)) {
		free(path);
		return false;
	}
	fits = *binary->build_id ? !strcmp(opened.build_id, binary->build_id)
				 : crc && !*opened.build_id && has_crc(opened.fd, *crc);
	if (!fits) {
		elf_end(opened.elf);
		close(opened.fd);
		free(path);
		return false;
	}
	binary->debug_fd = opened.fd;
	binary->debug_elf = opened.elf;
	binary->debug_path = path;
	return true;
}

__attribute__((format(printf, 1, 2))) static char *path_of(const char *format, ...)
{
	va_list arguments;
	char *path;
	int rc;

	va_start(arguments, format);
	rc = vasprintf(&path, format, arguments);
	va_end(arguments);
	return rc < 0 ? NULL : path;
}

static bool find_debug_link(struct memphis_binaries *binaries, struct memphis_binary *binary)
{
	GElf_Word crc;
	const char *link = dwelf_elf_gnu_debuglink(binary->elf, &crc);
	const char *slash = strrchr(binary->found, '/');
	int dir = slash ? (int)(slash - binary->found) : 0;
	size_t i;

	if (!link || strchr(link, '/'))
		return false;
	for (i = 0; i < binaries->directory_count; i++)
		if (try_debug(binary, path_of("%s/%s", binaries->directories[i], link), &crc))
			return true;
	return try_debug(binary, path_of("%.*s/%s", dir, binary->found, link), &crc) ||
	       try_debug(binary, path_of("%.*s/.debug/%s", dir, binary->found, link), &crc) ||
	       try_debug(binary, path_of(DEBUG_ROOT "%.*s/%s", dir, binary->found, link), &crc);
}

static void find_debug(struct memphis_binaries *binaries, struct memphis_binary *binary)
{
	const char *id = binary->build_id;
	size_t i;

	if (strlen(id) < 3) {
		find_debug_link(binaries, binary);
		return;
	}
	for (i = 0; i < binaries->directory_count; i++)
		if (try_debug(binary,
			      path_of("%s/.build-id/%.2s/%s.debug", binaries->directories[i], id, id + 2),
			      NULL))
			return;
	if (!try_debug(binary, path_of(DEBUG_ROOT "/.build-id/%.2s/%s.debug", id, id + 2), NULL) &&
	    !find_debug_link(binaries, binary))
		try_debug(binary, memphis_debuginfod(MEMPHIS_DEBUGINFOD_DEBUG_INFORMATION, id), NULL);
}

/*
 * Returns the name of the .dwp package if there is one, else of the .dwo file of the first unit whose split
 * debug information could not be read; NULL if nothing is missing. libdw reads packages since elfutils 0.191
 * (see its NEWS).
 */
static char *split_missing(const struct memphis_binary *binary)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die, split;
	Dwarf_Attribute attribute;
	const char *name = NULL;
	uint8_t unit;
	char *package;

	while (binary->dwarf && !name &&
	       dwarf_get_units(binary->dwarf, cu, &cu, NULL, &unit, &die, &split) == 0)
		if (unit == DW_UT_skeleton && !split.addr &&
		    (dwarf_attr(&die, DW_AT_dwo_name, &attribute) ||
		     dwarf_attr(&die, DW_AT_GNU_dwo_name, &attribute)))
			name = dwarf_formstring(&attribute);
	if (!name)
		return NULL;
	package = path_of("%s.dwp", binary->found);
	if (package && !access(package, F_OK))
		return package;
	free(package);
	return strdup(name);
}

/*
 * Returns the ELF handle for libdw. If decompression fails, libdw gets the original file, because the
 * installed version of libdw may be able to decompress it.
 */
static Elf *elf_with_dwarf(struct memphis_binary *binary)
{
	Elf *elf = binary->debug_elf ? binary->debug_elf : binary->elf;

	if (memphis_inflate(&binary->inflated, binary->debug_elf ? binary->debug_fd : binary->fd))
		memphis_inflated_close(&binary->inflated);
	return binary->inflated.elf ? binary->inflated.elf : elf;
}

Dwarf *memphis_binary_dwarf(struct memphis_binaries *binaries, struct memphis_binary *binary)
{
	if (!binary->dwarf_tried && binary->elf) {
		if (!has_section(binary->elf, ".debug_info") && !has_section(binary->elf, ".zdebug_info"))
			find_debug(binaries, binary);
		binary->dwarf = dwarf_begin_elf(elf_with_dwarf(binary), DWARF_C_READ, NULL);
		binary->split_missing = split_missing(binary);
		memphis_definitions_open(binary->dwarf);
	}
	binary->dwarf_tried = true;
	return binary->dwarf;
}

int memphis_binary_section(const struct memphis_binary *binary, uint64_t vaddr)
{
	size_t low = 0, high = binary->section_count, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (binary->sections[middle].high <= vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < binary->section_count && binary->sections[low].low <= vaddr)
		return (int)low;
	return -1;
}

size_t memphis_binary_read(struct memphis_binary *binary, uint64_t vaddr, void *to, size_t bytes)
{
	const struct memphis_segment *segment;
	uint64_t left;
	ssize_t got;
	size_t i;

	for (i = 0; i < binary->segment_count; i++) {
		segment = &binary->segments[i];
		if (vaddr < segment->vaddr || vaddr - segment->vaddr >= segment->file_bytes)
			continue;
		left = segment->file_bytes - (vaddr - segment->vaddr);
		if (bytes > left)
			bytes = left;
		got = pread(binary->fd, to, bytes, (off_t)(segment->offset + (vaddr - segment->vaddr)));
		return got > 0 ? (size_t)got : 0;
	}
	return 0;
}

static void close_binary(struct memphis_binary *binary)
{
	size_t i;

	if (binary->cfi)
		dwarf_cfi_end(binary->cfi);
	if (binary->dwarf) {
		memphis_definitions_close(binary->dwarf);
		dwarf_end(binary->dwarf);
	}
	memphis_inflated_close(&binary->inflated);
	elf_end(binary->debug_elf);
	elf_end(binary->elf);
	if (binary->debug_fd >= 0)
		close(binary->debug_fd);
	if (binary->fd >= 0)
		close(binary->fd);
	for (i = 0; i < binary->section_count; i++)
		free(binary->sections[i].name);
	free(binary->sections);
	free(binary->segments);
	free(binary->fdes);
	free(binary->relocations);
	free(binary->split_missing);
	free(binary->debug_path);
	free(binary->found);
	free(binary->build_id);
	free(binary->path);
	pthread_mutex_destroy(&binary->lock);
	free(binary);
}

void memphis_binaries_close(struct memphis_binaries *binaries)
{
	size_t i;

	for (i = 0; i < binaries->count; i++)
		close_binary(binaries->list[i]);
	free(binaries->list);
	binaries->list = NULL;
	binaries->count = binaries->room = 0;
}
