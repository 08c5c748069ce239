// SPDX-License-Identifier: BSD-3-Clause
/*
 * Part of the fuzzer of ELF and DWARF: mostly changes the content of sections of symbols and debug information, in place.
 */
#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "fuzz.h"

/* Returns whether the post-processor reads the section; others are not changed this way. */
static bool is_read(const char *name)
{
	static const char *const others[] = {".text", ".rodata", ".eh_frame", ".comment", ".data", ".plt"};
	size_t i;

	for (i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (!strncmp(name, others[i], strlen(others[i])))
			return false;
	return true;
}

static bool choose_section(const uint8_t *data, size_t size, Elf64_Shdr *chosen)
{
	Elf64_Ehdr head;
	Elf64_Shdr section, names;
	size_t at, i, seen = 0;
	char name[32] = "";

	if (size < sizeof(head))
		return false;
	memcpy(&head, data, sizeof(head));
	at = head.e_shoff + (size_t)head.e_shstrndx * sizeof(names);
	if (head.e_shoff >= size || at >= size || size - at < sizeof(names))
		return false;
	memcpy(&names, data + at, sizeof(names));
	for (i = 0; i < head.e_shnum; i++) {
		at = head.e_shoff + i * sizeof(section);
		if (at >= size || size - at < sizeof(section))
			break;
		memcpy(&section, data + at, sizeof(section));
		if (section.sh_type == SHT_NOBITS || !section.sh_size || section.sh_offset >= size ||
		    section.sh_size > size - section.sh_offset)
			continue;
		at = names.sh_offset + section.sh_name;
		if (names.sh_offset < size && at < size)
			snprintf(name, sizeof(name), "%.*s", (int)(size - at < 31 ? size - at : 31),
				 (const char *)data + at);
		if (is_read(name) && !fuzz_below(++seen))
			*chosen = section;
	}
	return seen != 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	Elf64_Shdr section;
	uint32_t reference;
	Elf64_Ehdr head;
	size_t at;

	fuzz_seed(seed);
	if (!fuzz_below(64) || !choose_section(data, size, &section))
		return LLVMFuzzerMutate(data, size, max_size);
	if (!fuzz_below(12)) {
		/* Change the tables of sections and segments. */
		memcpy(&head, data, sizeof(head));
		if (fuzz_below(2) && head.e_shoff < size)
			LLVMFuzzerMutate(data + head.e_shoff, size - head.e_shoff, size - head.e_shoff);
		else if (size > 1024)
			LLVMFuzzerMutate(data + 16, 1008, 1008);
		return size;
	}
	if (section.sh_size > 16 && !fuzz_below(4)) {
		/* Change a DWARF reference to another offset, or to its own entry. */
		at = 12 + fuzz_below(section.sh_size - 16);
		reference = (uint32_t)(fuzz_below(2) ? fuzz_below(section.sh_size) : at - fuzz_below(12));
		memcpy(data + section.sh_offset + at, &reference, sizeof(reference));
		return size;
	}
	LLVMFuzzerMutate(data + section.sh_offset, section.sh_size, section.sh_size);
	return size;
}
