/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Allocation records that are withheld until a sample falls into their block. If this fails, sampled blocks have no names,
 * or blocks that are never sampled fill the files.
 */
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

/* Returns the time stamps of the records that are taken. */
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
	is_text(taken(0, 0), "", "no record is due before a sample");
	memphis_withheld_touch(0xfff);
	memphis_withheld_touch(0x4000);
	memphis_withheld_touch(0x5010);
	is_text(taken(0, 0), "", "samples before, between and after the blocks make no record due");
	memphis_withheld_touch(0x1000);
	memphis_withheld_touch(0x500f);
	memphis_withheld_touch(0x1fff);
	memphis_withheld_touch(0x3800);
	is_text(taken(0, 0), "1 4", "samples of the first and the last byte make a record due, once");
	is_text(taken(1, 0), "2", "each thread has its own records");
	is_text(taken(0, 1), "3", "the other records are still withheld");
}

static void released_ones_go(void)
{
	add(0, 1, 0x1000, 0x1000);
	is(memphis_withheld_drop(0x1800, 0), 0, "an address inside a block drops nothing");
	is(memphis_withheld_drop(0x1000, 0), 1, "a release drops the block's record");
	is(memphis_withheld_drop(0x1000, 0), 0, "a second release drops nothing");
	add(0, 2, 0x1000, 0x1000);
	add(0, 3, 0x2000, 0x1000);
	is((__u64)add(1, 4, 0x1800, 0x1000), 2,
	   "a new block drops the records of the blocks that it overlaps");
	memphis_withheld_touch(0x1900);
	is_text(taken(1, 0), "4", "the new block's record becomes due");
	is_text(taken(0, 1), "", "nothing is left of the overlapped blocks");
}

/* 4093 is prime, so every block is added once, in an order unrelated to the addresses. */
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
		all += (size_t)memphis_withheld_drop(0x100000 + i * 0x1000, 0);
	is(all, 1023, "a quarter of many records is dropped by releases");
	for (all = 0; (count = memphis_withheld_take(&lists[0], out, 64, 0)); all += count)
		;
	is(all, 2047, "the sampled half of many records is due");
	for (all = 0; (count = memphis_withheld_take(&lists[0], out, 64, 1)); all += count)
		;
	is(all, 1023, "the remaining quarter of many records is withheld");
}

static void bound(void)
{
	__u64 i;
	int err = 0;

	for (i = 0; i < MEMPHIS_WITHHELD_MAX; i++)
		err |= add(0, i, 0x100000 + i * 0x1000, 0x1000);
	is((__u64)err, 0, "as many records are withheld as the bound allows");
	is((__u64)add(0, i, 0x1000, 0x1000), (__u64)-ENOMEM, "a record beyond the bound is refused");
	is(memphis_withheld_drop(0x100000, 0), 1, "a release makes room at the bound");
	is((__u64)add(0, i, 0x1000, 0x1000), 0, "a record is accepted after a release");
	memphis_withheld_open();
	memset(lists, 0, sizeof(lists));
	memphis_withheld_touch(0x1000);
	is_text(taken(0, 1), "", "after the setup is repeated, no record is withheld");
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
