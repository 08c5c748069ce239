/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts of samples by (node, variable, instruction), and region if asked. Grows with what is distinct, not with samples. */
#ifndef MEMPHIS_PROFILE_H
#define MEMPHIS_PROFILE_H

#include <stddef.h>
#include <stdint.h>

enum memphis_owner_kind {
	MEMPHIS_OWNER_STATIC = 1, /* index: binary, item: variable in it */
	MEMPHIS_OWNER_GROUP,      /* index: group of blocks of `process` */
	MEMPHIS_OWNER_SECTION,    /* no variable; index: binary, item: section, -1 or MEMPHIS_TLS_SECTION */
	MEMPHIS_OWNER_MAP,        /* no variable; index: map of `process`, or -1 */
	MEMPHIS_OWNER_STACK       /* no variable: a thread's stack */
};

#define MEMPHIS_TLS_SECTION (UINT32_MAX - 1) /* a thread's block of thread-local variables */

/* What an address belongs to. */
struct memphis_owner {
	uint32_t process; /* 0 where the kind does not need it */
	uint32_t index, item;
	uint16_t kind;   /* enum memphis_owner_kind */
	uint16_t reason; /* enum memphis_unattributed */
};

struct memphis_cell_key {
	uint64_t pc;   /* link-time address in `code`; else run-time */
	uint32_t code; /* binary, or MEMPHIS_NO_BINARY */
	uint32_t node;
	struct memphis_owner owner;
	uint32_t region; /* row of memphis_regions, where each is counted apart */
	uint32_t zero;
};

struct memphis_cell {
	struct memphis_cell_key key;
	uint64_t count;     /* 0 = unused slot */
	uint64_t low, high; /* data addresses seen */
};

struct memphis_profile {
	struct memphis_cell *cells; /* open addressing */
	size_t slots, used;
};

/* Counts one sample at `address`. 0 or -ENOMEM. */
int memphis_profile_add(struct memphis_profile *profile, const struct memphis_cell_key *key,
			uint64_t address);

/*
 * The same in two steps, for callers that remember cells: the cell of `key`, made with a count of 0 if it is new, or NULL
 * without memory; then counting. Cells stay where they are while profile->slots is the same. A new cell must be counted.
 */
struct memphis_cell *memphis_profile_cell(struct memphis_profile *profile,
					  const struct memphis_cell_key *key);

static inline void memphis_cell_count(struct memphis_cell *cell, uint64_t address)
{
	if (!cell->count++)
		cell->low = cell->high = address;
	if (address < cell->low)
		cell->low = address;
	if (address > cell->high)
		cell->high = address;
}

/* Adds everything in `from` to `profile`. The order of merging does not matter. */
int memphis_profile_merge(struct memphis_profile *profile, const struct memphis_profile *from);
void memphis_profile_close(struct memphis_profile *profile);

#endif
