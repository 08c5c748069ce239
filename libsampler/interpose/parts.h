/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parts of larger blocks. Pools of the program hand them out. include/memphis.h describes the calls. All
 * interfaces use the functions here.
 */
#ifndef MEMPHIS_PARTS_H
#define MEMPHIS_PARTS_H

#include <memphis.h>

#include "base/sys.h"

/* Creates a pool with this name. NULL or an empty string: the pool has no name. Returns NULL if memory is exhausted. */
struct memphis_pool *memphis_parts_pool(const char *name);

/* Records a part. `frame`: frame address of the library's function that the program called. Does nothing if `pool` is NULL. */
void memphis_parts_add(struct memphis_pool *pool, const void *address, __u64 bytes, const char *name,
		       void *frame) MEMPHIS_POOL_ADDRESS_ONLY;

/* Returns the stamp for memphis_parts_end(). The part ends at this time, before its memory can get another owner. */
__u64 memphis_parts_stamp(void);

/* Records the release of a part. Returns 0 or -EINVAL. */
int memphis_parts_end(struct memphis_pool *pool, const void *address, __u64 stamp) MEMPHIS_POOL_ADDRESS_ONLY;

/* Records the release of all parts. Returns 0 or -EINVAL. */
int memphis_parts_reset(struct memphis_pool *pool);

/* Records the release of all parts, and makes the handle of the pool invalid. Returns 0 or -EINVAL. */
int memphis_parts_destroy(struct memphis_pool *pool);

/* Fork handler of the child. */
void memphis_parts_forked(void);

#endif
