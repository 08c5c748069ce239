// SPDX-License-Identifier: BSD-3-Clause
/* Part of make_samples: maps, symbols, source lines and calls of a real program. */
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "make_samples.h"

void object_open(struct object *object, const char *name, const char *path, uint64_t base)
{
	GElf_Phdr segment;
	size_t count, i;

	memset(object, 0, sizeof(*object));
	snprintf(object->name, sizeof(object->name), "%s", name);
	snprintf(object->path, sizeof(object->path), "%s", path);
	elf_version(EV_CURRENT);
	object->fd = open(path, O_RDONLY);
	object->elf = elf_begin(object->fd, ELF_C_READ, NULL);
	if (!object->elf || elf_getphdrnum(object->elf, &count))
		die("not an ELF file", path);
	object->dwarf = dwarf_begin_elf(object->elf, DWARF_C_READ, NULL);
	for (i = 0; base && i < count; i++)
		if (gelf_getphdr(object->elf, (int)i, &segment) && segment.p_type == PT_LOAD) {
			object->bias = base - (segment.p_vaddr & ~4095ULL);
			break;
		}
}

void object_close(struct object *object)
{
	if (object->dwarf)
		dwarf_end(object->dwarf);
	elf_end(object->elf);
	close(object->fd);
}

static void print_build_id(const struct object *object, FILE *to)
{
	const void *id;
	ssize_t bytes = dwelf_elf_gnu_build_id(object->elf, &id), i;

	if (bytes <= 0)
		fputc('-', to);
	for (i = 0; i < bytes; i++)
		fprintf(to, "%02x", ((const unsigned char *)id)[i]);
}

/* Writes the maps as the kernel lists them once the object is loaded; .bss continues as an anonymous map. */
void object_maps(const struct object *object, FILE *to)
{
	size_t count, i;
	GElf_Phdr segment;
	uint64_t start, end, last;

	elf_getphdrnum(object->elf, &count);
	for (i = 0; i < count; i++) {
		if (!gelf_getphdr(object->elf, (int)i, &segment) || segment.p_type != PT_LOAD)
			continue;
		start = (segment.p_vaddr & ~4095ULL) + object->bias;
		end = ((segment.p_vaddr + segment.p_filesz + 4095) & ~4095ULL) + object->bias;
		last = ((segment.p_vaddr + segment.p_memsz + 4095) & ~4095ULL) + object->bias;
		fprintf(to, "0x%llx 0x%llx %c%c%cp 0x%llx ", (unsigned long long)start,
			(unsigned long long)end, segment.p_flags & PF_R ? 'r' : '-',
			segment.p_flags & PF_W ? 'w' : '-', segment.p_flags & PF_X ? 'x' : '-',
			(unsigned long long)(segment.p_offset & ~4095ULL));
		print_build_id(object, to);
		fprintf(to, " %s\n", object->path);
		if (last > end)
			fprintf(to, "0x%llx 0x%llx rw-p 0x0 - \n", (unsigned long long)end,
				(unsigned long long)last);
	}
}

static uint64_t symbol_address(const struct object *object, const char *wanted)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr header;
	GElf_Sym symbol;
	Elf_Data *data;
	const char *name;
	size_t i;

	while ((scn = elf_nextscn(object->elf, scn))) {
		if (!gelf_getshdr(scn, &header) || header.sh_type != SHT_SYMTAB)
			continue;
		data = elf_getdata(scn, NULL);
		for (i = 0; gelf_getsym(data, (int)i, &symbol); i++) {
			name = elf_strptr(object->elf, header.sh_link, symbol.st_name);
			if (name && !strcmp(name, wanted) && symbol.st_shndx != SHN_UNDEF)
				return symbol.st_value + object->bias;
		}
	}
	die("no such symbol", wanted);
}

/*
 * Returns the size of the call instruction, or 0 if there is none. Recognises calls of a near address and through a word in memory (call
 * *word(%rip)), in which the distance has at most 24 bits: other bytes are hardly taken for one.
 */
static size_t call_bytes(const unsigned char *code, size_t left)
{
	size_t opcode = code[0] == 0xe8 ? 1 : left >= 6 && code[0] == 0xff && code[1] == 0x15 ? 2 : 0;

	return opcode && left >= opcode + 4 && (code[opcode + 3] == 0 || code[opcode + 3] == 0xff)
		       ? opcode + 4
		       : 0;
}

static uint64_t read_call(const struct object *object, uint64_t from, uint64_t to, unsigned int *skip)
{
	unsigned char code[65536];
	GElf_Phdr segment;
	size_t count, i, at, bytes = to - from;

	elf_getphdrnum(object->elf, &count);
	for (i = 0; i < count; i++) {
		if (!gelf_getphdr(object->elf, (int)i, &segment) || segment.p_type != PT_LOAD ||
		    from < segment.p_vaddr || to > segment.p_vaddr + segment.p_filesz || bytes > sizeof(code))
			continue;
		if (pread(object->fd, code, bytes, (off_t)(segment.p_offset + from - segment.p_vaddr)) !=
		    (ssize_t)bytes)
			die("cannot read", object->path);
		for (at = 0; at < bytes; at++) {
			size_t call = call_bytes(code + at, bytes - at);

			if (call && !--*skip)
				return from + at + call;
		}
	}
	return 0;
}

static int is_line(Dwarf_Line *line, const char *file, int wanted)
{
	const char *path = dwarf_linesrc(line, NULL, NULL), *slash = path ? strrchr(path, '/') : NULL;
	int number;

	return path && !strcmp(slash ? slash + 1 : path, file) && !dwarf_lineno(line, &number) &&
	       number == wanted;
}

/* Returns the first address of the line if `nth` is 0, otherwise the return address of its nth call. */
static uint64_t line_address(const struct object *object, const char *file, int wanted, unsigned int nth)
{
	Dwarf_Off offset = 0, next;
	Dwarf_Lines *lines;
	Dwarf_Addr from, to;
	Dwarf_Die unit;
	uint64_t found = 0;
	size_t header, count, i;
	Dwarf_Line *line;

	while (object->dwarf && !dwarf_nextcu(object->dwarf, offset, &next, &header, NULL, NULL, NULL)) {
		if (dwarf_offdie(object->dwarf, offset + header, &unit) &&
		    !dwarf_getsrclines(&unit, &lines, &count))
			for (i = 0; i + 1 < count; i++) {
				line = dwarf_onesrcline(lines, i);
				if (!is_line(line, file, wanted) || dwarf_lineaddr(line, &from) ||
				    dwarf_lineaddr(dwarf_onesrcline(lines, i + 1), &to))
					continue;
				if (!nth && (!found || from < found))
					found = from;
				if (nth && !found)
					found = read_call(object, from, to, &nth);
				if (!found && !nth)
					return 0;
			}
		offset = next;
	}
	return found;
}

uint64_t object_address(const struct object *object, char kind, const char *what)
{
	char file[256];
	const char *colon = strchr(what, ':'), *hash = strchr(what, '#');
	uint64_t address;

	if (kind == '!')
		return symbol_address(object, what);
	if (!colon)
		die("FILE:LINE expected", what);
	snprintf(file, sizeof(file), "%.*s", (int)(colon - what), what);
	address = line_address(object, file, atoi(colon + 1),
			       kind == '^' ? (hash ? (unsigned int)atoi(hash + 1) : 1) : 0);
	if (!address)
		die("no code for", what);
	return address + object->bias;
}
