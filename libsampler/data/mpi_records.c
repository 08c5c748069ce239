/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums over the MPI and I/O calls of one thread: a hash table with open addressing. Its cells are never removed. */
#include <stddef.h>
#include <string.h>

#include "base/clock.h"
#include "data/mpi_records.h"

#define SLOTS (2 * MEMPHIS_MPI_SUMS_MAX) /* a power of two */
#define BYTES (MEMPHIS_MPI_SUMS_MAX * sizeof(struct memphis_mpi_cell) + SLOTS * sizeof(__u16))
/* The part of a sum that consists of numbers to add. */
#define FIRST   offsetof(struct memphis_mpi_sum, calls)
#define NUMBERS ((sizeof(struct memphis_mpi_sum) - FIRST) / sizeof(__u64))

/* Returns the hash slots, which follow the cells in memory. Each slot contains the index of a cell plus 1, or 0. */
static __u16 *slot_array(const struct memphis_mpi_sums *sums)
{
	return (__u16 *)(sums->cells + MEMPHIS_MPI_SUMS_MAX);
}

static bool is_sum_of(const struct memphis_mpi_cell *cell, __u32 region, __s32 partner)
{
	return cell->sum.region == region && cell->sum.partner == partner;
}

/*
 * Returns the slot of the sum, or the free slot in which it belongs. The search ends, because at least half
 * of the slots are free.
 */
static __u16 *find_slot(const struct memphis_mpi_sums *sums, __u32 region, __s32 partner)
{
	const __u64 key = (__u64)region << 32 | (__u32)partner;
	__u32 at = (__u32)(key * 0x9e3779b97f4a7c15u >> 40) % SLOTS;
	__u16 *slot;

	for (slot = &slot_array(sums)[at]; *slot && !is_sum_of(&sums->cells[*slot - 1], region, partner);
	     slot = &slot_array(sums)[at])
		at = (at + 1) % SLOTS;
	return slot;
}

/*
 * Returns the cell of the sum. If there is none, creates it if `making` is set, otherwise returns NULL. Two
 * cells are reserved for sums that find no other room: one for MPI and one for I/O.
 */
static struct memphis_mpi_cell *find_cell(struct memphis_mpi_sums *sums, __u32 region, __s32 partner,
					  bool making)
{
	const __s32 others = partner >= MEMPHIS_MPI_FILE ? MEMPHIS_MPI_FILE : MEMPHIS_MPI_OTHERS;
	__u16 *slot = find_slot(sums, region, partner);
	struct memphis_mpi_cell *cell;

	if (!*slot && partner >= 0 && sums->count >= MEMPHIS_MPI_PARTNERS_MAX) {
		partner = others;
		slot = find_slot(sums, region, partner);
	}
	if (!*slot && sums->count >= MEMPHIS_MPI_SUMS_MAX - 2) {
		region = 0;
		partner = others;
		slot = find_slot(sums, region, partner);
	}
	if (*slot)
		return &sums->cells[*slot - 1];
	if (!making)
		return NULL;
	cell = &sums->cells[sums->count];
	cell->sum.region = region;
	cell->sum.partner = partner;
	__atomic_store_n(&sums->count, sums->count + 1, __ATOMIC_RELEASE);
	*slot = (__u16)sums->count;
	return cell;
}

/*
 * Creates the cell. Also allocates the memory of all cells if this is the first one. Blocks signals, so that
 * no handler can interrupt the creation or leave it by longjmp().
 */
static __attribute__((noinline)) struct memphis_mpi_cell *make_cell(struct memphis_mpi_sums *sums,
								    __u32 region, __s32 partner)
{
	struct memphis_mpi_cell *cell = NULL;
	const __u64 before = sys_no_signals();

	if (!sums->cells)
		sums->cells = sys_map(BYTES);
	if (sums->cells)
		cell = find_cell(sums, region, partner, true);
	sys_signals(before);
	return cell;
}

static inline struct memphis_mpi_cell *find_or_make_cell(struct memphis_mpi_sums *sums, __u32 region,
							 __s32 partner)
{
	struct memphis_mpi_cell *cell = likely(sums->cells) ? find_cell(sums, region, partner, false) : NULL;

	return likely(cell) ? cell : make_cell(sums, region, partner);
}

/*
 * Adds to a number that only this thread changes. The addition is one instruction, so a signal handler can
 * add to the same number at any time.
 */
static inline void add_to_number(__u64 *number, __u64 more)
{
	__asm__ volatile("addq %1, %0" : "+m"(*number) : "er"(more) : "cc");
}

void memphis_mpi_sums_add(struct memphis_mpi_sums *sums, const struct memphis_mpi_sum *more)
{
	const __u64 *from = (const __u64 *)((const char *)more + FIRST);
	struct memphis_mpi_cell *cell = sums->last;
	__u64 *to;
	size_t i;

	if (!cell || !is_sum_of(cell, more->region, more->partner))
		cell = find_or_make_cell(sums, more->region, more->partner);
	if (unlikely(!cell))
		return;
	sums->last = cell;
	to = (__u64 *)((char *)&cell->sum + FIRST);
	for (i = 0; i < NUMBERS; i++)
		if (from[i])
			add_to_number(&to[i], from[i]);
}

bool memphis_mpi_sums_take(struct memphis_mpi_sums *sums, __u32 at, struct memphis_mpi_sum *to)
{
	struct memphis_mpi_cell *cell = &sums->cells[at];
	__u64 *numbers = (__u64 *)((char *)&cell->sum + FIRST), *copy = (__u64 *)((char *)to + FIRST);
	/* No number ever decreases, so each change also changes the sum of all numbers. */
	__u64 all = 1;
	size_t i;

	to->region = cell->sum.region;
	to->partner = cell->sum.partner;
	for (i = 0; i < NUMBERS; i++) {
		copy[i] = __atomic_load_n(&numbers[i], __ATOMIC_RELAXED);
		all += copy[i];
	}
	to->ns = memphis_clock_duration_ns(to->ns);
	if (cell->written == all)
		return false;
	cell->written = all;
	return true;
}

void memphis_mpi_sums_close(struct memphis_mpi_sums *sums)
{
	sys_unmap(sums->cells, BYTES);
	memset(sums, 0, sizeof(*sums));
}

#define RING_BYTES (MEMPHIS_MPI_EVENTS_RING * sizeof(struct memphis_mpi_event))

void memphis_mpi_events_put(struct memphis_mpi_events *events, const struct memphis_mpi_event *event)
{
	const __u64 head = events->head;

	if (!events->ring)
		__atomic_store_n(&events->ring, sys_map(RING_BYTES), __ATOMIC_RELEASE);
	if (!events->ring ||
	    head - __atomic_load_n(&events->tail, __ATOMIC_ACQUIRE) >= MEMPHIS_MPI_EVENTS_RING) {
		/* Only this thread writes the counter, so no locked instruction is necessary. */
		atomic_store_explicit(&events->lost,
				      atomic_load_explicit(&events->lost, memory_order_relaxed) + 1,
				      memory_order_relaxed);
		return;
	}
	events->ring[head % MEMPHIS_MPI_EVENTS_RING] = *event;
	__atomic_store_n(&events->head, head + 1, __ATOMIC_RELEASE);
}

__u32 memphis_mpi_events_take(struct memphis_mpi_events *events, __u64 until, struct memphis_mpi_event *to,
			      __u32 capacity)
{
	const __u64 head = __atomic_load_n(&events->head, __ATOMIC_ACQUIRE);
	__u64 tail = events->tail;
	__u32 count;

	for (count = 0; count < capacity && tail < head; count++, tail++) {
		to[count] = events->ring[tail % MEMPHIS_MPI_EVENTS_RING];
		if (to[count].end_ns > until)
			break;
		to[count].begin_ns = memphis_clock_ns(to[count].begin_ns);
		to[count].end_ns = memphis_clock_ns(to[count].end_ns);
	}
	__atomic_store_n(&events->tail, tail, __ATOMIC_RELEASE);
	return count;
}

void memphis_mpi_events_close(struct memphis_mpi_events *events)
{
	sys_unmap(events->ring, RING_BYTES);
	memset(events, 0, sizeof(*events));
}

#define FACTS 8

static struct {
	const char *key; /* set last */
	__u64 value;
} facts[FACTS];

void memphis_mpi_facts_set(const char *key, __u64 value)
{
	size_t i;

	for (i = 0; i < FACTS && facts[i].key && strcmp(facts[i].key, key) != 0; i++)
		;
	if (i == FACTS)
		return;
	__atomic_store_n(&facts[i].value, value, __ATOMIC_RELAXED);
	__atomic_store_n(&facts[i].key, key, __ATOMIC_RELEASE);
}

void memphis_mpi_facts_add(struct memphis_text_buffer *text)
{
	const char *key;
	size_t i;

	for (i = 0; i < FACTS; i++) {
		key = __atomic_load_n(&facts[i].key, __ATOMIC_ACQUIRE);
		if (key)
			memphis_text_add(text, "%s %llu\n", key,
					 __atomic_load_n(&facts[i].value, __ATOMIC_RELAXED));
	}
}
