/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which short-lived blocks are dropped. If this fails, either a sampled block loses its name, or programs that allocate all
 * the time fill the disk.
 */
#include <string.h>

#include "data/short_lived.h"
#include "../../tap.h"

#define MALLOC MEMPHIS_ALLOCATION_MALLOC
#define FREE   MEMPHIS_ALLOCATION_FREE
#define MAP    MEMPHIS_ALLOCATION_MAP
#define UNMAP  MEMPHIS_ALLOCATION_UNMAP
#define SMALL  MEMPHIS_ALLOCATION_SMALL

static struct memphis_event events[MEMPHIS_SHORT_LIVED_EVENTS];
static size_t count;
static __u64 dropped, tags;

static void add(__u32 kind, __u64 address, __u64 bytes, __u64 previous)
{
	size_t i;

	events[count].record = (struct memphis_allocation){.time_ns = count,
							   .address = address,
							   .size_bytes = bytes,
							   .previous = previous,
							   .kind = kind};
	/* A release has the tag of the latest allocation at its address; this thread makes all allocations. */
	events[count].tag = 0;
	for (i = 0; i < count; i++)
		if (memphis_allocates(events[i].record.kind) && events[i].record.address == address)
			events[count].tag = events[i].tag;
	if (memphis_allocates(kind))
		events[count].tag = ++tags;
	count++;
}

/* Returns the kinds of the remaining events, one letter each: M (malloc), F (free), m (map), u (unmap). */
static const char *rest(void)
{
	static char text[64];
	size_t i, kept = memphis_short_lived_drop(events, count, &dropped);

	for (i = 0; i < kept && i < sizeof(text) - 1; i++)
		text[i] = "?MFmusS"[events[i].record.kind];
	text[i] = '\0';
	count = 0;
	return text;
}

static int stays(const char *expected)
{
	const char *got = rest();

	if (strcmp(got, expected))
		printf("# got %s, expected %s\n", got, expected);
	return !strcmp(got, expected);
}

static void short_life(__u64 address, __u64 bytes)
{
	add(MALLOC, address, bytes, 0);
	add(FREE, address, 0, 0);
}

int main(void)
{
	__u32 i;

	is(memphis_short_lived_open(), 0, "the setup succeeds");
	short_life(0x100000, 8192);
	ok(stays(""), "a short-lived block that was not sampled is dropped");
	is(dropped, 1, "a dropped block is counted");
	add(MALLOC, 0x100000, 8192, 0);
	ok(stays("M"), "the allocation of a block that lives on stays");
	add(FREE, 0x100000, 0, 0);
	ok(stays("F"), "the later release of a block that lived on stays");
	add(MALLOC, 0x100000, 8192, 0);
	add(MALLOC, 0x200000, 8192, 0);
	add(FREE, 0x100000, 0, 0);
	ok(stays("M"), "a block is dropped although another one is allocated meanwhile");
	add(FREE, 0x100000, 0, 0);
	short_life(0x100000, 8192);
	add(MALLOC, 0x100000, 8192, 0);
	ok(stays("FM"), "only the complete pair between a release and an allocation is dropped");

	memphis_short_lived_touch(0x101fff);
	short_life(0x100000, 8192);
	ok(stays("MF"), "a sampled block stays");
	short_life(0x102000, 8192);
	ok(stays(""), "the neighbour of a sampled block is dropped");
	memphis_short_lived_next_pass();
	short_life(0x100000, 8192);
	ok(stays("MF"), "a sample also counts in the next pass");
	memphis_short_lived_next_pass();
	short_life(0x100000, 8192);
	ok(stays(""), "a sample does not count after the next pass");
	memphis_short_lived_touch(1);
	short_life(0x40000000, 64ull << 20);
	ok(stays("MF"), "a block that is too large to be checked stays");
	memphis_short_lived_next_pass();
	memphis_short_lived_next_pass();

	add(SMALL, 0x100010, 64, 2048);
	add(FREE, 0x100010, 0, 0);
	ok(stays(""), "a taken small block is dropped if nothing near it was sampled");
	memphis_short_lived_touch(0x10ffff);
	add(SMALL, 0x100010, 64, 2048);
	add(FREE, 0x100010, 0, 0);
	add(SMALL, 0x110010, 64, 2048);
	add(FREE, 0x110010, 0, 0);
	ok(stays("SF"), "a taken small block stays if a sample fell into its 64 KiB");
	memphis_short_lived_next_pass();
	memphis_short_lived_next_pass();

	add(MALLOC, 0x100000, 8192, 0);
	add(FREE, 0x100000, 0, 0);
	add(MALLOC, 0x300000, 16384, 0x100000);
	add(FREE, 0x300000, 0, 0);
	ok(stays("MFMF"), "a block that was reallocated stays with all its events");

	add(MAP, 0x100000, 8192, 0);
	add(UNMAP, 0x100000, 8192, 0);
	add(MAP, 0x200000, 8192, 0);
	add(UNMAP, 0x200000, 4096, 0);
	ok(stays("mu"), "a map is dropped only when all of it was unmapped");
	add(MAP, 0x100000, 8192, 0);
	add(FREE, 0x100000, 0, 0);
	ok(stays("mF"), "a free does not end a map");

	add(MALLOC, 0x100000, 8192, 0);
	add(FREE, 0x100000, 0, 0);
	events[1].tag++;
	ok(stays("MF"),
	   "the release of a later block of another thread at the same address does not end a block");
	add(MAP, 0x100000, 5000, 0);
	add(UNMAP, 0x100000, 8192, 0);
	ok(stays(""), "sizes of maps are rounded up to pages");

	dropped = 0;
	for (i = 0; i < MEMPHIS_SHORT_LIVED_EVENTS / 2; i++) {
		events[2 * i] =
			(struct memphis_event){{0, 0x1000000 + 16384ull * i, 4096, 0, 0, MALLOC}, ++tags};
		events[2 * i + 1] =
			(struct memphis_event){{0, 0x1000000 + 16384ull * i, 0, 0, 0, FREE}, tags};
	}
	count = MEMPHIS_SHORT_LIVED_EVENTS;
	ok(stays(""), "the largest number of events that is processed at once can be dropped");
	is(dropped, MEMPHIS_SHORT_LIVED_EVENTS / 2, "each of the dropped blocks is counted");
	return finish();
}
