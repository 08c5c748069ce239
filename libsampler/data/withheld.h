/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Withheld allocation records, which are written only once a sample falls into their block. The number of
 * records in a file is limited. After many have been written, records of blocks without samples would use up
 * the limit and leave later blocks without names. Used by the drain only.
 */
#ifndef MEMPHIS_WITHHELD_H
#define MEMPHIS_WITHHELD_H

#include <memphis/format.h>

#include "base/sys.h"

#define MEMPHIS_WITHHELD_MAX (1u << 20) /* records withheld at the same time, over all threads */

/* Lists of the records of one thread, as indices of their first nodes; 0: empty list. Initially all zeros. */
struct memphis_withheld {
	__u32 waiting; /* records without a sample so far */
	__u32 due;     /* records with a sample, to be written */
};

/* Discards all records. */
void memphis_withheld_open(void);

/*
 * Withholds `record`, an allocation by the thread that owns `list`. `list` must not be moved while it has
 * records. Withheld records that overlap the block are dropped, since their blocks must have been released
 * without an event; blocks and parts of pools do not count as overlapping. Returns the number of dropped records, or -ENOMEM, also for a part
 * inside the part of another pool.
 */
int memphis_withheld_add(struct memphis_withheld *list, const struct memphis_allocation *record);

/* Records a sample at `address`: withheld records whose block or part contains the address are marked as due. */
void memphis_withheld_touch(__u64 address);

/*
 * Records the release of the block that starts at `address`, or of the pool's part. If its record was withheld, drops it with those of the
 * parts in the block, and returns their number, else 0.
 */
int memphis_withheld_drop(__u64 address, int is_part);

/* Drops the withheld records of the pool's parts in this range that were allocated before `time_ns`. Returns their number. */
__u64 memphis_withheld_drop_pool(__u32 pool, __u64 address, __u64 bytes, __u64 time_ns);

/*
 * Moves due records of the list, or with `all` also the withheld ones, to `out`, at most `max`. Returns their
 * number. Must be repeated until it returns 0.
 */
size_t memphis_withheld_take(struct memphis_withheld *list, struct memphis_allocation *out, size_t max,
			     int all);

#endif
