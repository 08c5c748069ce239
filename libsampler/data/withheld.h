/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Blocks whose records wait until a sample falls into them. Once many records have been written, those of blocks that
 * nobody samples would fill the bound on them, and no later block would have a name. The drain's own.
 */
#ifndef MEMPHIS_WITHHELD_H
#define MEMPHIS_WITHHELD_H

#include <memphis/format.h>

#include "base/sys.h"

#define MEMPHIS_WITHHELD_MAX (1u << 20) /* blocks that wait at the same time */

/* The blocks of one thread: numbers of the first ones, 0: none. All zeros to begin with. */
struct memphis_withheld {
	__u32 waiting, due;
};

/* Forget all blocks. */
void memphis_withheld_open(void);

/*
 * `record`, an allocation of the thread that has `list`, waits; `list` must stay where it is until none of its blocks are
 * left. What waited where it stands was released without a word, and is dropped. Returns how many these were, or -ENOMEM.
 */
int memphis_withheld_add(struct memphis_withheld *list, const struct memphis_allocation *record);

/* A sample fell here: if a block around waits, it is due. */
void memphis_withheld_touch(__u64 address);

/* The block that begins there is released. 1: it waited, and is dropped. 0: it did not. */
int memphis_withheld_drop(__u64 address);

/* Those of the list that are due, or `all` of them, at most `max`; returns how many. Repeat until 0. */
size_t memphis_withheld_take(struct memphis_withheld *list, struct memphis_allocation *out, size_t max,
			     int all);

#endif
