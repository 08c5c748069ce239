/* SPDX-License-Identifier: BSD-3-Clause */
/* The loaded objects with their build-ids, and the list of maps (chunk MAPS). */
#ifndef MEMPHIS_MAPS_H
#define MEMPHIS_MAPS_H

#include "base/sys.h"
#include "base/text.h"

#define MEMPHIS_BUILD_ID_MAX 32 /* bytes */

/* Writes the executable's build-id, or "-" if there is none, to `out` (2 * MEMPHIS_BUILD_ID_MAX + 1 bytes). */
void memphis_maps_executable_build_id(char *out);

/* Must be called after dlclose() has unloaded an object. */
void memphis_maps_unloaded(void);

/*
 * Appends lines of MAPS: /proc/PID/maps with build-ids. Returns 0, -EAGAIN while the dynamic loader is
 * loading or unloading objects, since objects that it has just mapped are not listed yet, or another -errno.
 * With `unfinished_too` the list is written even then, marked as "loading", and 1 is returned.
 */
int memphis_metadata_maps(struct memphis_text_buffer *text, int unfinished_too);
/* Returns a number that changes when objects are loaded or unloaded. */
__u64 memphis_metadata_maps_version(void);
/*
 * Returns true if maps have changed since the last call without any event, because the hooks of another library keep the calls from the
 * library (core/entries.h). Reads the list at intervals. Used by the drain only.
 */
bool memphis_maps_change_unseen(void);

/* Copies the call frame information of all objects of the other process, from which its stacks are unwound (unwind/cfi.h). */
void memphis_maps_copy_cfi(void);

#endif
