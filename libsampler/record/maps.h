/* SPDX-License-Identifier: BSD-3-Clause */
/* The loaded objects: their build-ids, and the list of maps (MAPS). */
#ifndef MEMPHIS_MAPS_H
#define MEMPHIS_MAPS_H

#include "base/text.h"
#include "record/object.h"

/* Writes the executable's build-id, or "-", to `out`: 2 * MEMPHIS_BUILD_ID_MAX + 1 bytes. */
void memphis_maps_executable_build_id(char *out);

/* Returns how many objects have been unloaded so far. Not in signal handlers. */
__u64 memphis_maps_unloads(void);
/* Note that dlclose() has just unloaded an object. */
void memphis_maps_unloaded(void);

/*
 * Lines of MAPS: /proc/PID/maps with build-ids. 0 or -errno; -EAGAIN while the loader is at work, as what it has mapped is
 * not listed as an object yet. With `unfinished_too` the list is made even then, marked as "loading", and 1 is returned.
 */
int memphis_metadata_maps(struct memphis_text *text, int unfinished_too);
/* Returns a number that changes when objects are loaded or unloaded. */
__u64 memphis_metadata_maps_version(void);

#endif
