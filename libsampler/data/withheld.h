/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Withheld allocation records. Such a record is written only when a sample falls into its block. The number
 * of records in a file is limited. Without this, records of blocks without samples would use up the limit,
 * and later blocks would have no names. Used by the drain only.
 */
#ifndef MEMPHIS_WITHHELD_H
#define MEMPHIS_WITHHELD_H

#include <memphis/format.h>

#include "base/sys.h"

#define MEMPHIS_WITHHELD_MAX (1u << 20) /* records withheld at the same time, over all threads */

/* Lists of the records of one thread. Each member is the index of the list's first node; 0: empty list. Initially all zeros. */
struct memphis_withheld {
	__u32 waiting; /* records without a sample so far */
	__u32 due;     /* records with a sample, which must be written */
};

/* Discards all records. */
void memphis_withheld_open(void);

/*
 * Withholds `record`, an allocation by the thread that owns `list`. `list` must not be moved while it has
 * records. Drops withheld records that overlap the new block, because their blocks must have been released
 * without an event. A block and a part of a pool do not count as overlapping. Returns the number of dropped
 * records. Returns -ENOMEM if there is no room, or if the record is a part inside the part of another pool.
 */
int memphis_withheld_add(struct memphis_withheld *list, const struct memphis_allocation *record);

/* Records a sample at `address`. Moves each withheld record whose block or part contains the address to the due records. */
void memphis_withheld_touch(__u64 address);

/*
 * Records the release of the block or, with `is_part`, the part of a pool that starts at `address`. If its
 * record was withheld, drops the record and those of the parts inside the block. Returns the number of
 * dropped records, or 0 if the record was not withheld.
 */
int memphis_withheld_drop(__u64 address, int is_part);

/* Drops the withheld records of the pool's parts in this range that were allocated before `time_ns`. Returns their number. */
__u64 memphis_withheld_drop_pool(__u32 pool, __u64 address, __u64 bytes, __u64 time_ns);

/*
 * Moves up to `max` records from the list to `out`: the due ones and, with `all`, also the waiting ones.
 * Returns their number. Must be repeated until it returns 0.
 */
size_t memphis_withheld_take(struct memphis_withheld *list, struct memphis_allocation *out, size_t max,
			     int all);

#endif
