// SPDX-License-Identifier: BSD-3-Clause
/* Reads a debug binary for the generator of sample files: its functions, objects and segments. */
#include "program.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTION_BYTES_MIN 64 /* smaller functions have no loop */

void bench_die(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	exit(1);
}

void *bench_more(void *array, size_t count, size_t element_bytes)
{
	/* The room is doubled when the count is a power of two. */
	if (count & (count - 1))
		return array;
	array = realloc(array, (count ? count * 2 : 1) * element_bytes);
	if (!array)
		bench_die("out of memory");
	return array;
}

static void add(struct bench_range **list, size_t *count, uint64_t start, uint64_t bytes)
{
	*list = bench_more(*list, *count, sizeof(**list));
	(*list)[(*count)++] = (struct bench_range){start, bytes};
}

static void read_symbols(struct bench_program *program, Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	GElf_Sym symbol;
	Elf_Data *data;
	int i;

	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB)
			continue;
		data = elf_getdata(section, NULL);
		for (i = 0; data && gelf_getsym(data, i, &symbol); i++) {
			if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= SHN_LORESERVE)
				continue;
			if (GELF_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_size >= FUNCTION_BYTES_MIN)
				add(&program->functions, &program->function_count, symbol.st_value,
				    symbol.st_size);
			else if (GELF_ST_TYPE(symbol.st_info) == STT_OBJECT && symbol.st_size >= 4096)
				add(&program->arrays, &program->array_count, symbol.st_value, symbol.st_size);
			else if (GELF_ST_TYPE(symbol.st_info) == STT_OBJECT && symbol.st_size == 8)
				add(&program->pointers, &program->pointer_count, symbol.st_value,
				    symbol.st_size);
		}
	}
}

static void read_segments(struct bench_program *program, Elf *elf)
{
	struct bench_segment *segment;
	GElf_Phdr header;
	size_t count, i;

	if (elf_getphdrnum(elf, &count))
		bench_die("%s: no program headers", program->path);
	for (i = 0; i < count && program->segment_count < 16; i++) {
		if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_LOAD)
			continue;
		segment = &program->segments[program->segment_count++];
		segment->vaddr = header.p_vaddr;
		segment->offset = header.p_offset;
		segment->file_bytes = header.p_filesz;
		segment->memory_bytes = header.p_memsz;
		snprintf(segment->permissions, sizeof(segment->permissions), "%c%c%cp",
			 header.p_flags & PF_R ? 'r' : '-', header.p_flags & PF_W ? 'w' : '-',
			 header.p_flags & PF_X ? 'x' : '-');
	}
}

void bench_program_read(struct bench_program *program, const char *path)
{
	const void *id = NULL;
	ssize_t bytes, i;
	Elf *elf;
	int fd = open(path, O_RDONLY);

	memset(program, 0, sizeof(*program));
	program->path = realpath(path, NULL);
	elf_version(EV_CURRENT);
	elf = fd < 0 || !program->path ? NULL : elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (!elf)
		bench_die("%s: cannot read", path);
	bytes = dwelf_elf_gnu_build_id(elf, &id);
	for (i = 0; i < bytes && i < 64; i++)
		sprintf(program->build_id + 2 * i, "%02x", ((const unsigned char *)id)[i]);
	read_symbols(program, elf);
	read_segments(program, elf);
	if (bytes <= 0 || !program->function_count || !program->array_count)
		bench_die("%s: no build-id, functions or arrays", path);
	elf_end(elf);
}
