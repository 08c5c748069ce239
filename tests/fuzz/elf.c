// SPDX-License-Identifier: BSD-3-Clause
/*
 * Fuzzes the reading of ELF and DWARF: sections, symbols, variables, locals in frames and their fields, functions, inlined calls,
 * lines, call frame information and machine code. The input is a program or library.
 */
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "dwarf/pointer_variables.h"
#include "dwarf/loader.h"
#include "dwarf/locals.h"
#include "dwarf/pointer_places.h"
#include "dwarf/symbols.h"
#include "dwarf/type/types.h"
#include "dwarf/variables.h"
#include "name/value_flow.h"

#define STEPS 48 /* addresses that are looked up in each segment */

/* Reads the file's build-id, as a recording would: only a file with the recorded build-id is accepted. */
static void build_id(const char *path, char hex[129])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	const void *id = NULL;
	Elf *elf;
	ssize_t bytes, i;

	*hex = 0;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	bytes = elf ? dwelf_elf_gnu_build_id(elf, &id) : 0;
	for (i = 0; i < bytes && i < 64; i++)
		sprintf(hex + i * 2, "%02x", ((const unsigned char *)id)[i]);
	elf_end(elf);
	close(fd);
}

static void visit(void *count, uint64_t from, uint64_t to, unsigned int line)
{
	(void)line;
	if (from >= to)
		abort();
	++*(size_t *)count;
}

static void ask_code(struct memphis_binaries *binaries, struct memphis_binary *binary, uint64_t vaddr)
{
	struct memphis_location location;
	size_t i, characters = 0, stretches = 0;

	if (memphis_symbols_find(binaries, binary, vaddr, &location))
		return;
	if (!location.count || location.count > MEMPHIS_FRAMES_MAX)
		abort();
	/* Read all names, so that the sanitizer catches invalid ones. */
	for (i = 0; i < location.count; i++) {
		characters += location.frames[i].function ? strlen(location.frames[i].function) : 0;
		characters += location.frames[i].path ? strlen(location.frames[i].path) : 0;
	}
	if (characters && location.frames[0].path) {
		memphis_symbols_visit_lines(binaries, binary, location.function_low, location.function_high,
					    location.frames[0].path, visit, &stretches);
	}
}

static void ask_member(Dwarf_Die *type, bool fortran, bool block, uint64_t offset)
{
	struct memphis_field field = {0};

	if (type->addr && !memphis_type_member(type, fortran, block, offset, &field))
		memphis_field_close(&field);
}

static void ask_holder(struct memphis_binaries *binaries, struct memphis_binary *binary, uint64_t vaddr)
{
	struct memphis_pointer_variable holder = {0}, inner = {0};
	uint64_t offset;

	memphis_pointer_variable_find(binaries, binary, vaddr, vaddr & 8, &holder);
	if ((holder.rank == MEMPHIS_POINTER_NONE) != !holder.name)
		abort();
	for (offset = 0; holder.name && offset < 64; offset += 16) {
		ask_member(&holder.element, holder.fortran, true, offset);
		memphis_pointer_variable_find_in_block(&holder, offset, 4096, &inner);
		memphis_pointer_variable_close(&inner);
	}
	memphis_pointer_variable_close(&holder);
}

static void ask_data(struct memphis_binaries *binaries, struct memphis_binary *binary, uint64_t vaddr)
{
	const struct memphis_variables *variables = memphis_variables_of(binaries, binary);
	const struct memphis_static *found[2];
	Dwarf_Die die, type;
	size_t i;

	ask_holder(binaries, binary, vaddr);
	if (!variables)
		return;
	found[0] = memphis_variables_find(variables, vaddr);
	found[1] = memphis_variables_find_tls(variables, vaddr & 0xff);
	for (i = 0; i < 2; i++) {
		if (!found[i] || !found[i]->die.addr)
			continue;
		die = found[i]->die;
		if (memphis_type_of(&die, &type))
			ask_member(&type, found[i]->fortran, false, i ? vaddr & 0xff : vaddr - found[i]->low);
	}
}

/* Looks up locals in a frame of the function; its end pc may differ from its pc. */
static void ask_frame(struct memphis_binaries *binaries, struct memphis_binary *binary, uint64_t vaddr)
{
	struct memphis_frame_place frame = {.cfa = 0x1000,
					    .bp = 0xff0,
					    .sp = 0xf00,
					    .bp_known = true,
					    .sp_known = true,
					    .pc = vaddr + 1,
					    .end_pc = vaddr + 1};
	const struct memphis_local *local;
	uint64_t address, low, high;
	Dwarf_Die die, type;
	uint32_t number;

	frame.end_pc += vaddr & 0x10;
	for (address = 0xe80; address < 0x1080; address += 24) {
		number = memphis_locals_find(binaries, binary, &frame, address, &low, &high);
		if (number == MEMPHIS_NO_LOCAL)
			continue;
		if (address < low || address - low >= high - low)
			abort();
		local = memphis_local_of(binary, number);
		die = local->die;
		if (local->name && memphis_type_of(&die, &type))
			ask_member(&type, address & 8, false, address - low);
	}
}

static void take_found(void *context, const struct memphis_variable_place *found, uint64_t part)
{
	const struct memphis_pointer_places *places = context;
	struct memphis_pointer_variable holder;

	memphis_pointer_places_find_holder(places, found->variable, found->behind, part, &holder);
	memphis_pointer_variable_close(&holder);
}

static bool take_step(void *context, const struct memphis_flow_step *step)
{
	size_t i;

	for (i = 0; i < step->count; i++)
		memphis_pointer_places_find(context, step->vaddr, &step->cfa, &step->places[i], take_found,
					    context);
	return false;
}

static void take_store(void *context, uint64_t vaddr, uint64_t slot)
{
	(void)context;
	(void)vaddr;
	(void)slot;
}

/* Follows a value from the instruction as if a call returned there, and looks up the variables that get it. */
static void ask_flow(struct memphis_binaries *binaries, struct memphis_binary *binary, uint64_t vaddr)
{
	struct memphis_pointer_places places;
	const struct memphis_flow_visitor visitor = {&places, take_step, take_store};
	uint64_t bytes;
	size_t i;

	if (!memphis_pointer_places_read(binaries, binary, vaddr, false, &places)) {
		memphis_value_flow(binaries, binary, vaddr, vaddr & ~0xfffull, vaddr + 0x800, &visitor);
		for (i = 0; i < places.variable_count && i < STEPS; i++)
			memphis_pointer_places_find_bytes(&places, i, &bytes);
	}
	memphis_pointer_places_close(&places);
}

static void ask(struct memphis_binaries *binaries, struct memphis_binary *binary)
{
	const struct memphis_variables *variables = memphis_variables_of(binaries, binary);
	const struct memphis_segment *segment;
	uint64_t vaddr, bytes;
	uint8_t code[16];
	size_t i, j;

	for (i = 0; variables && i < variables->count && i < 4 * STEPS; i++) {
		bytes = variables->list[i].high - variables->list[i].low;
		for (j = 0; j < 4; j++)
			ask_data(binaries, binary, variables->list[i].low + bytes / 4 * j);
	}
	for (i = 0; i < binary->segment_count && i < 16; i++) {
		segment = &binary->segments[i];
		bytes = segment->memory_bytes / STEPS + 1;
		for (j = 0, vaddr = segment->vaddr; j < STEPS; j++, vaddr += bytes) {
			memphis_binary_section(binary, vaddr);
			memphis_binary_read(binary, vaddr, code, sizeof(code));
			free(memphis_import_find_by_call(binary, vaddr));
			if (segment->flags & PF_X) {
				ask_code(binaries, binary, vaddr);
				ask_frame(binaries, binary, vaddr);
				ask_flow(binaries, binary, vaddr);
			} else {
				ask_data(binaries, binary, vaddr);
			}
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct memphis_binaries binaries = {0};
	struct memphis_binary *binary;
	char hex[129];
	const char *path;
	uint32_t number;

	path = fuzz_file(0, data, size);
	build_id(path, hex);
	number = memphis_binaries_add(&binaries, path, hex);
	if (number != MEMPHIS_NO_BINARY) {
		binary = binaries.list[number];
		if (binary->elf)
			ask(&binaries, binary);
	}
	for (number = 0; number < binaries.count; number++) {
		memphis_locals_close(binaries.list[number]);
		memphis_variables_close(binaries.list[number]);
		memphis_symbols_close(binaries.list[number]);
	}
	memphis_binaries_close(&binaries);
	return 0;
}
