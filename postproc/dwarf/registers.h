/* SPDX-License-Identifier: BSD-3-Clause */
/* The general-purpose registers of x86-64 by their numbers in DWARF. */
#ifndef MEMPHIS_REGISTERS_H
#define MEMPHIS_REGISTERS_H

#define MEMPHIS_GENERAL_REGISTERS 16

/* Bit mask of the DWARF numbers of caller-saved registers (System V ABI, AMD64 supplement, 3.2.1). */
#define MEMPHIS_CLOBBERED 0x0f37u

/*
 * Returns the DWARF number of the general-purpose register that `reg` is a part of, or -1. `reg` is a
 * register number of Capstone. Sets *bytes to the size of the part.
 */
int memphis_general_register(unsigned int reg, unsigned int *bytes);

#endif
