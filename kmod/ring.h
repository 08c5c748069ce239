/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The two areas of a thread that user space maps: the ring (status page and records, read-only there)
 * and the control page (writable there, hence never trusted).
 */
#ifndef MEMPHIS_RING_H
#define MEMPHIS_RING_H

#include <linux/compiler.h>
#include <linux/mm_types.h>
#include <linux/types.h>

#include <asm/barrier.h>

#include <memphis/device.h>

/*
 * Written by the interrupt handler of the ring's thread only, which runs on one CPU at a time.
 * What the handler goes by is here, out of reach of user space; status holds copies.
 */
struct memphis_ring {
	u64 head;     /* records written since the start */
	u64 tail;     /* the last sane tail that was seen */
	u64 wake_at;  /* head at which the drain may be due */
	u32 capacity; /* records; a power of two */
	u32 wakeup;   /* records that make a drain due */
	struct memphis_status *status;
	struct memphis_sample *records;
	struct memphis_control *control;
	u64 bytes; /* of the read-only area */
};

/**
 * memphis_ring_init() - allocates a ring and its control page, charged to the caller's memory cgroup
 * @ring: is filled; zero before
 * @records: capacity; a power of two
 * @wakeup: records that make a drain due
 *
 * Return: 0 or -ENOMEM.
 */
int memphis_ring_init(struct memphis_ring *ring, u32 records, u32 wakeup);

/**
 * memphis_ring_destroy() - frees what memphis_ring_init() allocated
 * @ring: nobody has it mapped, and no handler writes to it
 */
void memphis_ring_destroy(struct memphis_ring *ring);

/**
 * memphis_ring_bytes() - size of a ring's read-only area
 * @records: capacity
 *
 * Return: bytes, in whole pages.
 */
u64 memphis_ring_bytes(u32 records);

/**
 * memphis_control_alloc() - a control page: zeroed, charged to the caller's memory cgroup
 *
 * Return: the page, for memphis_control_free(); NULL: no memory.
 */
struct memphis_control *memphis_control_alloc(void);

/**
 * memphis_control_free() - frees a control page
 * @control: nobody has it mapped; NULL does nothing
 */
void memphis_control_free(struct memphis_control *control);

/*
 * Whole-area maps, called from mmap. The memory has to stay as long as the map: the caller sees to it that the map holds the
 * thread, or by its file the session.
 */
/**
 * memphis_ring_map() - maps a ring's status and records, never to be writable
 * @ring: the ring
 * @vma: where to
 *
 * Return: 0; -EINVAL not of the ring's size; -EPERM to be writable; -ENOMEM.
 */
int memphis_ring_map(const struct memphis_ring *ring, struct vm_area_struct *vma);

/**
 * memphis_control_map() - maps a control page
 * @control: the page
 * @vma: where to
 *
 * Return: 0; -EINVAL not of one page; -ENOMEM.
 */
int memphis_control_map(struct memphis_control *control, struct vm_area_struct *vma);

/* Records not yet consumed, by a tail that user space wrote: nonsense counts as a full ring. */
static inline u64 memphis_ring_used(u64 head, u64 tail, u32 capacity)
{
	u64 used = head - tail;

	return used > capacity ? capacity : used;
}

/* For poll, from any context. */
static inline bool memphis_ring_is_due(const struct memphis_ring *ring)
{
	u64 head = READ_ONCE(ring->head);

	return memphis_ring_used(head, READ_ONCE(ring->control->tail), ring->capacity) >= ring->wakeup;
}

/* The handler changes the accounting between begin and end; readers retry on an odd or a moved sequence. */
static inline struct memphis_accounting *memphis_ring_stats_begin(struct memphis_ring *ring)
{
	struct memphis_status *status = ring->status;

	WRITE_ONCE(status->sequence, status->sequence + 1);
	smp_wmb(); /* odd before the accounting move; pairs with the reader's */
	return &status->accounting;
}

static inline void memphis_ring_stats_end(struct memphis_ring *ring)
{
	struct memphis_status *status = ring->status;

	smp_wmb(); /* the accounting before even */
	WRITE_ONCE(status->sequence, status->sequence + 1);
}

/* Room for one more record? Trusts nothing: a tail ahead of head, or too far behind, is "full". */
static inline bool memphis_ring_has_room(struct memphis_ring *ring)
{
	u64 tail;

	if (likely(ring->head - ring->tail < ring->capacity))
		return true;
	/* Acquire: the reader has read the records before it released them. */
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
	/* The record before the head that tells of it. */
	smp_store_release(&ring->status->head, ring->head);
}

/* Is the drain to be woken now? Once for each `wakeup` records that came since it was, or has drained. */
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
