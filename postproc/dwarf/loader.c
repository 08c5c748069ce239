// SPDX-License-Identifier: BSD-3-Clause
/* Reads relocations and the TLS segment (System V ABI, AMD64 supplement; "ELF Handling for Thread-Local Storage", Drepper). */
#include "dwarf/loader.h"

#include <errno.h>
#include <gelf.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/order.h"
#include "dwarf/demangle.h"

struct memphis_relocation {
	uint64_t vaddr;
	uint32_t type;
	bool known;         /* `value` is an address or TLS offset in this binary */
	uint64_t value;     /* value of the symbol (0 without a symbol) plus the addend */
	const char *symbol; /* name of the symbol, stored in the file; NULL without a symbol */
};

/* The symbols to which relocations refer. */
struct symbols {
	Elf_Data *data; /* NULL if there are none */
	size_t names;   /* index of the section that contains the names */
};

static struct symbols find_symbols(Elf *elf, const GElf_Shdr *relocations)
{
	Elf_Scn *scn = relocations->sh_link ? elf_getscn(elf, relocations->sh_link) : NULL;
	GElf_Shdr header;

	if (!scn || !gelf_getshdr(scn, &header) || header.sh_type != SHT_DYNSYM)
		return (struct symbols){0};
	return (struct symbols){elf_getdata(scn, NULL), header.sh_link};
}

static void add_relocation(struct memphis_binary *binary, const struct symbols *symbols,
			   const GElf_Rela *rela, size_t *room)
{
	struct memphis_relocation *one = memphis_append(binary->relocations, binary->relocation_count, *room);
	const size_t number = GELF_R_SYM(rela->r_info);
	GElf_Sym symbol = {0};
	bool found;

	if (!one)
		return;
	found = number && symbols->data && gelf_getsym(symbols->data, (int)number, &symbol);
	one->vaddr = rela->r_offset;
	one->type = (uint32_t)GELF_R_TYPE(rela->r_info);
	one->known = !number || (found && symbol.st_shndx != SHN_UNDEF);
	one->value = symbol.st_value + (uint64_t)rela->r_addend;
	one->symbol = found ? elf_strptr(binary->elf, symbols->names, symbol.st_name) : NULL;
}

static int compare_relocations(const void *a, const void *b)
{
	const struct memphis_relocation *one = a, *other = b;

	return memphis_order(one->vaddr, other->vaddr) ?: memphis_order(one->type, other->type);
}

/* Returns true if the binary is for x86-64. On other CPUs, the relocation types have other numbers. */
static bool is_x86_64(const struct memphis_binary *binary)
{
	GElf_Ehdr header;

	return binary->elf && gelf_getehdr(binary->elf, &header) && header.e_machine == EM_X86_64;
}

static void read_relocations(struct memphis_binary *binary)
{
	size_t room = 0, i, count;
	struct symbols symbols;
	Elf_Scn *scn = NULL;
	GElf_Shdr header;
	Elf_Data *data;
	GElf_Rela rela;

	while ((scn = elf_nextscn(binary->elf, scn))) {
		/* Skip sections that are not loaded. They have relocations for the linker (--emit-relocs). */
		if (!gelf_getshdr(scn, &header) || header.sh_type != SHT_RELA || !header.sh_entsize ||
		    !(header.sh_flags & SHF_ALLOC))
			continue;
		symbols = find_symbols(binary->elf, &header);
		data = elf_getdata(scn, NULL);
		count = data ? data->d_size / header.sh_entsize : 0;
		for (i = 0; i < count && gelf_getrela(data, (int)i, &rela); i++)
			add_relocation(binary, &symbols, &rela, &room);
	}
	memphis_sort(binary->relocations, binary->relocation_count, compare_relocations);
}

/* Returns the first relocation at `vaddr`, or NULL. Reads the relocations on the first call. */
static const struct memphis_relocation *find_relocation(struct memphis_binary *binary, uint64_t vaddr)
{
	const struct memphis_relocation *list;
	size_t at;

	if (!binary->relocations_tried && is_x86_64(binary))
		read_relocations(binary);
	binary->relocations_tried = true;
	list = binary->relocations;
	at = memphis_bisect(i, binary->relocation_count, list[i].vaddr < vaddr);
	return at < binary->relocation_count && list[at].vaddr == vaddr ? &list[at] : NULL;
}

static bool find_segment(const struct memphis_binary *binary, uint32_t type, GElf_Phdr *segment)
{
	size_t count, i;

	if (!binary->elf || elf_getphdrnum(binary->elf, &count))
		return false;
	for (i = 0; i < count; i++)
		if (gelf_getphdr(binary->elf, (int)i, segment) && segment->p_type == type)
			return true;
	return false;
}

/*
 * Returns true if the program cannot change the memory at `vaddr` after relocation. Other memory, such as
 * .data, is useless here: the initial value of a variable does not tell its later values.
 */
static bool is_constant_memory(const struct memphis_binary *binary, uint64_t vaddr)
{
	const int section = memphis_binary_section(binary, vaddr);
	GElf_Phdr relro;

	if (section >= 0 && !strncmp(binary->sections[section].name, "got", 3))
		return true;
	return find_segment(binary, PT_GNU_RELRO, &relro) && vaddr >= relro.p_vaddr &&
	       vaddr - relro.p_vaddr < relro.p_memsz;
}

/*
 * Reads the offset of a thread-local variable. It is stored after the module number, as a relocation, or as a
 * constant if the linker knows it.
 */
static bool read_tls_index(struct memphis_binary *binary, const struct memphis_relocation *module,
			   uint64_t *offset)
{
	const struct memphis_relocation *one = find_relocation(binary, module->vaddr + 8);

	if (one && one->type == R_X86_64_DTPOFF64) {
		*offset = one->value;
		return one->known;
	}
	return !one && memphis_binary_read(binary, module->vaddr + 8, offset, 8) == 8;
}

bool memphis_loader_slot(struct memphis_binary *binary, uint64_t vaddr, struct memphis_slot *slot)
{
	const struct memphis_relocation *one = find_relocation(binary, vaddr);

	if (!one || !one->known || !is_constant_memory(binary, vaddr))
		return false;
	slot->value = one->value;
	switch (one->type) {
	case R_X86_64_RELATIVE:
	case R_X86_64_GLOB_DAT:
	case R_X86_64_64:
		slot->kind = MEMPHIS_SLOT_ADDRESS;
		return one->value != 0;
	case R_X86_64_TPOFF64:
		slot->kind = MEMPHIS_SLOT_THREAD_DISTANCE;
		return true;
	case R_X86_64_TLSDESC:
		slot->kind = MEMPHIS_SLOT_THREAD_DESCRIPTOR;
		return true;
	case R_X86_64_DTPMOD64:
		slot->kind = MEMPHIS_SLOT_THREAD_INDEX;
		return read_tls_index(binary, one, &slot->value);
	}
	return false;
}

/*
 * Returns the symbol whose address the loader stores at `vaddr`, an entry of the global offset table. Returns
 * NULL if it is unknown. The name is mangled, and valid as long as the binary. The symbol may belong to
 * another binary. The caller must hold binary->lock.
 */
static const char *relocation_symbol(struct memphis_binary *binary, uint64_t vaddr)
{
	const struct memphis_relocation *one = find_relocation(binary, vaddr);

	if (!one || (one->type != R_X86_64_JUMP_SLOT && one->type != R_X86_64_GLOB_DAT))
		return NULL;
	return one->symbol && *one->symbol ? one->symbol : NULL;
}

/*
 * Returns true if the binary is a program. A position-independent program has the flag DF_1_PIE. For all
 * programs, the linker computes the offsets of thread-local variables.
 */
static bool is_program(const struct memphis_binary *binary)
{
	Elf_Scn *scn = NULL;
	GElf_Ehdr header;
	GElf_Shdr section;
	Elf_Data *data;
	GElf_Dyn entry;
	size_t i, count;

	if (!gelf_getehdr(binary->elf, &header))
		return false;
	while (header.e_type == ET_DYN && (scn = elf_nextscn(binary->elf, scn))) {
		if (!gelf_getshdr(scn, &section) || section.sh_type != SHT_DYNAMIC || !section.sh_entsize)
			continue;
		data = elf_getdata(scn, NULL);
		count = data ? data->d_size / section.sh_entsize : 0;
		for (i = 0; i < count && gelf_getdyn(data, (int)i, &entry) && entry.d_tag != DT_NULL; i++)
			if (entry.d_tag == DT_FLAGS_1 && entry.d_un.d_val & DF_1_PIE)
				return true;
	}
	return header.e_type == ET_EXEC;
}

bool memphis_loader_thread_pointer(const struct memphis_binary *binary, uint64_t *distance)
{
	GElf_Phdr segment;

	if (!is_x86_64(binary) || !find_segment(binary, PT_TLS, &segment) || !is_program(binary))
		return false;
	*distance = segment.p_memsz;
	if (segment.p_align > 1)
		*distance += -(segment.p_vaddr + segment.p_memsz) & (segment.p_align - 1);
	return true;
}

/*
 * ---- names of imported functions, from the relocations of the global offset table ----
 *
 * See System V ABI, AMD64 supplement, 4.4 and 5.2. Recognizes the stubs of GNU ld, lld and mold, with and
 * without indirect branch tracking.
 */

#define STUB_BYTES 20 /* length of the longest stub, up to the end of its jump */

static uint64_t relative_target(uint64_t end, const uint8_t *displacement)
{
	int32_t distance;

	memcpy(&distance, displacement, sizeof(distance));
	return end + (uint64_t)(int64_t)distance;
}

/* Skips these bytes if the code at *at begins with them. Returns true if it does. */
static bool skip_bytes(const uint8_t **at, const uint8_t *end, const void *bytes, size_t count)
{
	if ((size_t)(end - *at) < count || memcmp(*at, bytes, count) != 0)
		return false;
	*at += count;
	return true;
}

/*
 * Returns the address of the word through which a stub jumps, or 0. A stub is
 * [endbr64] [mov $index, %r11d] [bnd] jmp *word(%rip)
 */
static uint64_t find_word_of_stub(struct memphis_binary *binary, uint64_t stub)
{
	const int section = memphis_binary_section(binary, stub);
	const uint8_t *at, *end;
	uint8_t code[STUB_BYTES];

	if (section < 0 || strncmp(binary->sections[section].name, "plt", 3) != 0)
		return 0;
	at = code;
	end = code + memphis_binary_read(binary, stub, code, sizeof(code));
	skip_bytes(&at, end, "\xf3\x0f\x1e\xfa", 4);
	if (end - at >= 6 && skip_bytes(&at, end, "\x41\xbb", 2))
		at += 4;
	skip_bytes(&at, end, "\xf2", 1);
	if (!skip_bytes(&at, end, "\xff\x25", 2) || end - at < 4)
		return 0;
	return relative_target(stub + (uint64_t)(at + 4 - code), at);
}

/*
 * Returns the link-time address of the word through which the call at `vaddr` goes, directly or by a stub.
 * Returns 0 for other calls.
 */
static uint64_t find_word_of_call(struct memphis_binary *binary, uint64_t vaddr)
{
	uint8_t code[6];
	const size_t bytes = memphis_binary_read(binary, vaddr, code, sizeof(code));

	if (bytes >= 5 && code[0] == 0xe8)
		return find_word_of_stub(binary, relative_target(vaddr + 5, code + 1));
	if (bytes == 6 && code[0] == 0xff && code[1] == 0x15)
		return relative_target(vaddr + 6, code + 2);
	return 0;
}

char *memphis_import_find_by_call(struct memphis_binary *binary, uint64_t vaddr)
{
	const uint64_t word = find_word_of_call(binary, vaddr);
	const char *symbol;
	char *clear;

	if (!word)
		return NULL;
	pthread_mutex_lock(&binary->lock);
	symbol = relocation_symbol(binary, word);
	pthread_mutex_unlock(&binary->lock);
	if (!symbol)
		return NULL;
	clear = memphis_demangle_function(symbol, NULL);
	return clear ? clear : strdup(symbol);
}
