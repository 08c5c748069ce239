/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Trees of names. A region is identified by its parent and its name, and exists until the process ends. All
 * functions except memphis_region_list() and memphis_names_list() are lock-free and async-signal-safe. A
 * signal handler that interrupts one of them may call it again, or leave it by longjmp(). A thread may end
 * inside one of them, or may not exist in a forked child. In these cases, at most the memory of one name is
 * lost.
 */
#ifndef MEMPHIS_REGION_H
#define MEMPHIS_REGION_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/text.h"

#define MEMPHIS_REGIONS_MAX     65535
#define MEMPHIS_REGION_NAME_MAX 255 /* bytes; longer names are truncated */
#define MEMPHIS_REGION_BUCKETS  4096

struct memphis_region_node {
	__u32 id; /* from 1 */
	__u32 length;
	size_t bucket;                                 /* of the hash table */
	struct memphis_region_node *parent;            /* NULL at the top */
	const struct memphis_region_node *label;       /* the registered name of a caliper's region */
	struct memphis_region_node *same_hash;         /* next region in the same hash bucket */
	struct memphis_region_node *older;             /* region with the previous id */
	_Atomic(struct memphis_region_node *) younger; /* region with the next id */
	const char *constant;                          /* where the name is, too, and never changes */
	bool recurs;                                   /* a region around this one has the same name */
	char name[];                                   /* `length` bytes and a NUL */
};

struct memphis_region_tree {
	__u32 most;  /* maximum number of regions */
	__u32 bytes; /* maximum length of a name; longer names are truncated */
	_Atomic(struct memphis_region_node *) newest, first, buckets[MEMPHIS_REGION_BUCKETS];
	_Atomic(struct memphis_region_arena *) arena;
};

/*
 * Returns the region with this name below `parent`, and creates it if it does not exist. `name` has `length`
 * bytes and needs no NUL. Returns NULL if there are too many regions or memory is exhausted. Any thread may
 * call it.
 */
struct memphis_region_node *memphis_region_find(struct memphis_region_tree *tree,
						struct memphis_region_node *parent, const char *name,
						size_t length);

/* Returns the region with the next id after `region`, or NULL if there is none. Returns the first region if `region` is NULL. */
struct memphis_region_node *memphis_region_after(struct memphis_region_tree *tree,
						 struct memphis_region_node *region);

/* Does the same as memphis_region_find() for registered names, which have no parents. */
struct memphis_region_node *memphis_region_label(const char *name, size_t length);

/*
 * Does the same as memphis_region_find() in the tree of the regions of calipers. Each of these regions has a
 * label, so that a registered name can be recognised by its address.
 */
struct memphis_region_node *memphis_region_get(struct memphis_region_node *parent, const char *name,
					       size_t length);

/*
 * Appends a line "id parent name" to `text` for each region of calipers created after *written, or for all
 * regions if *written is NULL. Sets *written to the last listed region.
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
extern struct memphis_name_list memphis_file_names; /* paths of the files that I/O functions used */
extern struct memphis_name_list
	memphis_python_lines; /* lines of Python that allocated memory, or that are callers of such lines */

/*
 * Returns the number of a name, from 1, and creates the name if it does not exist. Returns 0 if `name` is
 * NULL or empty. Returns 0 and counts the call if there are too many names or memory is exhausted. Any thread
 * may call it. Lock-free, async-signal-safe.
 */
__u32 memphis_name_number(struct memphis_name_list *list, const char *name);

/*
 * Appends a line "number name" to `text` for each name created after *written, or for all names if *written
 * is NULL. Sets *written to the last listed name.
 */
void memphis_names_list(struct memphis_name_list *list, struct memphis_text_buffer *text,
			struct memphis_region_node **written);

/* Returns the number of calls that found no room for a name. */
__u64 memphis_name_list_left_out(const struct memphis_name_list *list);

#endif
