/* SPDX-License-Identifier: BSD-3-Clause */
/* Local variables: which one of a function lies at an address in a frame of it. */
#ifndef MEMPHIS_LOCALS_H
#define MEMPHIS_LOCALS_H

#include <memphis/format.h>

#include "dwarf/binary.h"

struct memphis_local {
	char *name;    /* main::field; NULL: the frame of the function at `vaddr` */
	Dwarf_Die die; /* of the variable */
	uint64_t vaddr;
};

/* A frame with link-time addresses of its instructions. */
struct memphis_frame_place {
	uint64_t cfa, bp, sp;
	bool sp_known;
	uint64_t pc, end_pc; /* where calls return to, as in struct memphis_stack_frame */
};

#define MEMPHIS_NO_LOCAL UINT32_MAX

/*
 * What lies at `address` in the frame: the number of a local of the binary, and from where to where. MEMPHIS_NO_LOCAL: the
 * two instructions are not of one function, or no memory. Safe from several threads.
 */
uint32_t memphis_locals_find(struct memphis_binaries *binaries, struct memphis_binary *binary,
			     const struct memphis_frame_place *frame, uint64_t address, uint64_t *low,
			     uint64_t *high);

/* NULL: the whole frame; the caller names its function. */
const struct memphis_local *memphis_local_of(struct memphis_binary *binary, uint32_t number);
void memphis_locals_close(struct memphis_binary *binary);

#endif
