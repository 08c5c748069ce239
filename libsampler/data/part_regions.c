/* SPDX-License-Identifier: BSD-3-Clause */
/* A bitmap of regions with parts of pools, indexed by a hash. Bits are never cleared. */
#include <stdatomic.h>
#include <stddef.h>

#include "data/part_regions.h"

/* Parts up to 2^SMALL_SHIFT * SMALL_MAX bytes mark small regions, so that they do not concern many other blocks; others mark large ones. */
#define SMALL_SHIFT 14
#define SMALL_MAX   256
#define LARGE_SHIFT 22
#define REGIONS_MAX \
	65536 /* a part with more regions counts as being everywhere; a block with more, as having parts */
#define WORDS 16384 /* of 64 bits */

static _Atomic __u64 regions[WORDS];
_Atomic int memphis_part_regions_any;
static _Atomic int everywhere;

static __u64 last_region(__u64 low, __u64 bytes, unsigned int shift)
{
	return (low + (bytes ? bytes - 1 : 0)) >> shift;
}

/* Returns the bit of a region in *word. */
static inline __u64 bit_of(__u64 region, unsigned int shift, size_t *word)
{
	const __u64 hash = (region << 8 | shift) * 0x9e3779b97f4a7c15u >> 44;

	*word = hash / 64;
	return 1ull << hash % 64;
}

void memphis_part_regions_add(__u64 low, __u64 bytes)
{
	const unsigned int shift = bytes > (__u64)SMALL_MAX << SMALL_SHIFT ? LARGE_SHIFT : SMALL_SHIFT;
	const __u64 last = last_region(low, bytes, shift);
	__u64 region = low >> shift, bit;
	size_t word;

	if (last - region >= REGIONS_MAX) {
		atomic_store_explicit(&everywhere, 1, memory_order_relaxed);
		region = last;
	}
	for (; region <= last; region++) {
		bit = bit_of(region, shift, &word);
		if (!(atomic_load_explicit(&regions[word], memory_order_relaxed) & bit))
			atomic_fetch_or_explicit(&regions[word], bit, memory_order_relaxed);
	}
	if (!atomic_load_explicit(&memphis_part_regions_any, memory_order_relaxed))
		atomic_store_explicit(&memphis_part_regions_any, 1, memory_order_release);
}

static int has(__u64 low, __u64 bytes, unsigned int shift)
{
	const __u64 last = last_region(low, bytes, shift);
	__u64 region = low >> shift, bit;
	size_t word;

	if (last - region >= REGIONS_MAX)
		return 1;
	for (; region <= last; region++) {
		bit = bit_of(region, shift, &word);
		if (atomic_load_explicit(&regions[word], memory_order_relaxed) & bit)
			return 1;
	}
	return 0;
}

int memphis_part_regions_look_up(__u64 low, __u64 bytes)
{
	return atomic_load_explicit(&everywhere, memory_order_relaxed) || has(low, bytes, LARGE_SHIFT) ||
	       has(low, bytes, SMALL_SHIFT);
}
