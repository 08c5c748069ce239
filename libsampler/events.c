/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A thread's allocation events on their way to the drain: blocks of records, one producer (the thread),
 * one consumer (the drain), no lock between them.
 */
#include <string.h>

#include "events.h"

#define SQUEEZE_BLOCKS 16

_Atomic int memphis_events_drained;
static _Atomic __u64 bytes_used;

/* Blocks that the drain has emptied, for whoever needs the next: no page fault for each page again. */
#define POOL 256
static struct memphis_event_block *pool[POOL];
static int pooled;
static atomic_flag pool_busy = ATOMIC_FLAG_INIT;

static struct memphis_event_block *from_pool(void)
{
	struct memphis_event_block *block = NULL;

	if (!atomic_flag_test_and_set_explicit(&pool_busy, memory_order_acquire)) {
		if (pooled)
			block = pool[--pooled];
		atomic_flag_clear_explicit(&pool_busy, memory_order_release);
	}
	return block;
}

static int to_pool(struct memphis_event_block *block)
{
	int taken = 0;

	if (!atomic_flag_test_and_set_explicit(&pool_busy, memory_order_acquire)) {
		if (pooled < POOL) {
			pool[pooled++] = block;
			taken = 1;
		}
		atomic_flag_clear_explicit(&pool_busy, memory_order_release);
	}
	return taken;
}

static struct memphis_event_block *new_block(__u32 kind)
{
	struct memphis_event_block *block;
	__u64 bound = MEMPHIS_EVENT_BYTES_MAX;

	if (kind == MEMPHIS_ALLOCATION_MALLOC || kind == MEMPHIS_ALLOCATION_MAP)
		bound -= bound / 4;
	if (atomic_load_explicit(&bytes_used, memory_order_relaxed) > bound)
		return NULL;
	block = from_pool();
	if (block)
		return block;
	if (atomic_fetch_add(&bytes_used, MEMPHIS_EVENT_BLOCK_BYTES) + MEMPHIS_EVENT_BLOCK_BYTES <= bound)
		block = sys_map(MEMPHIS_EVENT_BLOCK_BYTES);
	if (!block)
		atomic_fetch_sub(&bytes_used, MEMPHIS_EVENT_BLOCK_BYTES);
	return block;
}

/* A block that nobody uses any more. */
static void free_block(struct memphis_event_block *block)
{
	atomic_store_explicit(&block->next, NULL, memory_order_relaxed);
	atomic_store_explicit(&block->count, 0, memory_order_relaxed);
	if (to_pool(block))
		return;
	sys_unmap(block, MEMPHIS_EVENT_BLOCK_BYTES);
	atomic_fetch_sub(&bytes_used, MEMPHIS_EVENT_BLOCK_BYTES);
}

void memphis_events_forked(void)
{
	atomic_flag_clear(&pool_busy);
}

void memphis_events_init(struct memphis_events *events)
{
	memset(events, 0, sizeof(*events));
	pthread_mutex_init(&events->squeeze_lock, NULL);
	events->blocks_until_squeeze = SQUEEZE_BLOCKS;
}

struct pairing {
	__u64 address;
	struct memphis_allocation *event;
};

/* Drop allocations that were released again, with their releases, from all blocks. Under the lock. */
static __u32 squeeze(struct memphis_events *events, struct pairing *table, size_t mask)
{
	struct memphis_event_block *block, *out, *rest;
	__u32 i, n = 0, blocks = 0;

	for (block = events->first; block; block = block->next)
		for (i = 0; i < block->count; i++) {
			struct memphis_allocation *event = &block->events[i];
			size_t slot = (event->address >> 4) * 0x9e3779b97f4a7c15u >> 20 & mask;

			if (event->kind == MEMPHIS_ALLOCATION_MALLOC) {
				/* A full slot is overwritten: the pair it held just stays. */
				table[slot].address = event->address;
				table[slot].event = event;
			} else if (event->kind == MEMPHIS_ALLOCATION_FREE && table[slot].event &&
				   table[slot].address == event->address) {
				table[slot].event->kind = 0;
				table[slot].event = NULL;
				event->kind = 0;
			}
		}
	out = events->first;
	for (block = events->first; block; block = block->next) {
		__u32 count = block->count;

		for (i = 0; i < count; i++) {
			if (!block->events[i].kind)
				continue;
			if (n == MEMPHIS_EVENTS_PER_BLOCK) {
				out->count = n;
				out = out->next;
				n = 0;
				blocks++;
			}
			out->events[n++] = block->events[i];
		}
	}
	out->count = n;
	rest = out->next;
	out->next = NULL;
	events->last = out;
	while (rest) {
		block = rest->next;
		free_block(rest);
		rest = block;
	}
	return blocks + 1;
}

static void try_squeeze(struct memphis_events *events)
{
	size_t entries = 32768;
	struct pairing *table;
	__u32 blocks;

	events->blocks_until_squeeze = SQUEEZE_BLOCKS;
	if (atomic_load(&memphis_events_drained) || !events->last ||
	    pthread_mutex_trylock(&events->squeeze_lock))
		return;
	if (!atomic_load(&memphis_events_drained) && !events->taken) {
		table = sys_map(entries * sizeof(*table));
		if (table) {
			blocks = squeeze(events, table, entries - 1);
			/* What lives stays; look again when as much has come on top. */
			if (blocks > SQUEEZE_BLOCKS)
				events->blocks_until_squeeze = blocks;
			sys_unmap(table, entries * sizeof(*table));
		}
	}
	pthread_mutex_unlock(&events->squeeze_lock);
}

int memphis_events_push(struct memphis_events *events, const struct memphis_allocation *event)
{
	struct memphis_event_block *last = events->last, *fresh;
	__u32 n = last ? atomic_load_explicit(&last->count, memory_order_relaxed) : 0;

	if (unlikely(!last || n == MEMPHIS_EVENTS_PER_BLOCK)) {
		if (last && !--events->blocks_until_squeeze) {
			try_squeeze(events);
			last = events->last;
			n = atomic_load_explicit(&last->count, memory_order_relaxed);
		}
		if (!last || n == MEMPHIS_EVENTS_PER_BLOCK) {
			fresh = new_block(event->kind);
			if (!fresh)
				goto full;
			if (last)
				atomic_store_explicit(&last->next, fresh, memory_order_release);
			else
				atomic_store_explicit(&events->first, fresh, memory_order_release);
			events->last = last = fresh;
			n = 0;
		}
	}
	last->events[n] = *event;
	atomic_store_explicit(&last->count, n + 1, memory_order_release);
	return 0;
full:
	events->blocks_until_squeeze = 1;
	return -ENOBUFS;
}

size_t memphis_events_take(struct memphis_events *events, struct memphis_allocation *out, size_t max,
			   __u64 upto)
{
	struct memphis_event_block *block, *next;
	size_t done = 0;

	/* Uncontended but for the moment in which draining starts. */
	pthread_mutex_lock(&events->squeeze_lock);
	block = atomic_load_explicit(&events->first, memory_order_acquire);
	while (block) {
		__u32 count;

		next = atomic_load_explicit(&block->next, memory_order_acquire);
		/* After `next`: a block with a successor is full. */
		count = atomic_load_explicit(&block->count, memory_order_acquire);
		while (done < max && events->taken < count && block->events[events->taken].time_ns <= upto)
			out[done++] = block->events[events->taken++];
		if (events->taken < count || !next)
			break;
		atomic_store_explicit(&events->first, next, memory_order_relaxed);
		events->taken = 0;
		free_block(block);
		block = next;
	}
	pthread_mutex_unlock(&events->squeeze_lock);
	return done;
}

int memphis_events_waiting(struct memphis_events *events)
{
	struct memphis_event_block *block;
	int waiting;

	pthread_mutex_lock(&events->squeeze_lock);
	block = atomic_load_explicit(&events->first, memory_order_acquire);
	waiting = block && (atomic_load(&block->count) > events->taken || atomic_load(&block->next));
	pthread_mutex_unlock(&events->squeeze_lock);
	return waiting;
}

int memphis_events_end(struct memphis_events *events)
{
	struct memphis_event_block *block;

	try_squeeze(events);
	block = atomic_load(&events->first);
	return !block || (!atomic_load(&memphis_events_drained) && !block->count && !block->next);
}

void memphis_events_free(struct memphis_events *events)
{
	struct memphis_event_block *block, *next;

	pthread_mutex_lock(&events->squeeze_lock);
	block = atomic_load(&events->first);
	for (; block; block = next) {
		next = block->next;
		free_block(block);
	}
	atomic_store(&events->first, NULL);
	events->last = NULL;
	events->taken = 0;
	pthread_mutex_unlock(&events->squeeze_lock);
}
