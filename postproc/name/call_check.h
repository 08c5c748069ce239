/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks by machine code whether an address is the return address of a call into a given function. */
#ifndef MEMPHIS_CALL_CHECK_H
#define MEMPHIS_CALL_CHECK_H

#include "dwarf/binary.h"

/* An instruction in a binary; `binary` is NULL if it is in no known one. */
struct memphis_code_place {
	struct memphis_binary *binary;
	uint64_t vaddr;
};

/*
 * Returns the number of bytes of the call instruction that ends at the end of `code`, as far as they are certain: without
 * prefixes. Sets *direct if it is call rel32. Returns 0 if there is none. If the bytes have several readings, the direct call is
 * the first one; set `indirect_only` to skip it.
 */
unsigned int memphis_call_before(const uint8_t *code, size_t bytes, bool indirect_only, bool *direct);

/* The bytes before a return address that memphis_call_before() needs. */
#define MEMPHIS_CALL_BYTES 7

/*
 * Returns whether the call that returns to returns->vaddr may have led to the function that contains the instruction `inner`,
 * and sets *call to the address of the call instruction.
 */
bool memphis_call_fits(struct memphis_binaries *binaries, const struct memphis_code_place *returns,
		       const struct memphis_code_place *inner, uint64_t *call);

#endif
