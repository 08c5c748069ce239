/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbered names (chunks PART_NAMES and FILES). A name exists until the process ends. */
#ifndef MEMPHIS_NAME_LIST_H
#define MEMPHIS_NAME_LIST_H

#include "data/region.h"

#define MEMPHIS_PART_NAMES_MAX      65535
#define MEMPHIS_PART_NAME_MAX_BYTES 255 /* longer names are truncated */
#define MEMPHIS_FILE_NAMES_MAX      1023
#define MEMPHIS_FILE_NAME_MAX_BYTES 4095

struct memphis_name_list {
	struct memphis_region_tree names; /* without parents */
	_Atomic __u64 left_out;
};

extern struct memphis_name_list memphis_part_names; /* of pools and of their parts */
extern struct memphis_name_list memphis_file_names; /* paths of files that I/O functions were called for */

/*
 * Returns the number of a name, from 1, and creates it if it does not exist; 0 if `name` is NULL or empty. If there are too many names or
 * memory is exhausted, returns 0 and counts the call. Callable by any thread, lock-free, async-signal-safe.
 */
__u32 memphis_name_number(struct memphis_name_list *list, const char *name);

/* Appends a line "number name" to `text` for each name after *written, or for all if it is NULL. Sets *written to the last of them. */
void memphis_names_list(struct memphis_name_list *list, struct memphis_text_buffer *text,
			struct memphis_region_node **written);

/* Returns how many calls found no room for a name. */
__u64 memphis_name_list_left_out(const struct memphis_name_list *list);

#endif
