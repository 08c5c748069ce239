/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbered names (chunks PART_NAMES and FILES). A name exists until the process ends. */
#ifndef MEMPHIS_NAME_LIST_H
#define MEMPHIS_NAME_LIST_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "base/text.h"

#define MEMPHIS_NAME_BUCKETS 4096

#define MEMPHIS_PART_NAMES_MAX      65535
#define MEMPHIS_PART_NAME_MAX_BYTES 255 /* longer names are truncated */
#define MEMPHIS_FILE_NAMES_MAX      1023
#define MEMPHIS_FILE_NAME_MAX_BYTES 4095

struct memphis_name_list {
	__u32 most;  /* names */
	__u32 bytes; /* of each name */
	_Atomic(struct memphis_listed_name *) buckets[MEMPHIS_NAME_BUCKETS];
	_Atomic __u64 left_out;
	pthread_mutex_t lock; /* protects the members below, and additions to the buckets */
	struct memphis_listed_name *first, *last;
	char *arena;
	size_t room; /* bytes that are free in the arena */
};

extern struct memphis_name_list memphis_part_names; /* of pools and of their parts */
extern struct memphis_name_list memphis_file_names; /* paths of files that I/O functions were called for */

/*
 * Returns the number of a name, from 1, and creates it if it does not exist; 0 if `name` is NULL or empty. If there are too many names or
 * memory is exhausted, returns 0 and counts the call. Callable by any thread; lock-free if the name exists.
 */
__u32 memphis_name_number(struct memphis_name_list *list, const char *name);

#define MEMPHIS_NAME_BUSY UINT32_MAX

/* As memphis_name_number(), for callers that may be in a signal handler: returns MEMPHIS_NAME_BUSY if the list is in use at the moment. */
__u32 memphis_name_try(struct memphis_name_list *list, const char *name);

/* Appends a line "number name" to `text` for each name above *written, which is then set to the highest number. */
void memphis_names_list(struct memphis_name_list *list, struct memphis_text *text, __u32 *written);

/* Returns how many calls found no room for a name. */
__u64 memphis_name_list_left_out(const struct memphis_name_list *list);

/* Fork handler of the child: reinitialises the locks, which a thread of the parent may have held. */
void memphis_name_lists_forked(void);

#endif
