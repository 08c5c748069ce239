/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the calls of a function on given source lines. */
#ifndef MEMPHIS_CALLS_H
#define MEMPHIS_CALLS_H

#include "dwarf/binary.h"
#include "dwarf/symbols.h"

#define MEMPHIS_CALLS_MAX 256

struct memphis_calls {
	uint64_t returns[MEMPHIS_CALLS_MAX]; /* return addresses, sorted, without duplicates */
	size_t count;
};

/*
 * Finds the calls that have the same target as the call that returns to `vaddr`. Searches the lines [first,
 * last] of `path` in the function at [low, high). Returns false if the call instruction before `vaddr` has an
 * unknown form.
 */
bool memphis_calls_find_like(struct memphis_binaries *binaries, struct memphis_binary *binary, uint64_t vaddr,
			     uint64_t low, uint64_t high, const char *path, unsigned int first,
			     unsigned int last, struct memphis_calls *calls);

/* ---- checks whether an address is the return address of a call to a given function ---- */

/* Address of an instruction in a binary. `binary` is NULL if no known binary contains the instruction. */
struct memphis_code_place {
	struct memphis_binary *binary;
	uint64_t vaddr;
};

/*
 * Returns the length in bytes of the call instruction that ends at the end of `code`, without prefixes.
 * Returns 0 if there is none. Sets *direct if the instruction is call rel32. If the bytes can be read as a
 * direct and as an indirect call, the direct call is returned. Set `indirect_only` to ignore direct calls.
 */
unsigned int memphis_call_before(const uint8_t *code, size_t bytes, bool indirect_only, bool *direct);

/* Number of bytes before a return address that memphis_call_before() needs. */
#define MEMPHIS_CALL_BYTES 7

/*
 * Returns true if the call that returns to returns->vaddr may have called the function that contains the
 * instruction `inner`. Sets *call to the address of the call instruction.
 */
bool memphis_call_fits(struct memphis_binaries *binaries, const struct memphis_code_place *returns,
		       const struct memphis_code_place *inner, uint64_t *call);

#endif
