/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Conservative pointer scan of writable static memory: a word whose value is the address of a live block is a
 * holder of that block. The block is then named after the variable that contains the word, for example the
 * descriptor of an allocatable array or a global pointer.
 */
#ifndef MEMPHIS_POINTER_SCAN_H
#define MEMPHIS_POINTER_SCAN_H

#include <memphis/format.h>

#include "data/blocks.h"

#define MEMPHIS_HOLDERS_OBJECT_BYTES (256u << 20) /* maximum scanned per object */

/* The addresses to search for: the live blocks, and the live parts of pools. */
struct memphis_scanned {
	const struct memphis_tracked_blocks *blocks, *parts;
};

/* Receives `count` holders at a time. */
typedef void (*memphis_holders_fn)(void *data, const struct memphis_holder *holders, size_t count);

/*
 * Lists the static memory of the executable and of all shared objects. The caller must prevent forks, because
 * this function takes the dynamic loader's lock. A child that is forked while the lock is held could never
 * load an object again.
 */
void memphis_holders_list(void);

/*
 * Scans the resident pages of the listed memory. This may take long. The kernel copies the memory, so memory
 * that is unmapped during the scan causes no fault. Scans at most MEMPHIS_HOLDERS_OBJECT_BYTES of each
 * object. Returns the number of bytes beyond this limit.
 */
__u64 memphis_pointer_scan(const struct memphis_scanned *scanned, memphis_holders_fn found, void *data);

/* Scans one range of memory; for tests. */
void memphis_pointer_scan_range(const struct memphis_scanned *scanned, __u64 start, __u64 end,
				memphis_holders_fn found, void *data);

#endif
