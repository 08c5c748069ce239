/* SPDX-License-Identifier: BSD-3-Clause */
/* Which records wait for a sample. If it fails, a sampled block has no name, or what nobody samples fills the files. */
#include <stdio.h>
#include <string.h>

#include "data/withheld.h"
#include "../../tap.h"

static struct memphis_withheld lists[2];

static int add(int list, __u64 time_ns, __u64 address, __u64 bytes)
{
	const struct memphis_allocation record = {.time_ns = time_ns,
						  .address = address,
						  .size_bytes = bytes,
						  .kind = MEMPHIS_ALLOCATION_MALLOC};

	return memphis_withheld_add(&lists[list], &record);
}

/* What is taken, as times. */
static const char *taken(int list, int all)
{
	struct memphis_allocation out[3];
	static char text[256];
	size_t count, i, used = 0;

	text[0] = '\0';
	while ((count = memphis_withheld_take(&lists[list], out, 3, all)))
		for (i = 0; i < count; i++)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%llu", used ? " " : "",
						 out[i].time_ns);
	return text;
}

static void sampled_ones_are_due(void)
{
	add(0, 1, 0x1000, 0x1000);
	add(1, 2, 0x3000, 0x1000);
	add(0, 3, 0x2000, 0x1000);
	add(0, 4, 0x5000, 0x10);
	is_text(taken(0, 0), "", "nothing is due before a sample");
	memphis_withheld_touch(0xfff);
	memphis_withheld_touch(0x4000);
	memphis_withheld_touch(0x5010);
	is_text(taken(0, 0), "", "nor by samples before, between and behind the blocks");
	memphis_withheld_touch(0x1000);
	memphis_withheld_touch(0x500f);
	memphis_withheld_touch(0x1fff);
	memphis_withheld_touch(0x3800);
	is_text(taken(0, 0), "1 4", "the first and the last byte count, each block once");
	is_text(taken(1, 0), "2", "each thread has its own");
	is_text(taken(0, 1), "3", "the others are there still");
}

static void released_ones_go(void)
{
	add(0, 1, 0x1000, 0x1000);
	is(memphis_withheld_drop(0x1800), 0, "no block begins in the middle of one");
	is(memphis_withheld_drop(0x1000), 1, "a release drops the block");
	is(memphis_withheld_drop(0x1000), 0, "once");
	add(0, 2, 0x1000, 0x1000);
	add(0, 3, 0x2000, 0x1000);
	is((__u64)add(1, 4, 0x1800, 0x1000), 2, "what a block overlaps has been released");
	memphis_withheld_touch(0x1900);
	is_text(taken(1, 0), "4", "and it stands there instead");
	is_text(taken(0, 1), "", "of the others nothing is left");
}

/* 4093 is prime: every block comes, in an order that has nothing to do with that of the addresses. */
static void many(void)
{
	struct memphis_allocation out[64];
	size_t count, all = 0;
	__u64 i;

	for (i = 0; i < 4093; i++)
		add(0, i, 0x100000 + i * 1234 % 4093 * 0x1000, 0x1000);
	for (i = 0; i < 4093; i += 2)
		memphis_withheld_touch(0x100000 + i * 0x1000 + i % 0x1000);
	for (i = 1; i < 4093; i += 4)
		all += (size_t)memphis_withheld_drop(0x100000 + i * 0x1000);
	is(all, 1023, "a quarter of many is released");
	for (all = 0; (count = memphis_withheld_take(&lists[0], out, 64, 0)); all += count)
		;
	is(all, 2047, "half of them are due");
	for (all = 0; (count = memphis_withheld_take(&lists[0], out, 64, 1)); all += count)
		;
	is(all, 1023, "a quarter waits");
}

static void bound(void)
{
	__u64 i;
	int err = 0;

	for (i = 0; i < MEMPHIS_WITHHELD_MAX; i++)
		err |= add(0, i, 0x100000 + i * 0x1000, 0x1000);
	is((__u64)err, 0, "there is room for a million");
	is((__u64)add(0, i, 0x1000, 0x1000), (__u64)-ENOMEM, "and for no more");
	is(memphis_withheld_drop(0x100000), 1, "until one goes");
	is((__u64)add(0, i, 0x1000, 0x1000), 0, "whose room it has");
	memphis_withheld_open();
	memset(lists, 0, sizeof(lists));
	memphis_withheld_touch(0x1000);
	is_text(taken(0, 1), "", "knows of none");
}

int main(void)
{
	memphis_withheld_open();
	sampled_ones_are_due();
	released_ones_go();
	many();
	bound();
	return finish();
}
