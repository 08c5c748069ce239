/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A hash table that counts samples by owner, instruction and access, and optionally also by region and thread. Its size grows with the
 * number of distinct keys, not with the number of samples.
 */
#ifndef MEMPHIS_COUNTS_H
#define MEMPHIS_COUNTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/table.h"
#include "profile/measure.h"
#include "read/access.h"

/* The kinds of owners. For each kind, the comment gives the meaning of memphis_owner.index and .item. */
enum memphis_owner_kind {
	MEMPHIS_OWNER_STATIC = 1, /* a static variable; index: binary, item: variable in the binary */
	MEMPHIS_OWNER_GROUP,      /* allocated or named blocks; index: their group in `process` */
	MEMPHIS_OWNER_SECTION,    /* no variable; index: binary, item: section, -1 or MEMPHIS_TLS_SECTION */
	MEMPHIS_OWNER_MAP,        /* no variable; index: map of `process`, or -1 */
	/* No recorded block, but small blocks near it; index: mix of the process (small_blocks.h), item: the index that MEMPHIS_OWNER_MAP has. */
	MEMPHIS_OWNER_NEAR,
	MEMPHIS_OWNER_ESTIMATE, /* the same as MEMPHIS_OWNER_GROUP, but estimated: attribute/estimate.h */
	MEMPHIS_OWNER_STACK /* a thread's stack; index: binary, item: local variable, if the frame is known */
};

#define MEMPHIS_TLS_SECTION (UINT32_MAX - 1) /* stands for the section of thread-local variables */

/* The owner of an address: the variable, block or piece of memory that contains it. */
struct memphis_owner {
	uint32_t process; /* index of the process; 0 if the kind does not need it */
	uint32_t index, item;
	uint16_t kind;   /* enum memphis_owner_kind */
	uint16_t reason; /* enum memphis_unattributed */
};

struct memphis_count_key {
	uint64_t pc;   /* link-time address in `code`, or the run-time address if the binary is unknown */
	uint32_t code; /* index of the binary, or MEMPHIS_NO_BINARY */
	struct memphis_owner owner;
	uint32_t region; /* row of the profile; 0 unless regions are counted separately */
	struct memphis_access access;
	uint32_t thread;  /* number of the thread in the profile; 0 unless threads are counted separately */
	uint32_t callers; /* of samples outside the program's own code: see read/callers.h; else 0 */
};

struct memphis_count {
	struct memphis_count_key key;
	struct memphis_measure measure;
};

struct memphis_counts {
	struct memphis_count *cells; /* each key once, in order of insertion */
	size_t count, room;
	struct memphis_table table; /* of the cells, by key */
};

/* Returns the cell with this key, which is added without numbers if it is new; NULL if memory is exhausted. */
struct memphis_count *memphis_counts_cell(struct memphis_counts *counts, const struct memphis_count_key *key);

/* Adds the numbers of `cell`, whose count must not be 0, to the cell with the same key. Returns 0 or -ENOMEM. */
int memphis_counts_add(struct memphis_counts *counts, const struct memphis_count *cell);

/* Adds all cells of `from` to `counts`. Returns 0 or -ENOMEM. The result does not depend on the order in which tables are merged. */
int memphis_counts_merge(struct memphis_counts *counts, const struct memphis_counts *from);
void memphis_counts_close(struct memphis_counts *counts);

#endif
