/* SPDX-License-Identifier: BSD-3-Clause */
/* The region that samples get. */
#include "core/stamp.h"

_Atomic __u64 memphis_regions_left_out, memphis_calipers_too_deep;
_Atomic __u64 memphis_calipers_left;

void memphis_stamp_copy(struct memphis_control *to, struct memphis_region_log *log,
			const struct memphis_thread_record *thread)
{
	__u32 region;

	do {
		region = __atomic_load_n(&thread->own_page.region, __ATOMIC_SEQ_CST);
		__atomic_store_n(&to->region, region, __ATOMIC_SEQ_CST);
		if (log)
			memphis_region_log_add(log, region);
	} while (__atomic_load_n(&thread->own_page.region, __ATOMIC_SEQ_CST) != region);
}
