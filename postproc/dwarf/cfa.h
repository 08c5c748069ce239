/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the canonical frame address (CFA) of a function at an instruction, from the call frame information. */
#ifndef MEMPHIS_CFA_H
#define MEMPHIS_CFA_H

#include "dwarf/binary.h"

#define MEMPHIS_REG_BP 6 /* DWARF register numbers (System V ABI, AMD64 supplement, 3.6.2) */
#define MEMPHIS_REG_SP 7

/* The CFA is the value of `reg` plus `offset`. */
struct memphis_cfa {
	bool known;
	int reg;
	int64_t offset;
	/* rbp is the frame pointer. It is false if the function may use rbp for other values. */
	bool has_bp;
};

/* Stores the rule for the CFA that is valid before the instruction at `vaddr`. Locks the binary. */
void memphis_cfa_find(struct memphis_binaries *binaries, struct memphis_binary *binary, uint64_t vaddr,
		      struct memphis_cfa *cfa);

/*
 * Stores the address range of the frame description entry (FDE) that covers the instruction at `vaddr`.
 * Returns false if there is none. Not thread-safe for calls with the same binary.
 */
bool memphis_function_find_bounds(struct memphis_binary *binary, uint64_t vaddr, uint64_t *low,
				  uint64_t *high);

#endif
