/* SPDX-License-Identifier: BSD-3-Clause */
/* Filter for blocks that were allocated and released between two passes of the drain and contain no sample. */
#include <string.h>

#include "data/short_lived.h"
#include "data/withheld.h"

#define PAGE_SHIFT 12
#define BITS       (1u << 20)
/* maximum size of a block in pages; larger blocks count as sampled if there is any sample */
#define PAGES_MAX   4096u
#define SLOTS       (4 * MEMPHIS_SHORT_LIVED_EVENTS)
#define HASH(value) ((value)*0x9e3779b97f4a7c15u)

/*
 * Bitmaps of the pages that samples have hit, indexed by a hash. A collision is harmless: it only keeps a
 * block that could be dropped. There are two bitmaps, for this pass and for the previous pass. The drain
 * fixes the time up to which it takes events, and then reads the rings. A sample can therefore arrive one
 * pass before the events of its time.
 */
static __u64 *touched[2];
static int dirty[2]; /* 1: touched[i] has a bit set */

/*
 * Hash table with linear probing. It maps an address to the index of the latest allocation among the events,
 * plus 1. 0: the block was released.
 */
struct place {
	__u64 address;
	__u32 place, turn; /* the slot is free if its `turn` differs from the variable `turn` */
};
static struct place *places;
static __u32 turn;

int memphis_short_lived_open(void)
{
	int i;

	for (i = 0; i < 2; i++) {
		if (!touched[i])
			touched[i] = sys_map(BITS / 8);
		if (!touched[i])
			return -ENOMEM;
		dirty[i] = 1;
	}
	if (!places)
		places = sys_map(SLOTS * sizeof(*places));
	memphis_short_lived_next_pass();
	memphis_short_lived_next_pass();
	return places ? 0 : -ENOMEM;
}

void memphis_short_lived_next_pass(void)
{
	__u64 *old = touched[1];
	int was_dirty = dirty[1];

	if (was_dirty)
		memset(old, 0, BITS / 8);
	touched[1] = touched[0];
	dirty[1] = dirty[0];
	touched[0] = old;
	dirty[0] = 0;
}

static inline __u32 page_bit(__u64 page)
{
	return (__u32)(HASH(page) >> 44);
}

void memphis_short_lived_touch(__u64 address)
{
	__u32 bit = page_bit(address >> PAGE_SHIFT);

	touched[0][bit / 64] |= 1ull << bit % 64;
	dirty[0] = 1;
	memphis_withheld_touch(address);
}

int memphis_short_lived_is_touched(__u64 address, __u64 bytes)
{
	__u64 page = address >> PAGE_SHIFT, last = (address + (bytes ? bytes - 1 : 0)) >> PAGE_SHIFT;

	if (!dirty[0] && !dirty[1])
		return 0;
	if (last - page >= PAGES_MAX)
		return 1;
	for (; page <= last; page++) {
		__u32 bit = page_bit(page);

		if ((touched[0][bit / 64] | touched[1][bit / 64]) & 1ull << bit % 64)
			return 1;
	}
	return 0;
}

static struct place *find_place(__u64 address)
{
	size_t at = HASH(address) >> 32;

	/* Slots filled by earlier calls have another `turn` and count as free, so the table need not be cleared between calls. */
	while (places[at % SLOTS].turn == turn && places[at % SLOTS].address != address)
		at++;
	return &places[at % SLOTS];
}

static __u64 round_to_pages(__u64 bytes)
{
	return (bytes + (1u << PAGE_SHIFT) - 1) >> PAGE_SHIFT;
}

/* Returns 1 if `begin` and `end` are the whole lifetime of a block or map without parts. */
static int is_whole_lifetime(const struct memphis_event *begin, const struct memphis_event *end)
{
	/*
	 * If the tags differ, another thread has released the block and allocated a new one at the same
	 * address. If the allocation comes from realloc(), the block's lifetime began earlier.
	 */
	if (begin->tag != end->tag || memphis_is_moved(&begin->record) ||
	    memphis_may_have_parts(&begin->record))
		return 0;
	if (memphis_allocates_block(begin->record.kind))
		return memphis_is_pair(begin, end);
	return end->record.kind == MEMPHIS_ALLOCATION_UNMAP &&
	       (!end->record.size_bytes ||
		round_to_pages(begin->record.size_bytes) == round_to_pages(end->record.size_bytes));
}

/*
 * Returns 1 if samples may need the record. A small block also helps to name samples in its neighbours, so it
 * is kept if any sample hit its extent of MEMPHIS_SMALL_EXTENT_BYTES.
 */
static int may_be_needed(const struct memphis_allocation *record)
{
	if (record->kind == MEMPHIS_ALLOCATION_SMALL)
		return memphis_short_lived_is_touched(record->address &
							      ~(__u64)(MEMPHIS_SMALL_EXTENT_BYTES - 1),
						      MEMPHIS_SMALL_EXTENT_BYTES);
	return memphis_short_lived_is_touched(record->address, record->size_bytes);
}

/* Returns 1 if the release at index `i` belongs to a realloc(). The release and the allocation after it are then kept. */
static int belongs_to_realloc(const struct memphis_event *events, size_t count, size_t i)
{
	return i + 1 < count && memphis_moves(&events[i].record, &events[i + 1].record);
}

/*
 * Returns the key of the record in the hash table. A block and a part at its beginning can have the same
 * address, so blocks and parts use different keys.
 */
static __u64 place_key(const struct memphis_allocation *record)
{
	return memphis_is_of_part(record->kind) ? ~record->address : record->address;
}

static struct place *find_pool_place(const struct memphis_allocation *record)
{
	return find_place(1ull << 62 | MEMPHIS_PART_POOL(record->previous));
}

static int is_place_known(const struct place *place)
{
	return place->turn == turn && place->place;
}

/* Stores the index of the pool's first part since the previous reset. */
static void note_first_part(const struct memphis_allocation *record, size_t i)
{
	struct place *place = find_pool_place(record);

	if (!is_place_known(place))
		*place = (struct place){1ull << 62 | MEMPHIS_PART_POOL(record->previous), (__u32)i + 1, turn};
}

/*
 * Removes the parts that the reset at index `i` releases, except parts with samples. Does so only if one
 * thread recorded all these parts. Also removes the reset if the events contain all parts, and none was kept.
 * Returns the number of parts removed.
 */
static __u64 drop_pool(struct memphis_event *events, size_t i)
{
	struct memphis_event *reset = &events[i], *event;
	struct place *place = find_pool_place(&reset->record);
	__u64 removed = 0;
	int kept = 0;

	if (!is_place_known(place))
		return 0;
	event = &events[place->place - 1];
	place->place = 0;
	if (event->tag >> MEMPHIS_EVENT_THREAD_SHIFT != reset->tag >> MEMPHIS_EVENT_THREAD_SHIFT ||
	    event->tag < reset->tag)
		return 0;
	/*
	 * The reset must be kept if this is not the pool's first part: the first part may have been dropped
	 * after its release, or taken in an earlier pass.
	 */
	kept = event->tag != reset->tag;
	for (; event < reset; event++) {
		if (event->record.kind != MEMPHIS_ALLOCATION_PART || !memphis_is_reset_by(event, reset))
			continue;
		if (may_be_needed(&event->record)) {
			kept = 1;
		} else {
			event->record.kind = 0;
			removed++;
		}
	}
	if (!kept)
		reset->record.kind = 0;
	return removed;
}

size_t memphis_short_lived_drop(struct memphis_event *events, size_t count, __u64 *dropped)
{
	size_t i, kept = 0;

	if (count > MEMPHIS_SHORT_LIVED_EVENTS)
		return count;
	if (!++turn) {
		memset(places, 0, SLOTS * sizeof(*places));
		turn = 1;
	}
	for (i = 0; i < count; i++) {
		struct memphis_allocation *record = &events[i].record;
		struct place *place;
		int known;

		if (record->kind == MEMPHIS_ALLOCATION_POOL_RESET) {
			*dropped += drop_pool(events, i);
			continue;
		}
		if (record->kind == MEMPHIS_ALLOCATION_PART)
			note_first_part(record, i);
		place = find_place(place_key(record));
		known = is_place_known(place);
		if (memphis_allocates(record->kind)) {
			*place = (struct place){place_key(record), (__u32)i + 1, turn};
			continue;
		}
		if (known && is_whole_lifetime(&events[place->place - 1], &events[i]) &&
		    !belongs_to_realloc(events, count, i) &&
		    !may_be_needed(&events[place->place - 1].record)) {
			events[place->place - 1].record.kind = 0;
			record->kind = 0;
			++*dropped;
		}
		if (known)
			place->place = 0;
	}
	for (i = 0; i < count; i++)
		if (events[i].record.kind)
			events[kept++] = events[i];
	return kept;
}
