/* SPDX-License-Identifier: BSD-3-Clause */
/* The conservative pointer scan for words that hold a block's address. If this fails, allocatable arrays lose their names. */
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "record/pointer_scan.h"
#include "../../tap.h"

static struct {
	void *pointer;
	char *inner;
	void *dead;
} here;
static char large[64 << 20]; /* never touched */
static unsigned int found_pointer, found_inner, found_dead, found_large;
static __u64 block_seen, slots[4];
static size_t slots_count;

static void found(void *data, const struct memphis_holder *holders, size_t count)
{
	size_t i;

	(void)data;
	for (i = 0; i < count; i++) {
		found_pointer += holders[i].slot == (__u64)&here.pointer;
		found_inner += holders[i].slot == (__u64)&here.inner;
		found_dead += holders[i].slot == (__u64)&here.dead;
		found_large +=
			holders[i].slot >= (__u64)large && holders[i].slot < (__u64)(large + sizeof(large));
		if (holders[i].slot == (__u64)&here.pointer)
			block_seen = holders[i].block;
	}
}

static void keep_slots(void *data, const struct memphis_holder *holders, size_t count)
{
	size_t i;

	(void)data;
	for (i = 0; i < count && slots_count < 4; i++)
		slots[slots_count++] = holders[i].slot;
}

static size_t resident_pages(const char *start, size_t bytes)
{
	static unsigned char pages[(64 << 20) / 4096];
	size_t i, n = 0;

	if (mincore((void *)((uintptr_t)start & ~4095ul), bytes, pages))
		return 0;
	for (i = 0; i < bytes / 4096; i++)
		n += pages[i] & 1;
	return n;
}

int main(void)
{
	static const __u64 words[] = {0xfff8, 0x10000, 0x20000, 0x30000, 0x30008};
	struct memphis_tracked_blocks blocks = {0}, parts = {0}, bounds = {0};
	const struct memphis_scanned both = {&blocks, &parts}, only_bounds = {&bounds, &parts};
	char *block = malloc(100000), *dead = malloc(100000);
	char *mapped = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	/* No huge pages: touching a page must not make its neighbours resident. */
	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	memphis_blocks_put(&blocks, (__u64)block, 1, 1);
	memphis_blocks_put(&blocks, (__u64)dead, 1, 1);
	memphis_blocks_put(&blocks, (__u64)dead, 2, 0);
	here.pointer = block;
	here.inner = block + 8;
	here.dead = dead;
	memphis_holders_list();
	is(memphis_pointer_scan(&both, found, NULL), 0, "the scan leaves nothing out");
	is(found_pointer, 1, "a pointer to a block is found once");
	is(block_seen, (__u64)block, "the holder is reported with its block");
	is(found_inner, 0, "a pointer into the middle of a block is not a holder");
	is(found_dead, 0, "a released block has no holder");
	is(found_large, 0, "no holder is found in untouched memory");
	is(resident_pages(large + 4096, sizeof(large) - 8192), 0,
	   "the scan does not make untouched memory resident");

	here.pointer = NULL;
	memcpy(mapped + 4096 - 8, &block, 8);
	memcpy(mapped + 2 * 4096, &block, 8);
	munmap(mapped + 4096, 4096);
	memphis_pointer_scan_range(&both, (__u64)mapped, (__u64)mapped + 3 * 4096, keep_slots, NULL);
	is(slots_count, 2, "a hole in the range does not end the scan");
	is(slots[0], (__u64)mapped + 4096 - 8, "a pointer before the hole is found");
	is(slots[1], (__u64)mapped + 2 * 4096, "a pointer after the hole is found");

	memphis_blocks_put(&bounds, 0x10000, 1, 1);
	memphis_blocks_put(&bounds, 0x30000, 1, 1);
	memphis_blocks_put(&bounds, 0x20000, 1, 1);
	slots_count = 0;
	memphis_pointer_scan_range(&only_bounds, (__u64)words, (__u64)words + sizeof(words), keep_slots,
				   NULL);
	ok(slots_count == 3 && slots[0] == (__u64)&words[1] && slots[1] == (__u64)&words[2] &&
		   slots[2] == (__u64)&words[3],
	   "pointers to the lowest and to the highest block are found");
	/* Parts below, at and above the blocks. */
	memphis_blocks_put(&parts, 0xfff8, 1, 7);
	memphis_blocks_put(&parts, 0x20000, 1, 7);
	memphis_blocks_put(&parts, 0x30008, 1, 7);
	slots_count = 0;
	memphis_pointer_scan_range(&only_bounds, (__u64)words, (__u64)words + 3 * 8, keep_slots, NULL);
	ok(slots_count == 3 && slots[0] == (__u64)&words[0] && slots[2] == (__u64)&words[2],
	   "pointers to parts are found, once if a block begins there, too");
	slots_count = 0;
	memphis_pointer_scan_range(&only_bounds, (__u64)(words + 4), (__u64)(words + 5), keep_slots, NULL);
	is(slots_count, 1, "a pointer to a part above all blocks is found");
	memphis_blocks_free(&bounds);
	memphis_blocks_free(&parts);
	memphis_blocks_free(&blocks);
	free(block);
	free(dead);
	return finish();
}
