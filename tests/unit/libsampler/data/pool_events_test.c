/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events of pools: which are dropped together, and which stay apart from those of the blocks around them. If this fails, parts lose their
 * names, or programs that empty an arena in every step fill memory and disk.
 */
#include <stdio.h>
#include <string.h>

#include "data/blocks.h"
#include "data/events.h"
#include "data/region.h"
#include "data/short_lived.h"
#include "data/withheld.h"
#include "../../tap.h"

#define MALLOC MEMPHIS_ALLOCATION_MALLOC
#define FREE   MEMPHIS_ALLOCATION_FREE
#define PART   MEMPHIS_ALLOCATION_PART
#define END    MEMPHIS_ALLOCATION_PART_FREE
#define RESET  MEMPHIS_ALLOCATION_POOL_RESET

static struct memphis_events events;
static struct memphis_event taken[MEMPHIS_SHORT_LIVED_EVENTS];
static __u64 first[3]; /* tag of the first part of each pool since its reset */
static int known;

static int digest(__u64 *out)
{
	*out = 0;
	return known;
}

static void push(__u32 kind, __u64 address, __u64 bytes, __u64 pool)
{
	struct memphis_event *event = memphis_events_room(&events, kind);

	event->record = (struct memphis_allocation){
		.address = address, .size_bytes = bytes, .previous = pool, .kind = kind};
	if (kind == PART && !first[pool])
		first[pool] = events.tag;
	event->tag = first[pool];
	if (kind == RESET)
		first[pool] = 0;
	memphis_events_commit(&events, event, kind);
}

/* Returns the kinds of the events, one letter each: M (malloc), F (free), P (part), E (its end), R (reset). */
static const char *kinds(size_t count)
{
	static char text[64];
	size_t i;

	for (i = 0; i < count && i < sizeof(text) - 1; i++)
		text[i] = "?MF????PER"[taken[i].record.kind];
	text[i] = '\0';
	return text;
}

static void begin(void)
{
	memphis_events_init(&events);
	memset(first, 0, sizeof(first));
}

static size_t take(void)
{
	size_t count = memphis_events_take(&events, taken, MEMPHIS_SHORT_LIVED_EVENTS, UINT64_MAX);

	memphis_events_free(&events);
	return count;
}

static const char *kept(void)
{
	__u64 dropped = 0;

	return kinds(memphis_short_lived_drop(taken, take(), &dropped));
}

static void passes(void)
{
	atomic_store(&memphis_events_drained, 1);
	begin();
	push(PART, 0x10000, 64, 1);
	push(END, 0x10000, 0, 1);
	is_text(kept(), "", "a part that ended before any sample is dropped");
	begin();
	push(MALLOC, 0x10000, 65536, 0);
	push(PART, 0x10000, 64, 1);
	push(FREE, 0x10000, 0, 0);
	is_text(kept(), "P", "the release of a block does not end a part at the same address");
	begin();
	push(MALLOC, 0x400000, 65536, 0);
	memphis_part_regions_add(0x404000, 64); /* by another thread */
	push(FREE, 0x400000, 0, 0);
	is_text(kept(), "MF", "the release of a block stays if it ends parts of other threads");
	begin();
	push(MALLOC, 0x410000, 65536, 0);
	push(FREE, 0x410000, 0, 0);
	is_text(kept(), "", "but not that of its neighbour");
	begin();
	push(PART, 0x10000, 64, 1);
	push(PART, 0x10040, 64, 1);
	push(PART, 0x20000, 64, 2);
	push(PART, 0x10080, 64, 1);
	push(END, 0x10040, 0, 1);
	push(RESET, 0x10000, 192, 1);
	push(PART, 0x10000, 32, 1);
	is_text(kept(), "PP", "a reset is dropped with all parts of its pool, and with no others");
	begin();
	first[1] = 7;
	push(PART, 0x10000, 64, 1);
	push(RESET, 0x10000, 192, 1);
	is_text(kept(), "PR", "a reset that ends earlier parts stays");
	begin();
	first[1] = events.tag++; /* of a part that was released and dropped */
	push(PART, 0x10000, 64, 1);
	push(RESET, 0x10000, 192, 1);
	is_text(kept(), "R", "but not the later parts of the same thread");
	begin();
	push(PART, 0x10000, 64, 1);
	first[1] = 0;
	push(RESET, 0x10000, 192, 1);
	is_text(kept(), "PR", "a reset that ends parts of several threads stays");
	memphis_short_lived_touch(0x11010);
	begin();
	push(PART, 0x10000, 64, 1);
	push(PART, 0x11000, 64, 1);
	push(RESET, 0x10000, 8192, 1);
	push(RESET, 0x20000, 8192, 2);
	is_text(kept(), "PRR", "a part with a sample stays, and so does the reset that ends it");
	memphis_short_lived_next_pass();
	memphis_short_lived_next_pass();
}

static int first_ends; /* release the first part before the others are allocated */

/* Pushes resets of pools with `parts` parts each; returns the number of events in the queue. */
static size_t remain(unsigned int steps, unsigned int parts)
{
	unsigned int i, j;

	begin();
	push(PART, 0x1000, 64, 2);
	for (i = 0; i < steps; i++) {
		for (j = 0; j < parts; j++) {
			push(PART, 0x10000 + 64 * j, 64, 1);
			if (!j && first_ends)
				push(END, 0x10000, 0, 1);
		}
		push(END, 0x10000, 0, 1);
		push(RESET, 0x10000, 64 * parts, 1);
	}
	push(END, 0x1000, 0, 2);
	return take();
}

/* Pushes a block and its release between many others; returns how many of these two events stay in the queue. */
static size_t remain_of(__u64 block)
{
	size_t i, count, found = 0;

	begin();
	for (i = 0; i < 2000; i++) {
		const __u64 address = i == 1000 ? block : 0x900000;

		push(MALLOC, address, 65536, 0);
		push(FREE, address, 0, 0);
	}
	count = take();
	for (i = 0; i < count; i++)
		found += taken[i].record.address == block;
	return found;
}

static void compaction(void)
{
	memphis_events_digest = digest;
	known = 1;
	ok(remain(2000, 3) < 600, "while nothing is sampled, emptied pools leave no events");
	is(remain_of(0x400000), 2, "nor do blocks, except those with parts of pools");
	is(remain_of(0x410000), 0, "which their neighbours are not");
	known = 0;
	is(remain(1000, 3), 5002, "while it is unknown what was sampled, all events stay");
	atomic_store(&memphis_events_drained, 0);
	known = 1;
	ok(remain(3000, 1000) < 30000 && events.unsampled > 2900000,
	   "before sampling begins, pools that are larger than a stride leave no events");
	ok(taken[0].record.kind == PART && taken[0].record.address == 0x1000, "a part that lives on stays");
	first_ends = 1;
	ok(remain(3000, 1000) < 30000, "also if their first part is released before the reset");
	first_ends = 0;
	memphis_events_digest = NULL;
}

static struct memphis_withheld list;

static int withhold(__u32 kind, __u64 time_ns, __u64 address, __u64 bytes, __u64 pool)
{
	const struct memphis_allocation record = {time_ns, address, bytes, pool, 0, kind};

	return memphis_withheld_add(&list, &record);
}

static void withheld(void)
{
	struct memphis_allocation out[8];

	memphis_withheld_open();
	is((__u64)withhold(MALLOC, 1, 0x10000, 0x10000, 0), 0, "a block is withheld");
	is((__u64)withhold(PART, 2, 0x10000, 0x1000, 1), 0, "a part in it does not drop it");
	is((__u64)withhold(PART, 3, 0x11000, 0x1000, 1), 0, "nor does a second part");
	is((__u64)withhold(PART, 4, 0x11000, 0x100, 2), (__u64)-ENOMEM,
	   "a part in the part of another pool is not withheld");
	is((__u64)withhold(PART, 5, 0x10800, 0x100, 1), 1,
	   "a part that overlaps one of its own pool drops that one");
	memphis_withheld_touch(0x10810);
	is(memphis_withheld_take(&list, out, 8, 0), 2, "a sample makes the part and the block around it due");
	is(memphis_withheld_drop_pool(2, 0x10000, 0x10000, 9), 0,
	   "the reset of a pool drops no parts of others");
	is(memphis_withheld_drop_pool(1, 0x10000, 0x10000, 3), 0, "nor parts that are allocated later");
	is(memphis_withheld_drop_pool(1, 0x10000, 0x10000, 9), 1, "it drops the pool's own parts");
	is(memphis_withheld_take(&list, out, 8, 1), 0, "nothing is left");
	withhold(MALLOC, 10, 0x10000, 0x10000, 0);
	withhold(PART, 11, 0x10000, 0x100, 1);
	withhold(PART, 12, 0x18000, 0x100, 2);
	withhold(PART, 13, 0x20000, 0x100, 2);
	is((__u64)memphis_withheld_drop(0x10000, 0), 3,
	   "the release of a withheld block ends the parts in it");
	is(memphis_withheld_take(&list, out, 8, 1), 1, "and no others");
}

static void table(void)
{
	struct memphis_tracked_blocks parts = {0}, resets = {0};

	memphis_blocks_put(&parts, 0x1000, 10, 1);
	memphis_blocks_put(&parts, 0x2000, 30, 1);
	memphis_blocks_put(&parts, 0x3000, 10, 2);
	memphis_blocks_put(&resets, 16, 20, 1);
	memphis_blocks_reset(&parts, &resets);
	is(memphis_blocks_find(&parts, 0x1000)->is_live, 0, "a reset ends the parts of its pool");
	is(memphis_blocks_find(&parts, 0x2000)->is_live, 1, "but not a later part");
	is(memphis_blocks_find(&parts, 0x3000)->is_live, 2, "and not the part of another pool");
	memphis_blocks_free(&parts);
	memphis_blocks_free(&resets);
}

static void names(void)
{
	char name[400];
	struct memphis_text_buffer text = {0};
	struct memphis_region_node *written = NULL;
	__u32 i;
	int in_order = 1;

	is(memphis_name_number(&memphis_part_names, NULL), 0, "NULL is no name");
	is(memphis_name_number(&memphis_part_names, ""), 0, "nor is an empty text");
	is(memphis_name_number(&memphis_part_names, "fields"), 1, "names are numbered from 1");
	is(memphis_name_number(&memphis_part_names, "tx"), 2, "in the order of their first use");
	is(memphis_name_number(&memphis_part_names, "fields"), 1, "a name keeps its number");
	memphis_names_list(&memphis_part_names, &text, &written);
	is_text(text.data, "1 fields\n2 tx\n", "all names are listed");
	memphis_text_clear(&text);
	memphis_names_list(&memphis_part_names, &text, &written);
	ok(!text.used && written->id == 2, "and each one once");
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	is(memphis_name_number(&memphis_part_names, name), 3, "a long name is accepted");
	name[MEMPHIS_PART_NAME_MAX_BYTES] = '\0';
	is(memphis_name_number(&memphis_part_names, name), 3, "and truncated to 255 bytes");
	for (i = 4; i <= MEMPHIS_PART_NAMES_MAX; i++) {
		snprintf(name, sizeof(name), "%u", i);
		in_order &= memphis_name_number(&memphis_part_names, name) == i;
	}
	ok(in_order, "65535 names are distinguished");
	is(memphis_name_number(&memphis_part_names, "one more"), 0, "a further name is refused");
	is(memphis_name_list_left_out(&memphis_part_names), 1, "and counted");
	is(memphis_name_number(&memphis_part_names, "tx"), 2, "the others are still known");
}

int main(void)
{
	is(memphis_short_lived_open() | memphis_events_setup(), 0, "the setup succeeds");
	passes();
	compaction();
	withheld();
	table();
	names();
	return finish();
}
