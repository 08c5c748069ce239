/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A hash table that counts samples. Its key consists of the owner of the data, the instruction and the kind of access,
 * and optionally of region and thread. Its size grows with the number of different keys, not with the number of
 * samples.
 */
#ifndef MEMPHIS_COUNTS_H
#define MEMPHIS_COUNTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/table.h"
#include "profile/measure.h"
#include "read/access.h"

/* The kinds of owners. The comment after each kind says what memphis_owner.index and memphis_owner.item mean for it. */
enum memphis_owner_kind {
	MEMPHIS_OWNER_STATIC = 1, /* a static variable; index: binary, item: variable in the binary */
	MEMPHIS_OWNER_GROUP,      /* allocated or named blocks; index: their group in `process` */
	/* not a variable; index: binary; item: section, -1 or MEMPHIS_TLS_SECTION */
	MEMPHIS_OWNER_SECTION,
	MEMPHIS_OWNER_MAP, /* not a variable; index: map of `process`, or -1 */
	/*
	 * The address is not in a recorded block, but near small blocks. index: mix of the process (small_blocks.h);
	 * item: what `index` would be for MEMPHIS_OWNER_MAP.
	 */
	MEMPHIS_OWNER_NEAR,
	/* as MEMPHIS_OWNER_GROUP, but the block is estimated (attribute/estimate.h) */
	MEMPHIS_OWNER_ESTIMATE,
	MEMPHIS_OWNER_STACK /* a thread's stack; index: binary, item: local variable, if the frame is known */
};

#define MEMPHIS_TLS_SECTION (UINT32_MAX - 1) /* means the section of thread-local variables */

/* The owner of an address: the variable, block or piece of memory that contains it. */
struct memphis_owner {
	uint32_t process; /* index of the process, or 0 if the kind does not need it */
	uint32_t index, item;
	uint16_t kind;   /* enum memphis_owner_kind */
	uint16_t reason; /* enum memphis_unattributed */
};

struct memphis_count_key {
	uint64_t pc;   /* link-time address in `code`, or the run-time address if the binary is unknown */
	uint32_t code; /* index of the binary, or MEMPHIS_NO_BINARY */
	struct memphis_owner owner;
	uint32_t region; /* the profile's row of the region, or 0 if regions are not counted separately */
	struct memphis_access access;
	/* number of the thread in the profile, or 0 if threads are not counted separately */
	uint32_t thread;
	uint32_t callers; /* call stack of a sample outside the program's own code (read/callers.h), or 0 */
};

struct memphis_count {
	struct memphis_count_key key;
	struct memphis_measure measure;
};

struct memphis_counts {
	struct memphis_count *cells; /* one cell per key, in order of insertion */
	size_t count, room;
	struct memphis_table table; /* index that finds a cell by its key */
};

/* Returns the cell with this key. Adds an empty cell if the key is new. Returns NULL if memory is exhausted. */
struct memphis_count *memphis_counts_cell(struct memphis_counts *counts, const struct memphis_count_key *key);

/*
 * Adds the numbers of `cell` to the cell with the same key. `cell` must have at least one sample. Returns 0 or
 * -ENOMEM.
 */
int memphis_counts_add(struct memphis_counts *counts, const struct memphis_count *cell);

/*
 * Adds all cells of `from` to `counts`. Returns 0 or -ENOMEM. The result does not depend on the order in which tables
 * are merged.
 */
int memphis_counts_merge(struct memphis_counts *counts, const struct memphis_counts *from);
void memphis_counts_close(struct memphis_counts *counts);

#endif
