// SPDX-License-Identifier: BSD-3-Clause
/* Reads the rule for the CFA from .eh_frame, or from .debug_frame if the code is not in .eh_frame. */
#include "dwarf/cfa.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

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

void memphis_cfa_at(struct memphis_binaries *binaries, struct memphis_binary *binary, uint64_t vaddr,
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
