// SPDX-License-Identifier: BSD-3-Clause
/* Reads the rule for the CFA from .eh_frame, or from .debug_frame if .eh_frame has no entry for the code. */
#include "dwarf/cfa.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/order.h"

/*
 * Reads the address ranges of the entries in .eh_frame (Linux Standard Base 5.0, Core, 10.6). libdw finds the
 * rules for an instruction there, but does not return the range of the entry.
 */

#define SECTION_BYTES_MAX (256u << 20)

struct memphis_fde {
	uint64_t low, high;
};

/* Returns the size of a pointer in this encoding, or 0 if the encoding is not supported. */
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

static uint64_t read_pointer(const uint8_t *at, unsigned int encoding)
{
	uint64_t value = 0;

	memcpy(&value, at, pointer_bytes(encoding));
	return (encoding & 0xf) == DW_EH_PE_sdata4 ? (uint64_t)(int64_t)(int32_t)value : value;
}

/*
 * Returns the encoding of pointers in the FDEs that belong to this common information entry (CIE), or
 * DW_EH_PE_omit if it is unknown.
 */
static unsigned int pointer_encoding(const Dwarf_CIE *cie)
{
	const uint8_t *at = cie->augmentation_data, *end = at + cie->augmentation_data_size;
	const char *augmentation = cie->augmentation;

	if (*augmentation != 'z')
		return *augmentation ? DW_EH_PE_omit : DW_EH_PE_absptr;
	while (*++augmentation && at < end) {
		switch (*augmentation) {
		case 'R':
			return *at;
		case 'P':
			if (!pointer_bytes(*at))
				return DW_EH_PE_omit;
			at += 1 + pointer_bytes(*at);
			break;
		case 'L':
			at++;
			break;
		}
	}
	return DW_EH_PE_absptr;
}

/* ELF identification of x86-64 files. Only the code of such files is examined. */
static const unsigned char ident[EI_NIDENT] = {[EI_CLASS] = ELFCLASS64, [EI_DATA] = ELFDATA2LSB};

/* Adds the address range of an FDE. The section is at `vaddr`. Skips encodings that no x86-64 compiler uses. */
static void add_fde_range(struct memphis_binary *binary, Elf_Data *section, uint64_t vaddr,
			  const Dwarf_FDE *fde, size_t *room)
{
	struct memphis_fde *kept;
	unsigned int encoding;
	Dwarf_CFI_Entry cie;
	uint64_t low, bytes;
	Dwarf_Off ignored;
	size_t width;

	if (dwarf_next_cfi(ident, section, true, fde->CIE_pointer, &ignored, &cie) || !dwarf_cfi_cie_p(&cie))
		return;
	encoding = pointer_encoding(&cie.cie);
	width = pointer_bytes(encoding);
	if (!width || ((encoding & 0x70) != 0 && (encoding & 0x70) != DW_EH_PE_pcrel) ||
	    (size_t)(fde->end - fde->start) < 2 * width)
		return;
	low = (encoding & 0x70) == DW_EH_PE_pcrel ? vaddr + (uint64_t)(fde->start - (uint8_t *)section->d_buf)
						  : 0;
	low += read_pointer(fde->start, encoding);
	bytes = read_pointer(fde->start + width, encoding);
	kept = bytes && low + bytes > low ? memphis_append(binary->fdes, binary->fde_count, *room) : NULL;
	if (kept)
		*kept = (struct memphis_fde){low, low + bytes};
}

static int compare_fdes(const void *a, const void *b)
{
	const struct memphis_fde *x = a, *y = b;

	return memphis_order(x->low, y->low);
}

static void read_fdes(struct memphis_binary *binary, const struct memphis_section *section)
{
	const size_t bytes = section->high - section->low;
	Elf_Data data = {.d_buf = bytes < SECTION_BYTES_MAX ? malloc(bytes) : NULL, .d_size = bytes};
	Dwarf_Off at = 0, next = 0;
	Dwarf_CFI_Entry entry;
	size_t room = 0;
	int rc;

	if (data.d_buf && memphis_binary_read(binary, section->low, data.d_buf, bytes) == bytes) {
		/* Skip damaged entries. Stop if the start of the next entry is unknown. */
		do {
			at = next;
			rc = dwarf_next_cfi(ident, &data, true, at, &next, &entry);
			if (!rc && !dwarf_cfi_cie_p(&entry))
				add_fde_range(binary, &data, section->low, &entry.fde, &room);
		} while (rc <= 0 && next > at);
	}
	free(data.d_buf);
	memphis_sort(binary->fdes, binary->fde_count, compare_fdes);
}

bool memphis_function_find_bounds(struct memphis_binary *binary, uint64_t vaddr, uint64_t *low,
				  uint64_t *high)
{
	size_t i;

	for (i = 0; !binary->fdes_tried && i < binary->section_count; i++)
		if (!strcmp(binary->sections[i].name, "eh_frame"))
			read_fdes(binary, &binary->sections[i]);
	binary->fdes_tried = true;
	i = memphis_bisect(at, binary->fde_count, binary->fdes[at].low <= vaddr);
	if (!i || vaddr >= binary->fdes[i - 1].high)
		return false;
	*low = binary->fdes[i - 1].low;
	*high = binary->fdes[i - 1].high;
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
	/*
	 * If the function realigns its stack, the CFA is loaded from memory at an offset from the frame
	 * pointer. It is then not a register plus an offset, but rbp is the frame pointer.
	 */
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
