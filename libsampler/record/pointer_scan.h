/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who holds a block: words of writable static memory whose value is the address of a live block. That is how an
 * allocatable array's descriptor, or a global pointer, gives a block its name.
 */
#ifndef MEMPHIS_HOLDERS_H
#define MEMPHIS_HOLDERS_H

#include <memphis/format.h>

#include "data/blocks.h"

#define MEMPHIS_HOLDERS_OBJECT_BYTES (256u << 20) /* searched per object, at most */

/* Called with up to `count` holders at a time. */
typedef void (*memphis_holders_fn)(void *data, const struct memphis_holder *holders, size_t count);

/*
 * List the static memory of the executable and of all shared objects. Takes the loader's lock: no fork may happen
 * meanwhile, or the child could never load an object again.
 */
void memphis_holders_list(void);

/*
 * Search what was listed, resident pages only; that may take its time. Reads through the kernel, so that memory
 * which goes away meanwhile does no harm. Returns the bytes left out for the bound.
 */
__u64 memphis_pointer_scan(const struct memphis_blocks *blocks, memphis_holders_fn found, void *data);

/* The same in one range; for tests. */
void memphis_pointer_scan_range(const struct memphis_blocks *blocks, __u64 start, __u64 end,
				memphis_holders_fn found, void *data);

#endif
