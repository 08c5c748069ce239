// SPDX-License-Identifier: BSD-3-Clause
/* Finds the mapped programs and libraries by path and build-id, and their separate debug information. */
#include "dwarf/binary.h"

#include <dlfcn.h>
#include <dwarf.h>
#include <elf.h>
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memphis/format.h>

#include "base/checksum.h"
#include "base/error.h"
#include "base/order.h"
#include "dwarf/type/definitions.h"

#ifdef MEMPHIS_HAS_ZSTD
#include <zstd.h>
#endif

/*
 * Creates an image of the file in memory: the original contents, followed by the decompressed sections. Only
 * the section headers are changed, because nothing else in an ELF file refers to the offset of a section.
 */

#define COMPRESSED_ZSTD 2 /* ELFCOMPRESS_ZSTD, which older versions of elf.h lack */
#define IMAGE_MAX \
	((uint64_t)64 << 30) /* larger sizes mean a damaged header; pages are allocated when written */

struct file {
	const uint8_t *bytes;
	uint64_t size;
	const Elf64_Ehdr *header;
};

/* Returns a pointer to `bytes` bytes at `offset`, or NULL if the file is shorter. */
static const void *file_range(const struct file *file, uint64_t offset, uint64_t bytes)
{
	return offset <= file->size && bytes <= file->size - offset ? file->bytes + offset : NULL;
}

static const Elf64_Shdr *section_headers(struct file *file)
{
	const Elf64_Ehdr *header = file_range(file, 0, sizeof(*header));

	if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) || header->e_ident[EI_CLASS] != ELFCLASS64 ||
	    header->e_ident[EI_DATA] !=
		    (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB) ||
	    header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shoff % sizeof(uint64_t))
		return NULL;
	file->header = header;
	return file_range(file, header->e_shoff, (uint64_t)header->e_shnum * sizeof(Elf64_Shdr));
}

/*
 * Copies the section's compression header to `header`, and returns `header`. Returns NULL if the section is
 * not compressed with zstd.
 */
static const Elf64_Chdr *compression_header(const struct file *file, const Elf64_Shdr *section,
					    Elf64_Chdr *header)
{
	const void *found;

	if (!(section->sh_flags & SHF_COMPRESSED) || section->sh_type == SHT_NOBITS ||
	    section->sh_size < sizeof(*header))
		return NULL;
	found = file_range(file, section->sh_offset, section->sh_size);
	if (!found)
		return NULL;
	memcpy(header, found, sizeof(*header));
	return header->ch_type == COMPRESSED_ZSTD ? header : NULL;
}

static uint64_t align_offset(uint64_t offset)
{
	return (offset + 63) & ~(uint64_t)63;
}

#ifdef MEMPHIS_HAS_ZSTD
static int fill_image(struct memphis_inflated *inflated, const struct file *file, const Elf64_Shdr *sections)
{
	uint64_t end = align_offset(file->size);
	uint8_t *image = inflated->image;
	Elf64_Shdr *section;
	Elf64_Chdr header;
	unsigned int i;

	memcpy(image, file->bytes, file->size);
	section = (Elf64_Shdr *)(image + file->header->e_shoff);
	for (i = 0; i < file->header->e_shnum; i++, section++) {
		if (!compression_header(file, &sections[i], &header))
			continue;
		if (ZSTD_decompress(image + end, header.ch_size,
				    file->bytes + section->sh_offset + sizeof(header),
				    section->sh_size - sizeof(header)) != header.ch_size)
			return -EBADMSG;
		section->sh_offset = end;
		section->sh_size = header.ch_size;
		section->sh_addralign = header.ch_addralign;
		section->sh_flags &= ~(Elf64_Xword)SHF_COMPRESSED;
		end = align_offset(end + header.ch_size);
	}
	inflated->elf = elf_memory((char *)image, inflated->bytes);
	return inflated->elf ? 0 : -ENOMEM;
}
#else
static int fill_image(struct memphis_inflated *inflated, const struct file *file, const Elf64_Shdr *sections)
{
	(void)inflated;
	(void)file;
	(void)sections;
	return -ENOTSUP;
}
#endif

static int build_inflated_image(struct memphis_inflated *inflated, struct file *file)
{
	const Elf64_Shdr *sections = section_headers(file);
	uint64_t end = align_offset(file->size);
	bool any = false;
	Elf64_Chdr header;
	unsigned int i;

	for (i = 0; sections && i < file->header->e_shnum; i++) {
		if (!compression_header(file, &sections[i], &header))
			continue;
		any = true;
		if (header.ch_size > IMAGE_MAX - end)
			return -EBADMSG;
		end = align_offset(end + header.ch_size);
		if (end > IMAGE_MAX)
			return -EBADMSG;
	}
	if (!any)
		return 0;
	inflated->bytes = end;
	inflated->image =
		mmap(NULL, end, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (inflated->image == MAP_FAILED) {
		inflated->image = NULL;
		return -ENOMEM;
	}
	return fill_image(inflated, file, sections);
}

/*
 * Decompresses the zstd sections of the file. The file must be 64-bit and of native byte order. On success,
 * returns 0 and sets inflated->elf to an image with decompressed sections, or to NULL if the file has no zstd
 * sections. Returns -EBADMSG if the file is damaged, -ENOTSUP if the tool was built without libzstd, or
 * -ENOMEM. The caller must call close_inflated() in all cases, after closing all users of the ELF handle.
 */
static int open_inflated(struct memphis_inflated *inflated, int fd)
{
	struct file file = {.size = 0};
	struct stat status;
	void *bytes;
	int rc;

	memset(inflated, 0, sizeof(*inflated));
	if (fstat(fd, &status) || status.st_size <= 0)
		return 0;
	file.size = (uint64_t)status.st_size;
	bytes = mmap(NULL, file.size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return -ENOMEM;
	file.bytes = bytes;
	rc = build_inflated_image(inflated, &file);
	munmap(bytes, file.size);
	return rc;
}

static void close_inflated(struct memphis_inflated *inflated)
{
	elf_end(inflated->elf);
	if (inflated->image)
		munmap(inflated->image, inflated->bytes);
	memset(inflated, 0, sizeof(*inflated));
}

/*
 * Downloads executables and debug information from the servers in the environment variable DEBUGINFOD_URLS.
 * Contacts no server if the variable is unset or empty.
 */

enum debuginfod_what { MEMPHIS_DEBUGINFOD_EXECUTABLE, MEMPHIS_DEBUGINFOD_DEBUG_INFORMATION };

struct debuginfod_client;

typedef int (*find_fn)(struct debuginfod_client *, const unsigned char *, int, char **);

static struct {
	struct debuginfod_client *(*begin)(void);
	void (*end)(struct debuginfod_client *);
	find_fn find[2]; /* indexed by enum debuginfod_what */
} library;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load_debuginfod(void)
{
	static const struct {
		const char *name;
		void *to;
	} symbols[] = {
		{"debuginfod_end", &library.end},
		{"debuginfod_find_executable", &library.find[MEMPHIS_DEBUGINFOD_EXECUTABLE]},
		{"debuginfod_find_debuginfo", &library.find[MEMPHIS_DEBUGINFOD_DEBUG_INFORMATION]},
		{"debuginfod_begin", &library.begin},
	};
	void *handle = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL), *symbol;
	size_t i;

	/* Load debuginfod_begin last. If it is set, all other symbols are set too. */
	for (i = 0; handle && i < sizeof(symbols) / sizeof(*symbols); i++) {
		symbol = dlsym(handle, symbols[i].name);
		if (!symbol)
			return;
		memcpy(symbols[i].to, &symbol, sizeof(symbol));
	}
}

/*
 * Downloads the file with this build-id (hex digits) into debuginfod's cache, which all tools share. Returns
 * the malloc'ed path of the file, or NULL if it is not available.
 */
static char *download_file(enum debuginfod_what what, const char *build_id)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	struct debuginfod_client *client;
	char *path = NULL;
	int fd;

	if (!urls || !*urls || !memphis_is_build_id(build_id))
		return NULL;
	pthread_once(&once, load_debuginfod);
	client = library.begin ? library.begin() : NULL;
	if (!client)
		return NULL;
	/* A length of 0 means that the build-id is a hex string. */
	fd = library.find[what](client, (const unsigned char *)build_id, 0, &path);
	library.end(client);
	if (fd < 0)
		return NULL;
	close(fd);
	return path;
}

#define DEBUG_ROOT "/usr/lib/debug"

static const char *const state_names[] = {"ok", "missing", "changed", "not-elf", "jit"};

const char *memphis_binary_state_name(enum memphis_binary_state state)
{
	return state_names[state];
}

/* Stores the build-id of an open ELF file as hex digits in `hex`, or "" if it has none. */
static void read_build_id(Elf *elf, char *hex, size_t size)
{
	const void *id = NULL;
	ssize_t bytes = dwelf_elf_gnu_build_id(elf, &id), i;

	*hex = 0;
	for (i = 0; i < bytes && (size_t)i * 2 + 3 <= size; i++)
		snprintf(hex + i * 2, 3, "%02x", ((const unsigned char *)id)[i]);
}

struct opened {
	int fd;
	Elf *elf;
	char build_id[129];
};

static void close_elf(const struct opened *opened)
{
	elf_end(opened->elf);
	close(opened->fd);
}

static bool open_elf(const char *path, struct opened *opened)
{
	struct stat status;

	opened->elf = NULL;
	opened->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (opened->fd < 0)
		return false;
	if (!fstat(opened->fd, &status) && S_ISREG(status.st_mode))
		opened->elf = elf_begin(opened->fd, ELF_C_READ_MMAP, NULL);
	if (!opened->elf || elf_kind(opened->elf) != ELF_K_ELF) {
		close_elf(opened);
		return false;
	}
	read_build_id(opened->elf, opened->build_id, sizeof(opened->build_id));
	return true;
}

#define BLOCK_BYTES 4096u

static uint32_t sum_range(int fd, uint32_t sum, uint64_t from, uint64_t to)
{
	char block[BLOCK_BYTES];
	ssize_t got;

	for (; from < to; from += (uint64_t)got) {
		got = pread(fd, block, to - from < sizeof(block) ? to - from : sizeof(block), (off_t)from);
		if (got <= 0)
			break;
		sum = memphis_checksum(sum, block, (size_t)got);
	}
	return sum;
}

static uint32_t sum_file(int fd, uint64_t bytes)
{
	__u64 from, to;
	uint32_t sum = 0;
	unsigned int i;

	for (i = 0; memphis_summed_part(bytes, i, &from, &to); i++)
		sum = sum_range(fd, sum, from, to);
	return sum;
}

/*
 * Returns true if the file at the recorded path is still the recorded one. The recording does not tell its
 * build-id, so inode and modification time are compared.
 */
static bool is_unchanged(const struct memphis_binary *binary, const struct stat *status)
{
	unsigned long long inode, recorded_ns;

	return sscanf(binary->unidentified, "?%llu.%llu", &inode, &recorded_ns) == 2 &&
	       (!inode || inode == status->st_ino) && binary->changed_ns <= recorded_ns;
}

/*
 * Returns true if the open file is the recorded one. Without a build-id, size and checksum are compared. The
 * checksum does not cover all contents of a large file. Therefore, the modification time must be the same too
 * if the file is in its place on the machine of the recording. Sets binary->changed_ns.
 */
static bool is_recorded(struct memphis_binary *binary, const struct opened *opened, bool in_place)
{
	const char *id = binary->build_id;
	unsigned long long bytes, changed_ns;
	struct stat status;
	unsigned int sum;

	if (fstat(opened->fd, &status))
		return false;
	binary->changed_ns = (uint64_t)status.st_mtim.tv_sec * 1000000000u + (uint64_t)status.st_mtim.tv_nsec;
	if (*id != '=')
		return binary->unidentified ? !in_place || is_unchanged(binary, &status)
					    : !strcmp(opened->build_id, id);
	if (sscanf(id, "=%llu.%llu.%x", &bytes, &changed_ns, &sum) != 3 || *opened->build_id ||
	    (unsigned long long)status.st_size != bytes)
		return false;
	if (in_place && bytes > MEMPHIS_SUM_WHOLE_BYTES && binary->changed_ns != changed_ns)
		return false;
	binary->changed_ns = changed_ns;
	return sum_file(opened->fd, bytes) == sum;
}

/* Opens `path`, and keeps it open if it is the recorded file. Otherwise returns false, and stores the reason in binary->state. */
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
	if (!is_recorded(binary, &opened, !strcmp(path, binary->path)))
		binary->state = MEMPHIS_BINARY_CHANGED;
	else
		binary->found = strdup(path);
	if (!binary->found) {
		close_elf(&opened);
		return false;
	}
	binary->unverified = !*binary->build_id;
	binary->fd = opened.fd;
	binary->elf = opened.elf;
	binary->state = MEMPHIS_BINARY_OK;
	return true;
}

/*
 * Searches the recorded path in each --binaries directory, first whole and then with more and more leading
 * directories removed. After that, tries the recorded path itself, and finally debuginfod.
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
		path = download_file(MEMPHIS_DEBUGINFOD_EXECUTABLE, binary->build_id);
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

	return memphis_order(x->low, y->low);
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
		/* Skip .tbss: its address range does not belong to it in memory. */
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
	memphis_sort(binary->sections, binary->section_count, compare_sections);
	return 0;
}

static struct memphis_binary *append_binary(struct memphis_binaries *binaries, const char *path,
					    const char *build_id)
{
	struct memphis_binary *binary;

	elf_version(EV_CURRENT);
	if (memphis_grow(&binaries->list, &binaries->room, binaries->count + 1, sizeof(*binaries->list)))
		return NULL;
	binary = calloc(1, sizeof(*binary));
	if (!binary)
		return NULL;
	binary->fd = binary->debug_fd = binary->common_fd = -1;
	binary->state = MEMPHIS_BINARY_MISSING;
	pthread_mutex_init(&binary->lock, NULL);
	binary->path = strdup(path);
	binary->build_id = strdup(build_id);
	binaries->list[binaries->count++] = binary;
	return binary->path && binary->build_id ? binary : NULL;
}

/* Returns where the index of the binary is, which is MEMPHIS_NO_BINARY for a new one; or NULL if memory is exhausted. */
static uint32_t *place_of(struct memphis_binaries *binaries, const char *path, const char *build_id,
			  const char *unidentified)
{
	const size_t before = binaries->keys.count;
	uint32_t number = MEMPHIS_NO_STRING;
	char *key;
	int bytes = asprintf(&key, "%s%c%s%c%s", path, 0, build_id, unidentified != NULL,
			     unidentified ? unidentified : "");

	if (bytes < 0)
		return NULL;
	number = memphis_strings_add(&binaries->keys, key, (size_t)bytes);
	free(key);
	if (number == MEMPHIS_NO_STRING ||
	    memphis_grow(&binaries->of_keys, &binaries->key_room, binaries->keys.count, sizeof(uint32_t)))
		return NULL;
	if (binaries->keys.count > before)
		binaries->of_keys[number] = MEMPHIS_NO_BINARY;
	return &binaries->of_keys[number];
}

static uint32_t add(struct memphis_binaries *binaries, const char *path, const char *build_id,
		    const char *unidentified)
{
	uint32_t *place = place_of(binaries, path, build_id, unidentified);
	struct memphis_binary *binary;

	if (!place || *place != MEMPHIS_NO_BINARY)
		return place ? *place : MEMPHIS_NO_BINARY;
	binary = append_binary(binaries, path, build_id);
	if (!binary)
		return MEMPHIS_NO_BINARY;
	*place = (uint32_t)(binaries->count - 1);
	binary->unidentified = unidentified ? strdup(unidentified) : NULL;
	if (unidentified && !binary->unidentified)
		return MEMPHIS_NO_BINARY;
	find(binaries, binary);
	if (binary->elf && (read_segments(binary) || read_sections(binary)))
		return MEMPHIS_NO_BINARY;
	return (uint32_t)(binaries->count - 1);
}

uint32_t memphis_binaries_add(struct memphis_binaries *binaries, const char *path, const char *build_id)
{
	return add(binaries, path, build_id, NULL);
}

uint32_t memphis_binaries_add_unidentified(struct memphis_binaries *binaries, const char *path,
					   const char *known)
{
	return add(binaries, path, "", known);
}

uint32_t memphis_binaries_add_jit(struct memphis_binaries *binaries, const char *build_id)
{
	struct memphis_binary *binary = append_binary(binaries, "[jit]", build_id);

	if (!binary)
		return MEMPHIS_NO_BINARY;
	binary->state = MEMPHIS_BINARY_JIT;
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
 * Returns true if the file has the checksum from .gnu_debuglink. This is the CRC-32 of the whole file (GDB's
 * manual, "Separate Debug Files").
 */
static bool has_checksum(int fd, uint32_t wanted)
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
 * Uses `path` as the debug file of the binary if their build-ids match. If the binary has no build-id, the
 * file must have the checksum *crc of the debug link. `crc` is NULL if there is no debug link. Returns false
 * and frees `path` if the file cannot be used.
 */
static bool try_debug_file(struct memphis_binary *binary, char *path, const GElf_Word *crc)
{
	struct opened opened;

	if (path && open_elf(path, &opened)) {
		if (memphis_is_build_id(binary->build_id)
			    ? !strcmp(opened.build_id, binary->build_id)
			    : crc && !*opened.build_id && has_checksum(opened.fd, *crc)) {
			binary->debug_fd = opened.fd;
			binary->debug_elf = opened.elf;
			binary->debug_path = path;
			return true;
		}
		close_elf(&opened);
	}
	free(path);
	return false;
}

__attribute__((format(printf, 1, 2))) static char *format_path(const char *format, ...)
{
	va_list arguments;
	char *path;
	int rc;

	va_start(arguments, format);
	rc = vasprintf(&path, format, arguments);
	va_end(arguments);
	return rc < 0 ? NULL : path;
}

static bool follow_debug_link(struct memphis_binaries *binaries, struct memphis_binary *binary)
{
	GElf_Word crc;
	const char *link = dwelf_elf_gnu_debuglink(binary->elf, &crc);
	const char *slash = strrchr(binary->found, '/');
	int dir = slash ? (int)(slash - binary->found) : 0;
	size_t i;

	if (!link || strchr(link, '/'))
		return false;
	for (i = 0; i < binaries->directory_count; i++)
		if (try_debug_file(binary, format_path("%s/%s", binaries->directories[i], link), &crc))
			return true;
	return try_debug_file(binary, format_path("%.*s/%s", dir, binary->found, link), &crc) ||
	       try_debug_file(binary, format_path("%.*s/.debug/%s", dir, binary->found, link), &crc) ||
	       try_debug_file(binary, format_path(DEBUG_ROOT "%.*s/%s", dir, binary->found, link), &crc);
}

static void find_debug_file(struct memphis_binaries *binaries, struct memphis_binary *binary)
{
	const char *id = binary->build_id;
	size_t i;

	if (!memphis_is_build_id(id) || strlen(id) < 3) {
		follow_debug_link(binaries, binary);
		return;
	}
	for (i = 0; i < binaries->directory_count; i++)
		if (try_debug_file(
			    binary,
			    format_path("%s/.build-id/%.2s/%s.debug", binaries->directories[i], id, id + 2),
			    NULL))
			return;
	if (!try_debug_file(binary, format_path(DEBUG_ROOT "/.build-id/%.2s/%s.debug", id, id + 2), NULL) &&
	    !follow_debug_link(binaries, binary))
		try_debug_file(binary, download_file(MEMPHIS_DEBUGINFOD_DEBUG_INFORMATION, id), NULL);
}

/*
 * Returns the name of the file with split debug information that could not be read, or NULL if none is
 * missing. This is the .dwp package if there is one, otherwise the first .dwo file. libdw reads packages
 * since elfutils 0.191 (see its NEWS).
 */
static char *missing_split_file(const struct memphis_binary *binary)
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
	package = format_path("%s.dwp", binary->found);
	if (package && !access(package, F_OK))
		return package;
	free(package);
	return strdup(name);
}

/* Opens `path` as the common file of dwz. Its build-id must be `id`. Takes ownership of `path`. */
static bool try_common_file(struct memphis_binary *binary, char *path, const char *id)
{
	struct opened opened;
	bool fits = path && open_elf(path, &opened);

	free(path);
	if (!fits)
		return false;
	binary->common = strcmp(opened.build_id, id) ? NULL : dwarf_begin_elf(opened.elf, DWARF_C_READ, NULL);
	if (binary->common) {
		binary->common_fd = opened.fd;
		binary->common_elf = opened.elf;
		dwarf_setalt(binary->dwarf, binary->common);
		return true;
	}
	elf_end(opened.elf);
	close(opened.fd);
	return false;
}

/*
 * Finds the common file, into which dwz(1) has moved debug information that several binaries share. Searches
 * the path in the link and the --binaries directories. libdw searches the system's directories and asks the
 * servers. Returns the name of the file if it is missing, otherwise NULL.
 */
static char *find_common_file(struct memphis_binaries *binaries, struct memphis_binary *binary)
{
	const char *file = binary->debug_path ? binary->debug_path : binary->found, *link, *slash, *base;
	const void *bytes;
	ssize_t count = dwelf_dwarf_gnu_debugaltlink(binary->dwarf, &link, &bytes), i;
	char id[129] = "";

	if (count <= 0)
		return NULL;
	for (i = 0; i < count && (size_t)i * 2 + 3 <= sizeof(id); i++)
		snprintf(id + i * 2, 3, "%02x", ((const unsigned char *)bytes)[i]);
	slash = strrchr(link, '/');
	base = slash ? slash + 1 : link;
	for (i = 0; (size_t)i < binaries->directory_count; i++)
		if (try_common_file(binary, format_path("%s/%s", binaries->directories[i], base), id) ||
		    try_common_file(
			    binary,
			    format_path("%s/.build-id/%.2s/%s.debug", binaries->directories[i], id, id + 2),
			    id))
			return NULL;
	slash = strrchr(file, '/');
	if (try_common_file(binary,
			    *link == '/' || !slash ? strdup(link)
						   : format_path("%.*s/%s", (int)(slash - file), file, link),
			    id) ||
	    dwarf_getalt(binary->dwarf))
		return NULL;
	return strdup(link);
}

/*
 * Returns the ELF handle for libdw. If the decompression fails, this is the handle of the original file: the
 * installed libdw may be able to decompress it.
 */
static Elf *elf_for_libdw(struct memphis_binary *binary)
{
	Elf *elf = binary->debug_elf ? binary->debug_elf : binary->elf;

	if (open_inflated(&binary->inflated, binary->debug_elf ? binary->debug_fd : binary->fd))
		close_inflated(&binary->inflated);
	return binary->inflated.elf ? binary->inflated.elf : elf;
}

Dwarf *memphis_binary_dwarf(struct memphis_binaries *binaries, struct memphis_binary *binary)
{
	if (!binary->dwarf_tried && binary->elf) {
		if (!has_section(binary->elf, ".debug_info") && !has_section(binary->elf, ".zdebug_info"))
			find_debug_file(binaries, binary);
		binary->dwarf = dwarf_begin_elf(elf_for_libdw(binary), DWARF_C_READ, NULL);
		binary->split_missing = binary->dwarf ? find_common_file(binaries, binary) : NULL;
		if (!binary->split_missing)
			binary->split_missing = missing_split_file(binary);
		memphis_definitions_open(binary->dwarf);
	}
	binary->dwarf_tried = true;
	return binary->dwarf;
}

int memphis_binary_section(const struct memphis_binary *binary, uint64_t vaddr)
{
	const size_t at = memphis_bisect(i, binary->section_count, binary->sections[i].high <= vaddr);

	return at < binary->section_count && binary->sections[at].low <= vaddr ? (int)at : -1;
}

const struct memphis_segment *memphis_binary_segment(const struct memphis_binary *binary, uint64_t vaddr)
{
	const struct memphis_segment *segment;

	for (segment = binary->segments; segment < binary->segments + binary->segment_count; segment++)
		if (vaddr >= segment->vaddr && vaddr - segment->vaddr < segment->file_bytes)
			return segment;
	return NULL;
}

size_t memphis_binary_read(struct memphis_binary *binary, uint64_t vaddr, void *to, size_t bytes)
{
	const struct memphis_segment *segment = memphis_binary_segment(binary, vaddr);
	uint64_t left;
	ssize_t got;

	if (!segment)
		return 0;
	left = segment->file_bytes - (vaddr - segment->vaddr);
	if (bytes > left)
		bytes = left;
	got = pread(binary->fd, to, bytes, (off_t)(segment->offset + (vaddr - segment->vaddr)));
	return got > 0 ? (size_t)got : 0;
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
	dwarf_end(binary->common);
	elf_end(binary->common_elf);
	close_inflated(&binary->inflated);
	elf_end(binary->debug_elf);
	elf_end(binary->elf);
	if (binary->debug_fd >= 0)
		close(binary->debug_fd);
	if (binary->common_fd >= 0)
		close(binary->common_fd);
	if (binary->fd >= 0)
		close(binary->fd);
	for (i = 0; i < binary->section_count; i++)
		free(binary->sections[i].name);
	free(binary->sections);
	free(binary->segments);
	memphis_scopes_close(&binary->scopes);
	free(binary->fdes);
	free(binary->relocations);
	free(binary->split_missing);
	free(binary->debug_path);
	free(binary->found);
	free(binary->build_id);
	free(binary->unidentified);
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
	free(binaries->of_keys);
	memphis_strings_close(&binaries->keys);
	binaries->list = NULL;
	binaries->of_keys = NULL;
	binaries->count = binaries->room = binaries->key_room = 0;
}
