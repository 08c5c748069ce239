/* SPDX-License-Identifier: BSD-3-Clause */
/* The loaded objects with their build-ids, and the list of maps (chunk MAPS). */
#ifndef MEMPHIS_MAPS_H
#define MEMPHIS_MAPS_H

#include "base/sys.h"
#include "base/text.h"

#define MEMPHIS_BUILD_ID_MAX 32 /* bytes */

/* Writes the executable's build-id, or "-" if there is none, to `out` (2 * MEMPHIS_BUILD_ID_MAX + 1 bytes). */
void memphis_maps_executable_build_id(char *out);

/* Called after dlclose() has unloaded an object. */
void memphis_maps_unloaded(void);

/*
 * Appends the lines of /proc/PID/maps with build-ids, as lines of MAPS. Returns 0, or -EAGAIN while the
 * dynamic loader is loading or unloading objects, or another -errno. -EAGAIN is necessary because the
 * loader's list does not contain objects that it has just mapped. With `unfinished_too`, the list is written
 * even then, is marked as "loading", and the function returns 1.
 */
int memphis_maps_add_lines(struct memphis_text_buffer *text, int unfinished_too);
/* Returns a number that changes when objects are loaded or unloaded. */
__u64 memphis_maps_version(void);
/*
 * Returns true if maps have changed since the last call, and the library received no call that explains the
 * change. That happens if hooks of another library bypass the library (core/entries.h). Reads the list of
 * maps at intervals. Used by the drain only.
 */
bool memphis_maps_change_unseen(void);

/*
 * Copies the call frame information of all objects of the other process. The unwinder (unwind/cfi.h) needs
 * these copies for the stacks of that process.
 */
void memphis_maps_copy_cfi(void);

#endif
