// SPDX-License-Identifier: BSD-3-Clause
/* Reads the locations of static and thread-local variables. */
#include "dwarf/static_places.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/pool.h"

/* ---- thread-local memory ---- */

static void find_tls_segment(struct memphis_thread_symbols *symbols, Elf *elf)
{
	GElf_Phdr header;
	size_t count, i;

	if (elf_getphdrnum(elf, &count))
		return;
	for (i = 0; i < count && gelf_getphdr(elf, (int)i, &header); i++)
		if (header.p_type == PT_TLS) {
			symbols->low = header.p_vaddr;
			symbols->high = header.p_vaddr + header.p_memsz;
		}
}

bool memphis_thread_symbol_offset(const struct memphis_thread_symbols *symbols, Elf *elf, GElf_Sym *symbol)
{
	GElf_Shdr header;
	Elf_Scn *section;

	if (GELF_ST_TYPE(symbol->st_info) == STT_TLS)
		return true;
	section = symbol->st_shndx < SHN_LORESERVE ? elf_getscn(elf, symbol->st_shndx) : NULL;
	if (!section || !gelf_getshdr(section, &header) || !(header.sh_flags & SHF_TLS) ||
	    symbol->st_value < symbols->low || symbol->st_value >= symbols->high)
		return false;
	symbol->st_value -= symbols->low;
	return true;
}

static int add_symbol_table(struct memphis_thread_symbols *symbols, Elf *elf, Elf_Scn *section,
			    const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	struct memphis_thread_symbol *one;
	size_t count = data ? data->d_size / header->sh_entsize : 0, i;
	GElf_Sym symbol;

	for (i = 0; i < count && gelf_getsym(data, (int)i, &symbol); i++) {
		if (symbol.st_shndx == SHN_UNDEF || !symbol.st_size ||
		    !memphis_thread_symbol_offset(symbols, elf, &symbol))
			continue;
		one = memphis_append(symbols->list, symbols->count, symbols->room);
		if (!one)
			return -ENOMEM;
		*one = (struct memphis_thread_symbol){symbol.st_value, symbol.st_value + symbol.st_size,
						      elf_strptr(elf, header->sh_link, symbol.st_name)};
	}
	return 0;
}

int memphis_thread_symbols_add(struct memphis_thread_symbols *symbols, Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	int rc = 0;

	if (!elf)
		return 0;
	find_tls_segment(symbols, elf);
	while (!rc && (section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_entsize &&
		    (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM))
			rc = add_symbol_table(symbols, elf, section, &header);
	return rc;
}

void memphis_thread_symbols_close(struct memphis_thread_symbols *symbols)
{
	free(symbols->list);
	memset(symbols, 0, sizeof(*symbols));
}

/* How well the symbols support that a variable is at an offset. Later values are better. */
enum agreement { NO_SYMBOL, IN_SYMBOL, AT_SYMBOL, OF_NAME };

static enum agreement rate_agreement(const struct memphis_thread_symbols *symbols, uint64_t offset,
				     const char *name)
{
	const size_t bytes = strlen(name);
	enum agreement best = NO_SYMBOL, one;
	const char *other;
	size_t i;

	for (i = 0; i < symbols->count; i++) {
		other = symbols->list[i].name ? symbols->list[i].name : "";
		if (offset < symbols->list[i].low || offset >= symbols->list[i].high)
			continue;
		one = IN_SYMBOL;
		if (offset == symbols->list[i].low)
			one = !strncmp(other, name, bytes) && (!other[bytes] || other[bytes] == '.')
				      ? OF_NAME
				      : AT_SYMBOL;
		best = one > best ? one : best;
	}
	return best;
}

/*
 * Converts a value from .debug_addr to an offset in the TLS block. According to DWARF, and with most
 * compilers, the value is the offset. gcc 12 stores the address of the variable's initial contents instead.
 * The symbols show which one it is.
 */
static uint64_t tls_offset(const struct memphis_thread_symbols *symbols, uint64_t value, const char *name)
{
	const uint64_t offset = value - symbols->low;
	enum agreement as_address;

	if (value < symbols->low || value >= symbols->high)
		return value;
	as_address = rate_agreement(symbols, offset, name);
	return as_address && as_address >= rate_agreement(symbols, value, name) ? offset : value;
}

/* ---- locations ---- */

static bool is_address_operation(uint8_t atom)
{
	return atom == DW_OP_addr || atom == DW_OP_addrx || atom == DW_OP_GNU_addr_index;
}

/* Returns true if the operation pushes a constant, which is stored inline or in .debug_addr. TLS offsets are such constants. */
static bool is_constant_operation(uint8_t atom)
{
	return atom == DW_OP_const4u || atom == DW_OP_const8u || atom == DW_OP_constu ||
	       atom == DW_OP_constx || atom == DW_OP_GNU_const_index;
}

static bool is_tls_operation(uint8_t atom)
{
	return atom == DW_OP_form_tls_address || atom == DW_OP_GNU_push_tls_address;
}

static bool is_indexed_operation(uint8_t atom)
{
	return atom == DW_OP_addrx || atom == DW_OP_GNU_addr_index || atom == DW_OP_constx ||
	       atom == DW_OP_GNU_const_index;
}

struct reader {
	Dwarf_Attribute attribute;
	Dwarf_Op *ops;
	size_t count, at;
	const char *name;
	const struct memphis_thread_symbols *symbols;
};

/* Reads an address, and moves reader->at after it. Returns false if the operations are not an address. */
static bool read_address(struct reader *reader, struct memphis_static_place *place)
{
	Dwarf_Op *op = &reader->ops[reader->at];
	const size_t left = reader->count - reader->at;
	Dwarf_Attribute indirect;

	place->tls = left > 1 && is_tls_operation(op[1].atom);
	if (!is_address_operation(op->atom) && !(place->tls && is_constant_operation(op->atom)))
		return false;
	place->address = op->number;
	if (is_indexed_operation(op->atom)) {
		if (dwarf_getlocation_attr(&reader->attribute, op, &indirect) ||
		    (dwarf_formaddr(&indirect, &place->address) &&
		     dwarf_formudata(&indirect, &place->address)))
			return false;
		if (place->tls)
			place->address = tls_offset(reader->symbols, place->address, reader->name);
	}
	reader->at += 1 + (size_t)place->tls;
	if (reader->at < reader->count && reader->ops[reader->at].atom == DW_OP_plus_uconst)
		place->address += reader->ops[reader->at++].number;
	return true;
}

size_t memphis_static_places_read(Dwarf_Die *die, const struct memphis_thread_symbols *symbols,
				  struct memphis_static_place places[MEMPHIS_STATIC_PARTS_MAX])
{
	struct reader reader = {.symbols = symbols};
	struct memphis_static_place place;
	size_t found = 0;
	uint64_t part = 0;
	bool known;

	reader.name = dwarf_diename(die);
	if (!reader.name || !dwarf_attr_integrate(die, DW_AT_location, &reader.attribute) ||
	    dwarf_getlocation(&reader.attribute, &reader.ops, &reader.count))
		return 0;
	while (reader.at < reader.count && found < MEMPHIS_STATIC_PARTS_MAX) {
		known = read_address(&reader, &place);
		place.part = part;
		place.bytes = 0;
		if (known && reader.at == reader.count) {
			/* A location without a size after other parts is not valid. Ignore it. */
			if (part)
				break;
			places[found++] = place;
			break;
		}
		known &= reader.at < reader.count && reader.ops[reader.at].atom == DW_OP_piece;
		while (reader.at < reader.count && reader.ops[reader.at].atom != DW_OP_piece)
			reader.at++;
		if (reader.at == reader.count)
			break;
		place.bytes = reader.ops[reader.at++].number;
		part += place.bytes;
		if (known && place.bytes)
			places[found++] = place;
	}
	return found;
}
