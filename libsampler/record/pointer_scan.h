/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Conservative pointer scan of writable static memory: each word whose value is the address of a live block is a holder of
 * that block. So the descriptor of an allocatable array, or a global pointer, gives a block its name.
 */
#ifndef MEMPHIS_POINTER_SCAN_H
#define MEMPHIS_POINTER_SCAN_H

#include <memphis/format.h>

#include "data/blocks.h"

#define MEMPHIS_HOLDERS_OBJECT_BYTES (256u << 20) /* bytes scanned per object, at most */

/* Receives `count` holders at a time. */
typedef void (*memphis_holders_fn)(void *data, const struct memphis_holder *holders, size_t count);

/*
 * List the static memory of the executable and of all shared objects. Takes the loader's lock: a child forked meanwhile
 * could never load an object again, so the caller has to prevent forks.
 */
void memphis_holders_list(void);

/*
 * Scan the resident pages of the listed memory, which may take long. Memory is read through the kernel, so that memory
 * unmapped meanwhile does no harm. Returns the number of bytes left out, beyond MEMPHIS_HOLDERS_OBJECT_BYTES per object.
 */
__u64 memphis_pointer_scan(const struct memphis_blocks *blocks, memphis_holders_fn found, void *data);

/* Scan one range; for tests. */
void memphis_pointer_scan_range(const struct memphis_blocks *blocks, __u64 start, __u64 end,
				memphis_holders_fn found, void *data);

#endif
