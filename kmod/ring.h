/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The two areas of a thread that user space maps: the ring (status page and records, read-only for user
 * space) and the control page (writable by user space, hence never trusted).
 */
#ifndef MEMPHIS_RING_H
#define MEMPHIS_RING_H

#include <linux/compiler.h>
#include <linux/mm_types.h>
#include <linux/types.h>

#include <asm/barrier.h>

#include <memphis/device.h>

/*
 * Written only by the overflow handler of the ring's thread, which runs on one CPU at a time. The handler
 * relies on these members, which user space cannot access; status contains copies for user space.
 */
struct memphis_ring {
	u64 head;     /* records written since the thread was attached */
	u64 tail;     /* last valid tail read from the control page */
	u64 wake_at;  /* head at which a wake-up is next considered */
	u32 capacity; /* records; a power of two */
	u32 wakeup;   /* unconsumed records that make a drain due */
	struct memphis_status *status;
	struct memphis_sample *records;
	struct memphis_control *control;
	u64 bytes; /* size of the read-only area */
};

/**
 * memphis_ring_init() - allocates a ring and its control page, charged to the caller's memory cgroup
 * @ring: zeroed by the caller; filled in
 * @records: capacity; a power of two
 * @wakeup: unconsumed records that make a drain due
 *
 * Return: 0 or -ENOMEM.
 */
int memphis_ring_init(struct memphis_ring *ring, u32 records, u32 wakeup);

/**
 * memphis_ring_destroy() - frees what memphis_ring_init() allocated
 * @ring: the ring; it is mapped nowhere, and no handler writes to it
 */
void memphis_ring_destroy(struct memphis_ring *ring);

/**
 * memphis_ring_bytes() - size of a ring's read-only area
 * @records: capacity
 *
 * Return: bytes, a multiple of the page size.
 */
u64 memphis_ring_bytes(u32 records);

/**
 * memphis_control_alloc() - allocates a zeroed control page, charged to the caller's memory cgroup
 *
 * Return: the page, to be freed with memphis_control_free(), or NULL.
 */
struct memphis_control *memphis_control_alloc(void);

/**
 * memphis_control_free() - frees a control page
 * @control: the page, which is mapped nowhere; NULL is a no-op
 */
void memphis_control_free(struct memphis_control *control);

/*
 * Called from mmap(). A mapping always covers a whole area. It may hold no reference to the pages (compat.h),
 * so the caller ensures that the mapping has a reference to the thread or, through its file, to the session.
 */
/**
 * memphis_ring_map() - maps a ring's status and records, permanently read-only
 * @ring: the ring
 * @vma: the VMA to fill
 *
 * Return: 0; -EINVAL if the VMA is not of the ring's size; -EPERM if it is writable; -ENOMEM.
 */
int memphis_ring_map(const struct memphis_ring *ring, struct vm_area_struct *vma);

/**
 * memphis_control_map() - maps a control page
 * @control: the page
 * @vma: the VMA to fill
 *
 * Return: 0; -EINVAL if the VMA is not one page; -ENOMEM.
 */
int memphis_control_map(struct memphis_control *control, struct vm_area_struct *vma);

/* Number of unconsumed records, by a tail that user space wrote: an invalid tail counts as a full ring. */
static inline u64 memphis_ring_used(u64 head, u64 tail, u32 capacity)
{
	u64 used = head - tail;

	return used > capacity ? capacity : used;
}

/* For poll(); any context. */
static inline bool memphis_ring_is_due(const struct memphis_ring *ring)
{
	u64 head = READ_ONCE(ring->head);

	return memphis_ring_used(head, READ_ONCE(ring->control->tail), ring->capacity) >= ring->wakeup;
}

/*
 * Write section of the accounting, as in a seqlock: user space retries on an odd or a changed sequence. The
 * handler is the only writer.
 */
static inline struct memphis_accounting *memphis_ring_stats_begin(struct memphis_ring *ring)
{
	struct memphis_status *status = ring->status;

	WRITE_ONCE(status->sequence, status->sequence + 1);
	smp_wmb(); /* the odd sequence before the accounting; pairs with the reader's barrier */
	return &status->accounting;
}

static inline void memphis_ring_stats_end(struct memphis_ring *ring)
{
	struct memphis_status *status = ring->status;

	smp_wmb(); /* the accounting before the even sequence */
	WRITE_ONCE(status->sequence, status->sequence + 1);
}

/* Is there room for a record? A tail ahead of head, or more than the capacity behind, counts as full. */
static inline bool memphis_ring_has_room(struct memphis_ring *ring)
{
	u64 tail;

	if (likely(ring->head - ring->tail < ring->capacity))
		return true;
	/* Acquire: the consumer has read the records before it released them. */
	tail = smp_load_acquire(&ring->control->tail);
	if (ring->head - tail >= ring->capacity)
		return false;
	ring->tail = tail;
	return true;
}

static inline void memphis_ring_put(struct memphis_ring *ring, const struct memphis_sample *sample)
{
	ring->records[ring->head & (ring->capacity - 1)] = *sample;
	WRITE_ONCE(ring->head, ring->head + 1);
	/* The record is visible before the head that covers it. */
	smp_store_release(&ring->status->head, ring->head);
}

/* Should the drain be woken now? True once per `wakeup` records since the last wake-up or drain. */
static inline bool memphis_ring_should_wake(struct memphis_ring *ring)
{
	u64 used;

	if (likely(ring->head < ring->wake_at))
		return false;
	used = memphis_ring_used(ring->head, READ_ONCE(ring->control->tail), ring->capacity);
	if (used >= ring->wakeup) {
		ring->wake_at = ring->head + ring->wakeup;
		return true;
	}
	ring->wake_at = ring->head + ring->wakeup - used;
	return false;
}

#endif
