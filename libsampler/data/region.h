/* SPDX-License-Identifier: BSD-3-Clause */
/* The tree of regions. A region is identified by its parent and its name, and exists until the process ends. */
#ifndef MEMPHIS_REGION_H
#define MEMPHIS_REGION_H

#include "base/text.h"

#define MEMPHIS_REGIONS_MAX     65535
#define MEMPHIS_REGION_NAME_MAX 255 /* bytes; longer names are truncated */

struct memphis_region {
	__u32 id; /* from 1 */
	__u32 length;
	struct memphis_region *parent;    /* NULL at the top */
	struct memphis_region *same_hash; /* next region of the hash bucket */
	struct memphis_region *younger;   /* region with the next id */
	char name[];                      /* `length` bytes and a NUL */
};

/*
 * Returns the region `name` (`length` bytes, no NUL needed) below `parent`, and creates it if it does not
 * exist. Returns NULL if there are too many regions or memory is exhausted. Callable by any thread; lock-free
 * if the region exists.
 */
struct memphis_region *memphis_region_get(struct memphis_region *parent, const char *name, size_t length);

/* As memphis_region_get(), for callers that may be in a signal handler: also returns NULL if a region is just being created. */
struct memphis_region *memphis_region_try(struct memphis_region *parent, const char *name, size_t length);

/*
 * Appends a line "id parent name" to `text` for each region created after *written, or for all regions if
 * *written is NULL. Sets *written to the last of them.
 */
void memphis_region_list(struct memphis_text *text, struct memphis_region **written);

/* Fork handler of the child: reinitialises the lock, which a thread of the parent may have held. */
void memphis_region_forked(void);

#endif
