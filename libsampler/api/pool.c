/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of memphis.h for memory pools. The parts of a pool can have names of their own. */
#include <memphis.h>

#include "interpose/lifecycle.h"
#include "interpose/parts.h"

PUBLIC struct memphis_pool *memphis_pool_create(const char *name)
{
	memphis_fork_check();
	return memphis_parts_pool(name);
}

/* This function must not be inlined, because its frame is the first one in the call stack of the part. */
PUBLIC __attribute__((noinline)) void *memphis_pool_alloc(struct memphis_pool *pool, void *part, size_t bytes,
							  const char *name)
{
	memphis_parts_add(pool, part, bytes, name, __builtin_frame_address(0));
	return part;
}

PUBLIC int memphis_pool_free(struct memphis_pool *pool, const void *part)
{
	return memphis_parts_end(pool, part, memphis_parts_stamp());
}

PUBLIC int memphis_pool_reset(struct memphis_pool *pool)
{
	return memphis_parts_reset(pool);
}

PUBLIC int memphis_pool_destroy(struct memphis_pool *pool)
{
	memphis_fork_check();
	return memphis_parts_destroy(pool);
}
