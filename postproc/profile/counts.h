/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts of samples by variable, instruction and how the access went; by region and thread if asked. Grows with what is distinct, not with samples. */
#ifndef MEMPHIS_COUNTS_H
#define MEMPHIS_COUNTS_H

#include <stddef.h>
#include <stdint.h>

#include "read/access.h"

enum memphis_owner_kind {
	MEMPHIS_OWNER_STATIC = 1, /* index: binary, item: variable in it */
	MEMPHIS_OWNER_GROUP,      /* index: group of blocks of `process` */
	MEMPHIS_OWNER_SECTION,    /* no variable; index: binary, item: section, -1 or MEMPHIS_TLS_SECTION */
	MEMPHIS_OWNER_MAP,        /* no variable; index: map of `process`, or -1 */
	MEMPHIS_OWNER_STACK /* a thread's stack; index: binary, item: local of it, if the frame is known */
};

#define MEMPHIS_TLS_SECTION (UINT32_MAX - 1) /* a thread's block of thread-local variables */

/* What an address belongs to. */
struct memphis_owner {
	uint32_t process; /* 0 where the kind does not need it */
	uint32_t index, item;
	uint16_t kind;   /* enum memphis_owner_kind */
	uint16_t reason; /* enum memphis_unattributed */
};

struct memphis_count_key {
	uint64_t pc;   /* link-time address in `code`; else run-time */
	uint32_t code; /* binary, or MEMPHIS_NO_BINARY */
	struct memphis_owner owner;
	uint32_t region; /* of the profile; 0 unless each is counted apart */
	struct memphis_access access;
	uint32_t thread; /* of the profile; 0 unless each is counted apart */
	uint32_t zero;
};

struct memphis_count {
	struct memphis_count_key key;
	uint64_t count;                              /* 0 = unused slot */
	uint64_t accesses;                           /* estimated: sum of the periods */
	uint64_t latency_cycles, latency_max_cycles; /* sum, largest */
	uint64_t low, high;                          /* data addresses seen */
};

struct memphis_counts {
	struct memphis_count *cells; /* open addressing */
	size_t slots, used;
};

/* Adds what one cell holds, whose count is not 0. 0 or -ENOMEM, likewise below. */
int memphis_counts_add(struct memphis_counts *counts, const struct memphis_count *cell);

/* Adds everything in `from` to `counts`. The order of merging does not matter. */
int memphis_counts_merge(struct memphis_counts *counts, const struct memphis_counts *from);
void memphis_counts_close(struct memphis_counts *counts);

#endif
