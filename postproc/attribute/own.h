/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The address ranges of the sampling library in a process. The library also runs in the program's threads,
 * for calipers and allocations, and its accesses there are sampled too. Such samples do not belong to the
 * program and are counted separately.
 */
#ifndef MEMPHIS_OWN_H
#define MEMPHIS_OWN_H

#include <stdbool.h>
#include <stdint.h>

#include "dwarf/binary.h"
#include "read/maps.h"

struct memphis_own_range {
	uint64_t low, high;
};

struct memphis_own {
	uint64_t low, bytes; /* the smallest range that includes all ranges; `bytes` is 0 if there are none */
	struct memphis_own_range *ranges;
	size_t count, room;
};

/* Finds the address ranges. Returns 0 or -ENOMEM. The caller must close `own` in both cases. */
int memphis_own_open(struct memphis_own *own, const struct memphis_maps *maps,
		     const struct memphis_binaries *binaries);
void memphis_own_close(struct memphis_own *own);

bool memphis_own_holds(const struct memphis_own *own, uint64_t address);

/*
 * Returns true if the sampling library made the access: if `pc` or `address` is in one of its ranges. One
 * comparison per address rejects most accesses.
 */
static inline bool memphis_own_has(const struct memphis_own *own, uint64_t pc, uint64_t address)
{
	if (__builtin_expect((pc - own->low >= own->bytes) & (address - own->low >= own->bytes), 1))
		return false;
	return memphis_own_holds(own, pc) || memphis_own_holds(own, address);
}

#endif
