/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Withheld allocation records: records that are written only once a sample falls into their block. The number of records is
 * limited; after many have been written, records of blocks without samples would use up the limit, and later blocks would
 * have no name. Used by the drain only.
 */
#ifndef MEMPHIS_WITHHELD_H
#define MEMPHIS_WITHHELD_H

#include <memphis/format.h>

#include "base/sys.h"

#define MEMPHIS_WITHHELD_MAX (1u << 20) /* records withheld at the same time, of all threads */

/* Lists of the records of one thread: indices of the first nodes, 0: empty. Starts as all zeros. */
struct memphis_withheld {
	__u32 waiting; /* no sample yet */
	__u32 due;     /* sampled, to be written */
};

/* Discards all records. */
void memphis_withheld_open(void);

/*
 * Withholds `record`, an allocation of the thread that owns `list`. `list` must not move while it has records. Withheld records
 * that overlap the block are dropped: their blocks were released without an event. Returns the number of dropped records,
 * or -ENOMEM.
 */
int memphis_withheld_add(struct memphis_withheld *list, const struct memphis_allocation *record);

/* Records a sample at `address`: a withheld record whose block contains the address becomes due. */
void memphis_withheld_touch(__u64 address);

/* Records the release of the block that begins at `address`. Returns 1 if its record was withheld, and is dropped; else 0. */
int memphis_withheld_drop(__u64 address);

/*
 * Moves due records of the list, or with `all` also the withheld ones, to `out`, at most `max`. Returns their number; to be
 * repeated until that is 0.
 */
size_t memphis_withheld_take(struct memphis_withheld *list, struct memphis_allocation *out, size_t max,
			     int all);

#endif
