/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the local variable at an address in a stack frame. */
#ifndef MEMPHIS_LOCALS_H
#define MEMPHIS_LOCALS_H

#include <memphis/format.h>

#include "dwarf/binary.h"

struct memphis_local {
	char *name;    /* "main::field"; NULL if this entry is the whole frame of the function at `vaddr` */
	Dwarf_Die die; /* DIE of the variable, or of the function; addr is NULL if there is none */
	uint64_t vaddr;
};

/* A stack frame. Instruction addresses are link-time addresses. */
struct memphis_frame_place {
	uint64_t cfa, bp, sp;
	bool bp_known, sp_known;
	/*
	 * Return addresses of two calls in the function; see struct memphis_stack_frame. A variable must have
	 * the same place at both.
	 */
	uint64_t pc, end_pc;
};

#define MEMPHIS_NO_LOCAL UINT32_MAX

/*
 * Finds the local variable at `address` in the frame. Returns its index in the binary, and stores its bounds
 * in *low and *high. Returns MEMPHIS_NO_LOCAL if the two return addresses belong to different functions, or
 * if memory is exhausted. Thread-safe.
 */
uint32_t memphis_locals_find(struct memphis_binaries *binaries, struct memphis_binary *binary,
			     const struct memphis_frame_place *frame, uint64_t address, uint64_t *low,
			     uint64_t *high);

/* Returns the entry with this index. An entry for a whole frame has no name. The caller must then find the function's name. */
const struct memphis_local *memphis_local_of(struct memphis_binary *binary, uint32_t number);
void memphis_locals_close(struct memphis_binary *binary);

#endif
