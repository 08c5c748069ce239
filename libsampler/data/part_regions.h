/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where parts of pools have been recorded: a filter of regions of memory. The release of a block ends the parts in it, also those that other
 * threads recorded; a block that may contain parts must not be dropped, or its parts would live on.
 */
#ifndef MEMPHIS_PART_REGIONS_H
#define MEMPHIS_PART_REGIONS_H

#include <stdatomic.h>

#include <memphis/device.h>

/* To be called before the event of the part is recorded. */
void memphis_part_regions_add(__u64 low, __u64 bytes);

/* 1: memphis_part_regions_add() has been called. */
extern _Atomic int memphis_part_regions_any __attribute__((visibility("hidden")));

/* Slow path of memphis_part_regions_has(), for programs with parts. */
int memphis_part_regions_look_up(__u64 low, __u64 bytes);

/* Returns 0 if no part was ever recorded in this memory, else 1; seldom also without. */
static inline int memphis_part_regions_has(__u64 low, __u64 bytes)
{
	return atomic_load_explicit(&memphis_part_regions_any, memory_order_acquire) &&
	       memphis_part_regions_look_up(low, bytes);
}

#endif
