/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of calipers, and the calipers of one thread that were left without an end. */
#ifndef MEMPHIS_LEFT_H
#define MEMPHIS_LEFT_H

#include <string.h>

#include "api/caliper.h"
#include "core/thread.h"

/*
 * Returns 1 if `name` is the name of `region`. `length` is the length of `name`, or MEMPHIS_NUL if it ends with
 * NUL. A single libc call in the common case keeps inner calipers down to nanoseconds.
 */
static inline int memphis_is_name(const struct memphis_region_node *region, const char *name, size_t length)
{
	if (length == MEMPHIS_NUL)
		return !strcmp(region->name, name);
	return region->length == length && !memcmp(region->name, name, length);
}

/* Returns 1 if the name exceeds the limit of region names, and the region has the truncated name. */
static inline int memphis_is_cut(const struct memphis_region_node *region, const char *name, size_t length)
{
	if (length == MEMPHIS_NUL)
		length = strlen(name);
	return length > MEMPHIS_REGION_NAME_MAX && region->length == MEMPHIS_REGION_NAME_MAX &&
	       !memcmp(region->name, name, MEMPHIS_REGION_NAME_MAX);
}

/* Returns what is stored of the thread's left calipers of this name, or NULL. */
struct memphis_left *memphis_left_find(struct memphis_thread_record *self, const char *name, size_t length);

/* Counts a caliper as left, and stores its region. */
void memphis_left_add(struct memphis_thread_record *self, const struct memphis_region_node *region);

/* Called for an end without a caliper: returns true if it is the late end of one that was left. */
bool memphis_left_ends_late(struct memphis_thread_record *self, const char *name, size_t length);

#endif
