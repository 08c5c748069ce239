/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbered names of pools and of their parts (chunk PART_NAMES). A name exists until the process ends. */
#ifndef MEMPHIS_PART_NAMES_H
#define MEMPHIS_PART_NAMES_H

#include "base/text.h"

#define MEMPHIS_PART_NAMES_MAX      65535
#define MEMPHIS_PART_NAME_MAX_BYTES 255 /* longer names are truncated */

/*
 * Returns the number of a name, from 1, and creates it if it does not exist; 0 if `name` is NULL or empty. If there are too many names or
 * memory is exhausted, returns 0 and counts the call. Callable by any thread; lock-free if the name exists.
 */
__u32 memphis_part_name(const char *name);

/* Appends a line "number name" to `text` for each name above *written, which is then set to the highest number. */
void memphis_part_names_list(struct memphis_text *text, __u32 *written);

/* Returns how many calls found no room for a name. */
__u64 memphis_part_names_left_out(void);

/* Fork handler of the child: reinitialises the lock, which a thread of the parent may have held. */
void memphis_part_names_forked(void);

#endif
