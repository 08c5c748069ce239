/* SPDX-License-Identifier: BSD-3-Clause */
/* Calipers of one thread that were left: their regions, in case the ends come late. */
#include <string.h>

#include "api/left.h"
#include "core/stamp.h"

struct memphis_left *memphis_left_find(struct memphis_thread_record *self, const char *name, size_t length)
{
	struct memphis_left *left;

	for (left = self->left; left < self->left + MEMPHIS_CALIPERS_LEFT; left++)
		if (left->count && (memphis_is_name(left->region, name, length) ||
				    memphis_is_cut(left->region, name, length)))
			return left;
	return NULL;
}

/*
 * Counts the caliper as left, and stores its region in case the end comes late; the oldest stored regions are
 * overwritten.
 */
void memphis_left_add(struct memphis_thread_record *self, const struct memphis_region_node *region)
{
	struct memphis_left *left = memphis_left_find(self, region->name, region->length);

	atomic_fetch_add(&memphis_calipers_left, 1);
	if (!left) {
		left = &self->left[MEMPHIS_CALIPERS_LEFT - 1];
		memmove(self->left, self->left + 1, sizeof(self->left) - sizeof(*left));
		left->count = 0;
	}
	left->region = region;
	left->count++;
}

/*
 * Returns true if this is the late end of a caliper that was counted as left. The program then opens several
 * calipers in one place, and from here on no caliper of this thread is counted as left.
 */
__attribute__((noinline)) bool memphis_left_ends_late(struct memphis_thread_record *self, const char *name,
						      size_t length)
{
	struct memphis_left *left = name ? memphis_left_find(self, name, length) : NULL;

	if (!left)
		return false;
	left->count--;
	self->leaves_none = true;
	atomic_fetch_sub(&memphis_calipers_left, 1);
	return true;
}
