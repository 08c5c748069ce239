// SPDX-License-Identifier: BSD-3-Clause
/*
 * Builds an image that consists of the original file followed by its decompressed sections. Only the section
 * headers change, as nothing else in an ELF file refers to the offset of a section.
 */
#include "dwarf/inflate.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef MEMPHIS_HAS_ZSTD
#include <zstd.h>
#endif

#define COMPRESSED_ZSTD 2 /* ELFCOMPRESS_ZSTD, which older versions of elf.h lack */
#define IMAGE_MAX \
	((uint64_t)64 << 30) /* a larger size means a damaged header; pages are allocated when written */

struct file {
	const uint8_t *bytes;
	uint64_t size;
	const Elf64_Ehdr *header;
};

/* Returns a pointer to `bytes` bytes at `offset`, or NULL if the file is shorter. */
static const void *at(const struct file *file, uint64_t offset, uint64_t bytes)
{
	return offset <= file->size && bytes <= file->size - offset ? file->bytes + offset : NULL;
}

static const Elf64_Shdr *sections_of(struct file *file)
{
	const Elf64_Ehdr *header = at(file, 0, sizeof(*header));

	if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) || header->e_ident[EI_CLASS] != ELFCLASS64 ||
	    header->e_ident[EI_DATA] !=
		    (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB) ||
	    header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shoff % sizeof(uint64_t))
		return NULL;
	file->header = header;
	return at(file, header->e_shoff, (uint64_t)header->e_shnum * sizeof(Elf64_Shdr));
}

/* Returns the compression header if the section is compressed with zstd, else NULL. */
static const Elf64_Chdr *compressed(const struct file *file, const Elf64_Shdr *section, Elf64_Chdr *header)
{
	const void *found;

	if (!(section->sh_flags & SHF_COMPRESSED) || section->sh_type == SHT_NOBITS ||
	    section->sh_size < sizeof(*header))
		return NULL;
	found = at(file, section->sh_offset, section->sh_size);
	if (!found)
		return NULL;
	memcpy(header, found, sizeof(*header));
	return header->ch_type == COMPRESSED_ZSTD ? header : NULL;
}

static uint64_t aligned(uint64_t offset)
{
	return (offset + 63) & ~(uint64_t)63;
}

#ifdef MEMPHIS_HAS_ZSTD
static bool unpack(void *to, uint64_t bytes, const void *from, uint64_t packed)
{
	return ZSTD_decompress(to, bytes, from, packed) == bytes;
}

static int fill(struct memphis_inflated *inflated, const struct file *file, const Elf64_Shdr *sections)
{
	uint64_t end = aligned(file->size);
	uint8_t *image = inflated->image;
	Elf64_Shdr *section;
	Elf64_Chdr header;
	unsigned int i;

	memcpy(image, file->bytes, file->size);
	section = (Elf64_Shdr *)(image + file->header->e_shoff);
	for (i = 0; i < file->header->e_shnum; i++, section++) {
		if (!compressed(file, &sections[i], &header))
			continue;
		if (!unpack(image + end, header.ch_size, file->bytes + section->sh_offset + sizeof(header),
			    section->sh_size - sizeof(header)))
			return -EBADMSG;
		section->sh_offset = end;
		section->sh_size = header.ch_size;
		section->sh_addralign = header.ch_addralign;
		section->sh_flags &= ~(Elf64_Xword)SHF_COMPRESSED;
		end = aligned(end + header.ch_size);
	}
	inflated->elf = elf_memory((char *)image, inflated->bytes);
	return inflated->elf ? 0 : -ENOMEM;
}
#else
static int fill(struct memphis_inflated *inflated, const struct file *file, const Elf64_Shdr *sections)
{
	(void)inflated;
	(void)file;
	(void)sections;
	return -ENOTSUP;
}
#endif

static int inflate(struct memphis_inflated *inflated, struct file *file)
{
	const Elf64_Shdr *sections = sections_of(file);
	uint64_t end = aligned(file->size);
	bool any = false;
	Elf64_Chdr header;
	unsigned int i;

	for (i = 0; sections && i < file->header->e_shnum; i++) {
		if (!compressed(file, &sections[i], &header))
			continue;
		any = true;
		if (header.ch_size > IMAGE_MAX - end)
			return -EBADMSG;
		end = aligned(end + header.ch_size);
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
	return fill(inflated, file, sections);
}

int memphis_inflate(struct memphis_inflated *inflated, int fd)
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
	rc = inflate(inflated, &file);
	munmap(bytes, file.size);
	return rc;
}

void memphis_inflated_close(struct memphis_inflated *inflated)
{
	elf_end(inflated->elf);
	if (inflated->image)
		munmap(inflated->image, inflated->bytes);
	memset(inflated, 0, sizeof(*inflated));
}
