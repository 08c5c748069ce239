/* SPDX-License-Identifier: BSD-3-Clause */
/* The general-purpose registers of x86-64 by their numbers in DWARF. */
#ifndef MEMPHIS_REGISTERS_H
#define MEMPHIS_REGISTERS_H

#define MEMPHIS_GENERAL_REGISTERS 16

/* Registers that a called function may change, as a mask of numbers; System V ABI, AMD64 supplement, 3.2.1. */
#define MEMPHIS_CLOBBERED 0x0f37u

/*
 * Returns the DWARF number of the general-purpose register that contains `reg`, a number of Capstone, or -1. Sets *bytes to the size of
 * the part.
 */
int memphis_general_register(unsigned int reg, unsigned int *bytes);

#endif
