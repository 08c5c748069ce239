// SPDX-License-Identifier: BSD-3-Clause
/* Reads the rule for the CFA from .eh_frame, or from .debug_frame if the code is not in .eh_frame. */
#include "dwarf/cfa.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/*
 * Reads the ranges of the entries of .eh_frame (Linux Standard Base 5.0, Core, 10.6). libdw finds the rules of an instruction
 * there, but does not tell the range of the entry.
 */

#define SECTION_BYTES_MAX (256u << 20)

struct memphis_fde {
	uint64_t low, high;
};

/* Reads a section from its begin. A read beyond the end sets `failed`; all later reads then return 0. */
struct cursor {
	const uint8_t *at, *end;
	bool failed;
};

static uint64_t take(struct cursor *cursor, size_t bytes)
{
	uint64_t value = 0;

	if (cursor->failed || (size_t)(cursor->end - cursor->at) < bytes) {
		cursor->failed = true;
		return 0;
	}
	memcpy(&value, cursor->at, bytes);
	cursor->at += bytes;
	return value;
}

static uint64_t take_leb128(struct cursor *cursor)
{
	uint64_t value = 0, byte;
	unsigned int shift = 0;

	do {
		byte = take(cursor, 1);
		if (shift < 64)
			value |= (byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	return value;
}

/* Returns the size of a pointer with this encoding; 0 if it is not supported. */
static size_t pointer_bytes(unsigned int encoding)
{
	switch (encoding & 0xf) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		return 8;
	case DW_EH_PE_udata4:
	case DW_EH_PE_sdata4:
		return 4;
	}
	return 0;
}

static uint64_t take_pointer(struct cursor *cursor, unsigned int encoding)
{
	const uint64_t value = take(cursor, pointer_bytes(encoding));

	return (encoding & 0xf) == DW_EH_PE_sdata4 ? (uint64_t)(int64_t)(int32_t)value : value;
}

/* Returns the encoding of the pointers in the FDEs of the common information entry (CIE), or DW_EH_PE_omit if it is unknown. */
static unsigned int encoding_of(const uint8_t *cie, const uint8_t *end)
{
	struct cursor cursor = {.at = cie + 8, .end = end};
	const uint64_t version = take(&cursor, 1);
	const char *augmentation = (const char *)cursor.at;
	unsigned int skipped;

	while (take(&cursor, 1))
		;
	if (cursor.failed)
		return DW_EH_PE_omit;
	if (*augmentation != 'z')
		return *augmentation ? DW_EH_PE_omit : DW_EH_PE_absptr;
	take_leb128(&cursor); /* factors of code and data */
	take_leb128(&cursor);
	if (version == 1)
		take(&cursor, 1);
	else
		take_leb128(&cursor);
	take_leb128(&cursor); /* bytes of augmentation data */
	while (*++augmentation && !cursor.failed) {
		switch (*augmentation) {
		case 'R':
			return (unsigned int)take(&cursor, 1);
		case 'P':
			skipped = (unsigned int)take(&cursor, 1);
			if (!pointer_bytes(skipped))
				return DW_EH_PE_omit;
			take(&cursor, pointer_bytes(skipped));
			break;
		case 'L':
			take(&cursor, 1);
			break;
		}
	}
	return DW_EH_PE_absptr;
}

/* Adds the range of an FDE. Entries in encodings that no compiler for x86-64 uses are left out. */
static int add_fde(struct memphis_binary *binary, const uint8_t *section, uint64_t vaddr, const uint8_t *fde,
		   const uint8_t *end, size_t *room)
{
	struct cursor cursor = {.at = fde + 4, .end = end};
	const uint64_t back = take(&cursor, 4);
	struct memphis_fde *kept;
	unsigned int encoding;
	uint64_t low, bytes;

	/* A CIE begins with its length and its id, 8 bytes. */
	if (back > (uint64_t)(fde + 4 - section) || end - (fde + 4 - back) < 8)
		return 0;
	encoding = encoding_of(fde + 4 - back, end);
	if (encoding == DW_EH_PE_omit || !pointer_bytes(encoding) ||
	    ((encoding & 0x70) != 0 && (encoding & 0x70) != DW_EH_PE_pcrel))
		return 0;
	low = (encoding & 0x70) == DW_EH_PE_pcrel ? vaddr + (uint64_t)(cursor.at - section) : 0;
	low += take_pointer(&cursor, encoding);
	bytes = take_pointer(&cursor, encoding & 0xf);
	if (cursor.failed || !bytes || low + bytes < low)
		return 0;
	kept = memphis_append(binary->fdes, binary->fde_count, *room);
	if (!kept)
		return -1;
	*kept = (struct memphis_fde){low, low + bytes};
	return 0;
}

static int compare_fdes(const void *a, const void *b)
{
	const struct memphis_fde *x = a, *y = b;

	return x->low < y->low ? -1 : x->low > y->low;
}

static void read_section(struct memphis_binary *binary, const struct memphis_section *section)
{
	const size_t bytes = section->high - section->low;
	uint8_t *data = bytes < SECTION_BYTES_MAX ? malloc(bytes) : NULL, *at, *next;
	uint32_t length, id;
	size_t room = 0;

	if (!data)
		return;
	if (memphis_binary_read(binary, section->low, data, bytes) == bytes) {
		for (at = data; bytes - (size_t)(at - data) >= 8; at = next) {
			memcpy(&length, at, 4);
			memcpy(&id, at + 4, 4);
			/* An entry of length 0 ends the section; one of 0xffffffff has 64 bits, which no linker writes. */
			if (length < 4 || length > bytes - 4 - (size_t)(at - data))
				break;
			next = at + 4 + length;
			if (id && add_fde(binary, data, section->low, at, next, &room))
				break;
		}
	}
	free(data);
	if (binary->fde_count)
		qsort(binary->fdes, binary->fde_count, sizeof(*binary->fdes), compare_fdes);
}

bool memphis_function_find_bounds(struct memphis_binary *binary, uint64_t vaddr, uint64_t *low,
				  uint64_t *high)
{
	size_t first = 0, last, middle, i;

	for (i = 0; !binary->fdes_tried && i < binary->section_count; i++)
		if (!strcmp(binary->sections[i].name, "eh_frame"))
			read_section(binary, &binary->sections[i]);
	binary->fdes_tried = true;
	for (last = binary->fde_count; first < last;) {
		middle = first + (last - first) / 2;
		if (binary->fdes[middle].low <= vaddr)
			first = middle + 1;
		else
			last = middle;
	}
	if (!first || vaddr >= binary->fdes[first - 1].high)
		return false;
	*low = binary->fdes[first - 1].low;
	*high = binary->fdes[first - 1].high;
	return true;
}

static void read_rule(Dwarf_Frame *frame, struct memphis_cfa *cfa)
{
	Dwarf_Op *ops;
	size_t count;

	if (dwarf_frame_cfa(frame, &ops, &count) || !count)
		return;
	if (ops[0].atom == DW_OP_bregx) {
		cfa->reg = (int)ops[0].number;
		cfa->offset = (int64_t)ops[0].number2;
	} else if (ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg31) {
		cfa->reg = ops[0].atom - DW_OP_breg0;
		cfa->offset = (int64_t)ops[0].number;
	} else {
		return;
	}
	/* In a frame whose stack is realigned, the CFA is stored at an offset from the frame pointer. */
	cfa->known = count == 1;
	cfa->has_bp = cfa->reg == MEMPHIS_REG_BP;
}

static bool find_rule(Dwarf_CFI *cfi, uint64_t vaddr, struct memphis_cfa *cfa)
{
	Dwarf_Frame *frame;

	if (!cfi || dwarf_cfi_addrframe(cfi, vaddr, &frame))
		return false;
	read_rule(frame, cfa);
	free(frame);
	return true;
}

void memphis_cfa_find(struct memphis_binaries *binaries, struct memphis_binary *binary, uint64_t vaddr,
		      struct memphis_cfa *cfa)
{
	Dwarf *dwarf;

	memset(cfa, 0, sizeof(*cfa));
	if (!binary->elf)
		return;
	pthread_mutex_lock(&binary->lock);
	if (!binary->cfi_tried)
		binary->cfi = dwarf_getcfi_elf(binary->elf);
	binary->cfi_tried = true;
	if (!find_rule(binary->cfi, vaddr, cfa)) {
		dwarf = memphis_binary_dwarf(binaries, binary);
		find_rule(dwarf ? dwarf_getcfi(dwarf) : NULL, vaddr, cfa);
	}
	pthread_mutex_unlock(&binary->lock);
}
