/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the calls of one function on some source lines. */
#ifndef MEMPHIS_CALLS_H
#define MEMPHIS_CALLS_H

#include "dwarf/symbols.h"

#define MEMPHIS_CALLS_MAX 256

struct memphis_calls {
	uint64_t returns[MEMPHIS_CALLS_MAX]; /* return addresses, sorted, all different */
	size_t count;
};

/*
 * Finds the calls with the same target as the call that returns to `vaddr`, on the lines [first, last] of `path`
 * in the function at [low, high). Returns false if the form of that call is not known.
 */
bool memphis_calls_like(struct memphis_binaries *binaries, struct memphis_binary *binary, uint64_t vaddr,
			uint64_t low, uint64_t high, const char *path, unsigned int first, unsigned int last,
			struct memphis_calls *calls);

#endif
