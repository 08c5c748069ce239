/* SPDX-License-Identifier: BSD-3-Clause */
/* Records parts of blocks as allocation events, and keeps the pools to which the parts belong. */
#include <pthread.h>

#include "base/clock.h"
#include "core/alloc_min.h"
#include "core/session.h"
#include "data/region.h"
#include "data/events.h"
#include "interpose/note.h"
#include "interpose/parts.h"

#define SLAB_BYTES     65536
#define MIXED          1 /* value of `first` if more than one thread has recorded parts */
#define THREAD_OF(tag) ((tag) >> MEMPHIS_EVENT_THREAD_SHIFT)

/* Each pool has its own cache line, because each may belong to another thread. */
struct memphis_pool {
	_Atomic __u32 number; /* unique in the process; 0: the pool was destroyed */
	__u32 name;           /* data/region.h */
	/* Range of the parts recorded since the last reset. Some of them may have ended. `high` is 0 if there are none. */
	_Atomic __u64 low, high;
	/* Tag of the first of these parts if one thread recorded all of them, otherwise MIXED. */
	_Atomic __u64 first;
	struct memphis_pool *next; /* in the list of destroyed pools */
} __attribute__((aligned(64)));

/* Protects the variables below. */
static MEMPHIS_AT_FORK struct memphis_lock lock;
static struct memphis_pool *unused, *slab; /* slab: memory for further pools; never freed */
static size_t left;                        /* number of pools that fit in the slab */
static __u32 pools;                        /* number of pools so far */

struct memphis_pool *memphis_parts_pool(const char *name)
{
	const __u32 number = memphis_name_number(&memphis_part_names, name);
	struct memphis_pool *pool = NULL;

	memphis_lock_take(&lock);
	if (unused) {
		pool = unused;
		unused = pool->next;
	} else {
		if (!left) {
			slab = sys_map(SLAB_BYTES);
			left = slab ? SLAB_BYTES / sizeof(*slab) : 0;
		}
		if (left) {
			left--;
			pool = slab++;
		}
	}
	if (pool) {
		pool->name = number;
		atomic_store_explicit(&pool->low, UINT64_MAX, memory_order_relaxed);
		atomic_store_explicit(&pool->number, ++pools ? pools : ++pools, memory_order_relaxed);
	}
	memphis_lock_release(&lock);
	return pool;
}

/* Extends the range of the pool so that it contains the part. `tag`: tag of the part's event. */
static void extend_range(struct memphis_pool *pool, __u64 low, __u64 high, __u64 tag)
{
	__u64 old = atomic_load_explicit(&pool->low, memory_order_relaxed);

	while (low < old && !atomic_compare_exchange_weak(&pool->low, &old, low))
		;
	old = atomic_load_explicit(&pool->high, memory_order_relaxed);
	while (high > old && !atomic_compare_exchange_weak(&pool->high, &old, high))
		;
	old = atomic_load_explicit(&pool->first, memory_order_relaxed);
	if (!old && atomic_compare_exchange_strong(&pool->first, &old, tag))
		return;
	if (THREAD_OF(old) != THREAD_OF(tag) && old != MIXED)
		atomic_store_explicit(&pool->first, MIXED, memory_order_relaxed);
}

void memphis_parts_add(struct memphis_pool *pool, const void *address, __u64 bytes, const char *name,
		       void *frame)
{
	const __u64 low = (__u64)(uintptr_t)address;
	struct memphis_thread_record *thread;
	__u64 previous, tag;

	if (!memphis_parts_tracked || !pool || !address || !bytes || low + bytes < low)
		return;
	previous = atomic_load_explicit(&pool->number, memory_order_relaxed);
	if (!previous)
		return;
	previous |= (__u64)pool->name << 32 | (__u64)memphis_name_number(&memphis_part_names, name) << 48;
	/*
	 * If the program has its own malloc(), that malloc() may be the caller and hold its lock. The
	 * thread's record is then not completed, because the C library would allocate. Until it is complete,
	 * stacks consist of one PC.
	 */
	thread = memphis_note_enter(memphis_block_min == UINT64_MAX ? MEMPHIS_ALLOCATION_SMALL
								    : MEMPHIS_ALLOCATION_PART);
	if (!thread)
		return;
	/* Extend the range before the event is recorded, because from then on a reset must find the part. */
	tag = thread->events.tag;
	extend_range(pool, low, low + bytes, tag);
	memphis_part_regions_add(low, bytes);
	memphis_note(thread, MEMPHIS_ALLOCATION_PART, stamp_after(), address, bytes, (void *)previous, frame);
	/*
	 * A reset at the same time may have emptied the range before the event was recorded. The next reset
	 * must then find the part.
	 */
	if (atomic_load(&pool->high) < low + bytes || atomic_load(&pool->low) > low)
		extend_range(pool, low, low + bytes, tag);
	memphis_note_leave();
}

__u64 memphis_parts_stamp(void)
{
	return memphis_parts_tracked ? stamp_now() : 0;
}

int memphis_parts_end(struct memphis_pool *pool, const void *address, __u64 stamp)
{
	const __u32 number = pool ? atomic_load_explicit(&pool->number, memory_order_relaxed) : 0;
	struct memphis_thread_record *thread;

	if (!number || !address)
		return -EINVAL;
	/* Without parts, there is nothing to release. */
	if (!stamp || !atomic_load_explicit(&pool->high, memory_order_relaxed))
		return 0;
	thread = memphis_note_enter(MEMPHIS_ALLOCATION_PART_FREE);
	if (!thread)
		return 0;
	memphis_note(thread, MEMPHIS_ALLOCATION_PART_FREE, stamp, address, 0, (void *)(uintptr_t)number,
		     NULL);
	memphis_note_leave();
	return 0;
}

int memphis_parts_reset(struct memphis_pool *pool)
{
	const __u32 number = pool ? atomic_load_explicit(&pool->number, memory_order_relaxed) : 0;
	__u64 stamp = memphis_parts_stamp(), low, high, first;
	struct memphis_thread_record *thread;

	if (!number)
		return -EINVAL;
	if (!stamp || !atomic_load_explicit(&pool->high, memory_order_relaxed))
		return 0;
	thread = memphis_note_enter(MEMPHIS_ALLOCATION_POOL_RESET);
	if (!thread)
		return 0;
	high = atomic_exchange(&pool->high, 0);
	low = atomic_exchange(&pool->low, UINT64_MAX);
	first = atomic_exchange(&pool->first, 0);
	if (high > low)
		memphis_note_reset(thread, stamp, low, high - low, number, first == MIXED ? 0 : first);
	memphis_note_leave();
	return 0;
}

int memphis_parts_destroy(struct memphis_pool *pool)
{
	int err = memphis_parts_reset(pool);

	if (err)
		return err;
	memphis_lock_take(&lock);
	/* If two threads destroy the pool, one of them finds that it is already destroyed. */
	if (atomic_exchange(&pool->number, 0)) {
		pool->next = unused;
		unused = pool;
	} else {
		err = -EINVAL;
	}
	memphis_lock_release(&lock);
	return err;
}

void memphis_parts_forked(void)
{
	memphis_lock_reset(&lock);
}
