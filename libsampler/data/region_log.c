/* SPDX-License-Identifier: BSD-3-Clause */
/* Log of region changes: calipers append entries, and the drain looks them up. */
#include "data/region_log.h"

struct memphis_region_log *memphis_region_log_new(void)
{
	return sys_map(sizeof(struct memphis_region_log));
}

void memphis_region_log_free(struct memphis_region_log *log)
{
	sys_unmap(log, sizeof(*log));
}

void memphis_region_log_add(struct memphis_region_log *log, __u32 region)
{
	__u64 head = atomic_load_explicit(&log->head, memory_order_relaxed);
	__u64 place;

	do {
		/* Acquire pairs with memphis_region_log_release(), which clears the entry before it stores `tail`. */
		if (head - atomic_load_explicit(&log->tail, memory_order_acquire) >=
		    MEMPHIS_REGION_LOG_ENTRIES) {
			atomic_fetch_add(&log->left_out, 1);
			return;
		}
	} while (!atomic_compare_exchange_weak_explicit(&log->head, &head, head + 1, memory_order_relaxed,
							memory_order_relaxed));
	place = head % MEMPHIS_REGION_LOG_ENTRIES;
	log->entries[place].region = region;
	atomic_store_explicit(&log->entries[place].time_ns, now_ns(), memory_order_release);
}

__u32 memphis_region_log_at(const struct memphis_region_log *log, struct memphis_region_cursor *cursor,
			    __u64 time_ns)
{
	__u64 head = atomic_load_explicit(&log->head, memory_order_relaxed);

	for (; cursor->at < head; cursor->at++) {
		__u64 place = cursor->at % MEMPHIS_REGION_LOG_ENTRIES;
		__u64 began = atomic_load_explicit(&log->entries[place].time_ns, memory_order_acquire);

		if (!began || began > time_ns)
			break;
		cursor->region = log->entries[place].region;
	}
	return cursor->region;
}

void memphis_region_log_release(struct memphis_region_log *log, __u64 at)
{
	__u64 tail = atomic_load_explicit(&log->tail, memory_order_relaxed);

	for (; tail < at; tail++)
		atomic_store_explicit(&log->entries[tail % MEMPHIS_REGION_LOG_ENTRIES].time_ns, 0,
				      memory_order_relaxed);
	atomic_store_explicit(&log->tail, at, memory_order_release);
}
