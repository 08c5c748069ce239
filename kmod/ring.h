/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The two areas of a thread that user space maps. The ring consists of a status page and records, and is
 * read-only for user space. The control page is writable by user space, so the module does not trust it.
 */
#ifndef MEMPHIS_RING_H
#define MEMPHIS_RING_H

#include <linux/compiler.h>
#include <linux/mm_types.h>
#include <linux/types.h>

#include <asm/barrier.h>

#include <memphis/device.h>

/*
 * A ring, as the overflow handler of its thread uses it. The handler is the only writer, and runs on one CPU
 * at a time. User space can't access these members, so the handler can rely on them. *status contains copies
 * for user space.
 */
struct memphis_ring {
	u64 head;           /* number of records written since the thread was attached */
	u64 tail;           /* last valid tail read from the control page */
	u64 wake_at;        /* value of head at which a wake-up is next considered */
	u32 capacity;       /* number of records; a power of two */
	u32 wakeup;         /* number of unconsumed records at which the drain must be woken */
	u64 stack_head;     /* number of stacks written since the thread was attached */
	u64 stack_woken;    /* stack_head at the last wake-up for a stack */
	u64 stack_tail;     /* last valid stack_tail read from the control page */
	u32 stack_capacity; /* number of stacks; a power of two, or 0: no stacks are copied */
	u32 stack_bytes;    /* size of a struct memphis_user_stack with its stack */
	struct memphis_status *status;
	struct memphis_sample *records;
	void *stacks;
	struct memphis_control *control;
	u64 bytes; /* size of the read-only area */
};

/**
 * memphis_ring_init() - allocates a ring and its control page, charged to the caller's memory cgroup
 * @ring: the ring; zeroed by the caller, filled in here
 * @config: configuration of the session, which has the capacities
 *
 * Return: 0, or -ENOMEM if memory is exhausted.
 */
int memphis_ring_init(struct memphis_ring *ring, const struct memphis_config *config);

/**
 * memphis_ring_destroy() - frees what memphis_ring_init() allocated
 * @ring: the ring; there are no mappings of it, and no handler writes to it
 */
void memphis_ring_destroy(struct memphis_ring *ring);

/**
 * memphis_ring_bytes() - returns the size of a ring's read-only area
 * @config: configuration of the session, which has the capacities
 *
 * Return: the size in bytes, a multiple of the page size.
 */
u64 memphis_ring_bytes(const struct memphis_config *config);

/**
 * memphis_ring_stacks_at() - returns the offset of the ring of stacks in a ring's read-only area
 * @config: configuration of the session, which has the capacities
 *
 * Return: the offset in bytes, a multiple of the page size.
 */
u64 memphis_ring_stacks_at(const struct memphis_config *config);

/**
 * memphis_control_alloc() - allocates a zeroed control page, charged to the caller's memory cgroup
 *
 * Return: the page, to be freed with memphis_control_free(), or NULL if memory is exhausted.
 */
struct memphis_control *memphis_control_alloc(void);

/**
 * memphis_control_free() - frees a control page
 * @control: the page, of which there are no mappings; NULL is ignored
 */
void memphis_control_free(struct memphis_control *control);

/*
 * The two functions below implement mmap(). A mapping always covers a whole area. On some kernels, a mapping
 * does not pin its pages (see compat.h). The caller therefore keeps the owner of the pages alive by a
 * reference to the thread, or by the file, which has a reference to the session.
 */
/**
 * memphis_ring_map() - maps a ring's status page and records, permanently read-only
 * @ring: the ring
 * @vma: the VMA to fill
 *
 * Return: 0; -EINVAL if the size of the VMA is not memphis_ring_bytes(); -EPERM if the VMA is writable;
 * -ENOMEM if memory is exhausted.
 */
int memphis_ring_map(const struct memphis_ring *ring, struct vm_area_struct *vma);

/**
 * memphis_control_map() - maps a control page
 * @control: the page
 * @vma: the VMA to fill
 *
 * Return: 0; -EINVAL if the size of the VMA is not one page; -ENOMEM if memory is exhausted.
 */
int memphis_control_map(struct memphis_control *control, struct vm_area_struct *vma);

/* Returns the number of unconsumed records. User space writes the tail. If the tail is invalid, the ring counts as full. */
static inline u64 memphis_ring_used(u64 head, u64 tail, u32 capacity)
{
	u64 used = head - tail;

	return used > capacity ? capacity : used;
}

/* Returns true if the ring of stacks is at least half full. May be called in any context. */
static inline bool memphis_ring_stacks_are_due(const struct memphis_ring *ring)
{
	u64 head = READ_ONCE(ring->stack_head);

	return ring->stack_capacity &&
	       2 * memphis_ring_used(head, READ_ONCE(ring->control->stack_tail), ring->stack_capacity) >=
		       ring->stack_capacity;
}

/* Returns true if the ring has so many unconsumed records or stacks that poll() must report it. May be called in any context. */
static inline bool memphis_ring_is_due(const struct memphis_ring *ring)
{
	u64 head = READ_ONCE(ring->head);

	return memphis_ring_used(head, READ_ONCE(ring->control->tail), ring->capacity) >= ring->wakeup ||
	       memphis_ring_stacks_are_due(ring);
}

/*
 * Opens the write section of the accounting, as in a seqlock. memphis_ring_stats_end() closes the section.
 * User space retries if the sequence is odd or has changed. The handler is the only writer.
 */
static inline struct memphis_accounting *memphis_ring_stats_begin(struct memphis_ring *ring)
{
	struct memphis_status *status = ring->status;

	WRITE_ONCE(status->sequence, status->sequence + 1);
	smp_wmb(); /* orders the odd sequence before the accounting; pairs with the reader's barrier */
	return &status->accounting;
}

static inline void memphis_ring_stats_end(struct memphis_ring *ring)
{
	struct memphis_status *status = ring->status;

	smp_wmb(); /* orders the accounting before the even sequence */
	WRITE_ONCE(status->sequence, status->sequence + 1);
}

/* Returns true if there is room for a record. A ring whose tail is not in [head - capacity, head] counts as full. */
static inline bool memphis_ring_has_room(struct memphis_ring *ring)
{
	u64 tail;

	if (likely(ring->head - ring->tail < ring->capacity))
		return true;
	/* Acquire: the consumer has finished reading the records that it released by advancing the tail. */
	tail = smp_load_acquire(&ring->control->tail);
	if (ring->head - tail >= ring->capacity)
		return false;
	ring->tail = tail;
	return true;
}

/* Returns the location for the next stack, or NULL if the ring of stacks is full. memphis_ring_put_stack() adds the stack. */
static inline struct memphis_user_stack *memphis_ring_stack(struct memphis_ring *ring)
{
	u64 tail;

	if (unlikely(ring->stack_head - ring->stack_tail >= ring->stack_capacity)) {
		/* Acquire: the consumer has finished reading the stacks that it released by advancing the tail. */
		tail = smp_load_acquire(&ring->control->stack_tail);
		if (ring->stack_head - tail >= ring->stack_capacity)
			return NULL;
		ring->stack_tail = tail;
	}
	return ring->stacks + (ring->stack_head & (ring->stack_capacity - 1)) * ring->stack_bytes;
}

/* Adds the stack. It becomes visible when memphis_ring_put() adds its sample. */
static inline void memphis_ring_put_stack(struct memphis_ring *ring)
{
	WRITE_ONCE(ring->stack_head, ring->stack_head + 1);
	WRITE_ONCE(ring->status->stack_head, ring->stack_head);
}

static inline void memphis_ring_put(struct memphis_ring *ring, const struct memphis_sample *sample)
{
	ring->records[ring->head & (ring->capacity - 1)] = *sample;
	WRITE_ONCE(ring->head, ring->head + 1);
	/* Release: the record becomes visible before the new head. */
	smp_store_release(&ring->status->head, ring->head);
}

/*
 * Returns true if the drain should be woken now. This happens once for every `wakeup` records since the last
 * wake-up or drain. It also happens for each new stack while the ring of stacks is at least half full.
 */
static inline bool memphis_ring_should_wake(struct memphis_ring *ring)
{
	u64 used;

	if (likely(ring->head < ring->wake_at)) {
		if (ring->stack_head == ring->stack_woken || !memphis_ring_stacks_are_due(ring))
			return false;
		ring->stack_woken = ring->stack_head;
		return true;
	}
	used = memphis_ring_used(ring->head, READ_ONCE(ring->control->tail), ring->capacity);
	if (used >= ring->wakeup) {
		ring->wake_at = ring->head + ring->wakeup;
		return true;
	}
	ring->wake_at = ring->head + ring->wakeup - used;
	return false;
}

#endif
