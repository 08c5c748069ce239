/* SPDX-License-Identifier: BSD-3-Clause */
/* The tree of regions: a region is a name below a parent; the same name below the same parent is the same. */
#ifndef MEMPHIS_REGION_H
#define MEMPHIS_REGION_H

#include "base/text.h"

#define MEMPHIS_REGIONS_MAX     65535
#define MEMPHIS_REGION_NAME_MAX 255 /* longer names are cut */

struct memphis_region {
	__u32 id; /* from 1 */
	__u32 length;
	struct memphis_region *parent; /* NULL at the top */
	struct memphis_region *same_hash;
	struct memphis_region *younger; /* in the order of their ids */
	char name[];
};

/*
 * Find or make the region `name` (`length` bytes, no NUL needed) below `parent`. NULL when there are too many
 * or memory ran out. Regions live as long as the process. Finding takes no lock.
 */
struct memphis_region *memphis_region_get(struct memphis_region *parent, const char *name, size_t length);

/*
 * Append "id parent name" lines of the regions after *written (NULL: from the first) to `text`, and move
 * *written on to the last of them.
 */
void memphis_region_list(struct memphis_text *text, struct memphis_region **written);

/* In the child of a fork: the lock is nobody's. */
void memphis_region_forked(void);

#endif
