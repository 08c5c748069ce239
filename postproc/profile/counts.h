/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A hash table that counts samples by owner, instruction and access; by region and thread on request. Its size grows with the number of
 * distinct keys, not with the number of samples.
 */
#ifndef MEMPHIS_COUNTS_H
#define MEMPHIS_COUNTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/table.h"
#include "read/access.h"

/* What memphis_owner.index and .item identify. */
enum memphis_owner_kind {
	MEMPHIS_OWNER_STATIC = 1, /* static variable; index: binary, item: variable in it */
	MEMPHIS_OWNER_GROUP,      /* blocks; index: their group in `process` */
	MEMPHIS_OWNER_SECTION,    /* no variable; index: binary, item: section, -1 or MEMPHIS_TLS_SECTION */
	MEMPHIS_OWNER_MAP,        /* no variable; index: map of `process`, or -1 */
	MEMPHIS_OWNER_STACK /* a thread's stack; index: binary, item: local variable in it, if the frame is known */
};

#define MEMPHIS_TLS_SECTION (UINT32_MAX - 1) /* the section of a thread's thread-local variables */

/* The variable, block or piece of memory that an address belongs to. */
struct memphis_owner {
	uint32_t process; /* index of the process; 0 where the kind does not need it */
	uint32_t index, item;
	uint16_t kind;   /* enum memphis_owner_kind */
	uint16_t reason; /* enum memphis_unattributed */
};

struct memphis_count_key {
	uint64_t pc;   /* link-time address in `code`, or run-time address without one */
	uint32_t code; /* binary, or MEMPHIS_NO_BINARY */
	struct memphis_owner owner;
	uint32_t region; /* row of the profile; 0 unless regions are counted separately */
	struct memphis_access access;
	uint32_t thread; /* number in the profile; 0 unless threads are counted separately */
	uint32_t zero;
};

struct memphis_count {
	struct memphis_count_key key;
	uint64_t count;
	uint64_t accesses;                           /* estimate: the sum of the sampling periods */
	uint64_t latency_cycles, latency_max_cycles; /* sum, largest */
	uint64_t low, high;                          /* lowest and highest data address */
};

struct memphis_counts {
	struct memphis_count *cells; /* each key once, in order of insertion */
	size_t count, room;
	struct memphis_table table; /* of the cells, by key */
};

/* Adds the numbers of `cell`, whose count is not 0, to the cell of the same key. 0 or -ENOMEM, likewise below. */
int memphis_counts_add(struct memphis_counts *counts, const struct memphis_count *cell);

/* Adds all cells of `from` to `counts`. The result does not depend on the order of merging. */
int memphis_counts_merge(struct memphis_counts *counts, const struct memphis_counts *from);
void memphis_counts_close(struct memphis_counts *counts);

#endif
