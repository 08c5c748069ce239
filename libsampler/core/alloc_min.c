/* SPDX-License-Identifier: BSD-3-Clause */
/* The minimum sizes from which allocations are tracked. */
#include "core/alloc_min.h"
#include "data/byte_sampler.h"

__u64 memphis_alloc_min = UINT64_MAX;
__u64 memphis_block_min = UINT64_MAX;
int memphis_parts_tracked;

void memphis_alloc_stop(void)
{
	__atomic_store_n(&memphis_alloc_min, UINT64_MAX, __ATOMIC_RELAXED);
	__atomic_store_n(&memphis_block_min, UINT64_MAX, __ATOMIC_RELAXED);
	__atomic_store_n(&memphis_small_mean, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&memphis_parts_tracked, 0, __ATOMIC_RELAXED);
}
