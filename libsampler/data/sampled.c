/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory that samples of this session have hit: a bitmap, indexed by a hash of the address. */
#include <string.h>

#include "base/sys.h"
#include "data/sampled.h"

#define EXTENT_SHIFT 16
#define BITS_SHIFT   20
#define BYTES        ((1u << BITS_SHIFT) / 8)
#define EXTENTS_MAX  4096u /* larger memory counts as sampled if there is any sample */

static __u64 *extent_bits;
static bool any;

int memphis_sampled_open(void)
{
	if (!extent_bits)
		extent_bits = sys_map(BYTES);
	else if (any)
		memset(extent_bits, 0, BYTES);
	any = false;
	return extent_bits ? 0 : -ENOMEM;
}

static __u32 extent_bit(__u64 extent)
{
	return (__u32)(extent * 0x9e3779b97f4a7c15u >> (64 - BITS_SHIFT));
}

void memphis_sampled_add(__u64 address)
{
	const __u32 bit = extent_bit(address >> EXTENT_SHIFT);

	extent_bits[bit / 64] |= 1ull << bit % 64;
	any = true;
}

bool memphis_sampled_has(__u64 low, __u64 high)
{
	const __u64 last = (high - 1) >> EXTENT_SHIFT;
	__u64 extent = low >> EXTENT_SHIFT;
	__u32 bit;

	if (!any || low >= high)
		return false;
	if (last - extent >= EXTENTS_MAX)
		return true;
	for (; extent <= last; extent++) {
		bit = extent_bit(extent);
		if (extent_bits[bit / 64] >> bit % 64 & 1)
			return true;
	}
	return false;
}
