/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Trees of names. A region is identified by its parent and its name, and exists until the process ends. All functions but the list are
 * async-signal-safe and lock-free: a handler may interrupt one of them and call it, or leave it by longjmp(); and a thread may end in it, or
 * be missing in a child of fork(). At most the memory of one name is lost then.
 */
#ifndef MEMPHIS_REGION_H
#define MEMPHIS_REGION_H

#include <stdatomic.h>

#include "base/text.h"

#define MEMPHIS_REGIONS_MAX     65535
#define MEMPHIS_REGION_NAME_MAX 255 /* bytes; longer names are truncated */
#define MEMPHIS_REGION_BUCKETS  4096

struct memphis_region_node {
	__u32 id; /* from 1 */
	__u32 length;
	size_t bucket;                                 /* of the hash table */
	struct memphis_region_node *parent;            /* NULL at the top */
	struct memphis_region_node *same_hash;         /* next region of the hash bucket */
	struct memphis_region_node *older;             /* region with the previous id */
	_Atomic(struct memphis_region_node *) younger; /* region with the next id */
	char name[];                                   /* `length` bytes and a NUL */
};

struct memphis_region_tree {
	__u32 most;  /* regions */
	__u32 bytes; /* of each name; longer names are truncated */
	_Atomic(struct memphis_region_node *) newest, first, buckets[MEMPHIS_REGION_BUCKETS];
	_Atomic(struct memphis_region_arena *) arena;
};

/*
 * Returns the region `name` (`length` bytes, no NUL needed) below `parent`, and creates it if it does not
 * exist. Returns NULL if there are too many regions or memory is exhausted. Callable by any thread.
 */
struct memphis_region_node *memphis_region_find(struct memphis_region_tree *tree,
						struct memphis_region_node *parent, const char *name,
						size_t length);

/* Returns the region with the id after that of `region`, or NULL; the first one if `region` is NULL. */
struct memphis_region_node *memphis_region_after(struct memphis_region_tree *tree,
						 struct memphis_region_node *region);

/* The same as memphis_region_find() for the regions of calipers, of which there is one tree. */
struct memphis_region_node *memphis_region_get(struct memphis_region_node *parent, const char *name,
					       size_t length);

/*
 * Appends a line "id parent name" to `text` for each region of calipers created after *written, or for all regions if
 * *written is NULL. Sets *written to the last of them.
 */
void memphis_region_list(struct memphis_text_buffer *text, struct memphis_region_node **written);

/* Numbered names (chunks PART_NAMES, FILES and PYTHON_LINES). A name exists until the process ends. */

#define MEMPHIS_PART_NAMES_MAX        65535
#define MEMPHIS_PART_NAME_MAX_BYTES   255 /* longer names are truncated */
#define MEMPHIS_FILE_NAMES_MAX        1023
#define MEMPHIS_FILE_NAME_MAX_BYTES   4095
#define MEMPHIS_PYTHON_LINES_MAX      65535
#define MEMPHIS_PYTHON_LINE_MAX_BYTES 1023

struct memphis_name_list {
	struct memphis_region_tree names; /* without parents */
	_Atomic __u64 left_out;
};

extern struct memphis_name_list memphis_part_names; /* of pools and of their parts */
extern struct memphis_name_list memphis_file_names; /* paths of files that I/O functions were called for */
extern struct memphis_name_list
	memphis_python_lines; /* lines of Python that have allocated memory, or called what did */

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
