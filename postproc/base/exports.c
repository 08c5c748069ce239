// SPDX-License-Identifier: BSD-3-Clause
/* Reads the dynamic symbols of an ELF file from its sections. The file may be damaged or malicious, so each offset is checked. */
#include "base/exports.h"

#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct image {
	const unsigned char *bytes;
	uint64_t size;
};

/* Returns `size` bytes at an offset that is a multiple of 4, or NULL if the file has no such bytes. */
static const void *part(const struct image *image, uint64_t offset, uint64_t size)
{
	return offset % 4 || offset > image->size || size > image->size - offset ? NULL
										 : image->bytes + offset;
}

static const Elf64_Shdr *find_section(const struct image *image, const Elf64_Ehdr *head, uint32_t type)
{
	const Elf64_Shdr *sections = part(image, head->e_shoff, (uint64_t)head->e_shnum * sizeof(Elf64_Shdr));
	int i;

	for (i = 0; sections && i < head->e_shnum; i++)
		if (sections[i].sh_type == type)
			return &sections[i];
	return NULL;
}

static int which(const struct image *image, const char *const *names, size_t count)
{
	const Elf64_Ehdr *head = part(image, 0, sizeof(*head));
	const Elf64_Shdr *table, *text;
	const Elf64_Sym *symbols;
	const char *strings;
	size_t i, k;
	int first = -1;

	if (!head || memcmp(head->e_ident, ELFMAG, SELFMAG) || head->e_ident[EI_CLASS] != ELFCLASS64 ||
	    head->e_shentsize != sizeof(*table))
		return -1;
	table = find_section(image, head, SHT_DYNSYM);
	if (!table || table->sh_link >= head->e_shnum)
		return -1;
	text = (const Elf64_Shdr *)(const void *)(image->bytes + head->e_shoff) + table->sh_link;
	if (text->sh_size > image->size)
		return -1;
	symbols = part(image, table->sh_offset, table->sh_size);
	strings = part(image, text->sh_offset & ~3ULL, text->sh_size + (text->sh_offset & 3));
	if (!symbols || !strings || !text->sh_size)
		return -1;
	strings += text->sh_offset & 3;
	for (i = 0; i < table->sh_size / sizeof(*symbols); i++) {
		const uint64_t room =
			symbols[i].st_name < text->sh_size ? text->sh_size - symbols[i].st_name : 0;

		if (symbols[i].st_shndx == SHN_UNDEF || ELF64_ST_BIND(symbols[i].st_info) == STB_LOCAL)
			continue;
		for (k = 0; k < count && (first < 0 || k < (size_t)first); k++)
			if (strlen(names[k]) < room &&
			    !memcmp(strings + symbols[i].st_name, names[k], strlen(names[k]) + 1))
				first = (int)k;
	}
	return first;
}

int memphis_exports_which(const char *path, const char *const *names, size_t count)
{
	const int file = open(path, O_RDONLY | O_CLOEXEC);
	struct image image;
	struct stat status;
	void *bytes;
	int result = -1;

	if (file < 0)
		return -1;
	if (!fstat(file, &status) && S_ISREG(status.st_mode) && status.st_size > 0) {
		image.size = (uint64_t)status.st_size;
		bytes = mmap(NULL, image.size, PROT_READ, MAP_PRIVATE, file, 0);
		if (bytes != MAP_FAILED) {
			image.bytes = bytes;
			result = which(&image, names, count);
			munmap(bytes, image.size);
		}
	}
	close(file);
	return result;
}
