/* SPDX-License-Identifier: BSD-3-Clause */
/* The objects that are loaded: their build-ids, and the list of maps with them. */
#ifndef MEMPHIS_MAPS_H
#define MEMPHIS_MAPS_H

#include "base/text.h"
#include "record/object.h"

/* `out`: 2 * MEMPHIS_BUILD_ID_MAX + 1 bytes. */
void memphis_maps_executable_build_id(char *out);

/* How many objects have been unloaded; and that dlclose() has just done so. The program's threads, not in signal handlers. */
__u64 memphis_maps_unloads(void);
void memphis_maps_unloaded(void);

/*
 * MAPS: /proc/self/maps with build-ids. 0 or -errno; -EAGAIN: the loader is at work, and what it maps is no object yet.
 * With `unfinished_too` there is a list all the same, which says so, and the answer is 1.
 */
int memphis_metadata_maps(struct memphis_text *text, int unfinished_too);
/* A number that changes when objects were loaded or unloaded. */
__u64 memphis_metadata_maps_version(void);

#endif
