// SPDX-License-Identifier: BSD-3-Clause
/*
 * Names of imported functions, from the relocations of the global offset table (System V ABI, AMD64 supplement, 4.4 and 5.2). The
 * forms of stubs are those of GNU ld, lld and mold, with and without indirect branch tracking.
 */
#include "dwarf/imports.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "dwarf/demangle.h"

#define STUB_BYTES 20 /* up to the end of the jump of the longest stub */

struct memphis_import {
	uint64_t word;
	const char *symbol;
	char *clear; /* demangled name; NULL: not mangled, or not asked for yet */
	bool asked;
};

static int compare_imports(const void *a, const void *b)
{
	const struct memphis_import *x = a, *y = b;

	return x->word < y->word ? -1 : x->word > y->word;
}

/* Adds the relocations of a section that name a function or variable of any object. */
static void add_section(struct memphis_imports *imports, Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Scn *symbols = elf_getscn(elf, header->sh_link);
	Elf_Data *data = elf_getdata(section, NULL), *table = symbols ? elf_getdata(symbols, NULL) : NULL;
	struct memphis_import *import;
	GElf_Shdr symbols_header;
	const char *name;
	GElf_Rela rela;
	GElf_Sym symbol;
	size_t count, i;

	if (!data || !table || !gelf_getshdr(symbols, &symbols_header) ||
	    symbols_header.sh_type != SHT_DYNSYM)
		return;
	count = header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
	for (i = 0; i < count && i < INT32_MAX && gelf_getrela(data, (int)i, &rela); i++) {
		if (GELF_R_TYPE(rela.r_info) != R_X86_64_JUMP_SLOT &&
		    GELF_R_TYPE(rela.r_info) != R_X86_64_GLOB_DAT)
			continue;
		if (!gelf_getsym(table, (int)GELF_R_SYM(rela.r_info), &symbol))
			continue;
		name = elf_strptr(elf, symbols_header.sh_link, symbol.st_name);
		if (!name || !*name)
			continue;
		import = memphis_append(imports->list, imports->count, imports->room);
		if (!import)
			return;
		*import = (struct memphis_import){.word = rela.r_offset, .symbol = name};
	}
}

static struct memphis_imports *imports_of(struct memphis_binary *binary)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	if (binary->imports)
		return binary->imports;
	binary->imports = calloc(1, sizeof(*binary->imports));
	if (!binary->imports)
		return NULL;
	while (binary->elf && (section = elf_nextscn(binary->elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_RELA)
			add_section(binary->imports, binary->elf, section, &header);
	if (binary->imports->count)
		qsort(binary->imports->list, binary->imports->count, sizeof(*binary->imports->list),
		      compare_imports);
	return binary->imports;
}

static const char *name_of_word(struct memphis_binary *binary, uint64_t word)
{
	const struct memphis_imports *imports = imports_of(binary);
	const struct memphis_import key = {.word = word};
	struct memphis_import *found = NULL;

	if (imports && imports->count)
		found = bsearch(&key, imports->list, imports->count, sizeof(key), compare_imports);
	if (!found)
		return NULL;
	if (!found->asked) {
		found->clear = memphis_demangle(found->symbol);
		if (!found->clear)
			found->clear = memphis_demangle_procedure(found->symbol);
	}
	found->asked = true;
	return found->clear ? found->clear : found->symbol;
}

static uint64_t relative(uint64_t end, const uint8_t *displacement)
{
	int32_t distance;

	memcpy(&distance, displacement, sizeof(distance));
	return end + (uint64_t)(int64_t)distance;
}

/* Returns whether the bytes at *at begin with these, and skips them. */
static bool skip(const uint8_t **at, const uint8_t *end, const void *bytes, size_t count)
{
	if ((size_t)(end - *at) < count || memcmp(*at, bytes, count) != 0)
		return false;
	*at += count;
	return true;
}

/*
 * Returns the word through which a stub jumps, or 0:
 *	[endbr64] [mov $index, %r11d] [bnd] jmp *word(%rip)
 */
static uint64_t word_of_stub(struct memphis_binary *binary, uint64_t stub)
{
	const int section = memphis_binary_section(binary, stub);
	const uint8_t *at, *end;
	uint8_t code[STUB_BYTES];

	if (section < 0 || strncmp(binary->sections[section].name, "plt", 3) != 0)
		return 0;
	at = code;
	end = code + memphis_binary_read(binary, stub, code, sizeof(code));
	skip(&at, end, "\xf3\x0f\x1e\xfa", 4);
	if (end - at >= 6 && skip(&at, end, "\x41\xbb", 2))
		at += 4;
	skip(&at, end, "\xf2", 1);
	if (!skip(&at, end, "\xff\x25", 2) || end - at < 4)
		return 0;
	return relative(stub + (uint64_t)(at + 4 - code), at);
}

const char *memphis_import_of_call(struct memphis_binary *binary, uint64_t vaddr)
{
	uint8_t code[6];
	const size_t bytes = memphis_binary_read(binary, vaddr, code, sizeof(code));
	uint64_t word = 0;

	if (bytes >= 5 && code[0] == 0xe8)
		word = word_of_stub(binary, relative(vaddr + 5, code + 1));
	else if (bytes == 6 && code[0] == 0xff && code[1] == 0x15)
		word = relative(vaddr + 6, code + 2);
	return word ? name_of_word(binary, word) : NULL;
}

void memphis_imports_close(struct memphis_binary *binary)
{
	struct memphis_imports *imports = binary->imports;
	size_t i;

	for (i = 0; imports && i < imports->count; i++)
		free(imports->list[i].clear);
	if (imports)
		free(imports->list);
	free(imports);
	binary->imports = NULL;
}
