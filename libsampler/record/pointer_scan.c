/* SPDX-License-Identifier: BSD-3-Clause */
/* Conservative pointer scan of writable static memory for the holders of blocks. */
#include <link.h>
#include <string.h>

#include "base/loaded.h"
#include "record/pointer_scan.h"

#define PAGE   4096u
#define PAGES  64u /* number of pages examined at a time */
#define BATCH  256u
#define RANGES 4096u

struct search {
	struct memphis_scanned scanned;
	__u64 low, span; /* range of the addresses of all blocks and parts */
	memphis_holders_fn found;
	void *data;
	__u64 time_ns;
	struct memphis_holder batch[BATCH];
	size_t count;
	__u64 words[PAGES * PAGE / 8];
};

static void flush_batch(struct search *search)
{
	if (search->count)
		search->found(search->data, search->batch, search->count);
	search->count = 0;
}

static int is_live(const struct memphis_tracked_blocks *blocks, __u64 address)
{
	const struct memphis_tracked_block *block = memphis_blocks_find(blocks, address);

	return block && block->is_live;
}

/* Finds the pointers to blocks among the copied words. `start`: address from which the words were copied. */
static void examine_words(struct search *search, __u64 start, size_t words)
{
	__u64 low = search->low, span = search->span;
	size_t i;

	for (i = 0; i < words; i++) {
		__u64 value = search->words[i];

		if (likely(value - low > span))
			continue;
		if (!is_live(search->scanned.blocks, value) && !is_live(search->scanned.parts, value))
			continue;
		search->batch[search->count++] = (struct memphis_holder){
			.time_ns = search->time_ns,
			.slot = start + 8 * i,
			.block = value,
		};
		if (search->count == BATCH)
			flush_batch(search);
	}
}

/* Copies [start, end) and finds the pointers to blocks in the copy. Skips pages that were unmapped in the meantime. */
static void copy_and_examine(struct search *search, __u64 start, __u64 end)
{
	while (start < end) {
		ssize_t got = sys_copy(search->words, start, end - start);

		if (got > 0) {
			examine_words(search, start, (size_t)got / 8);
			start += (__u64)got;
		} else if (got && errno != EFAULT) {
			return; /* the system call is not permitted */
		} else {
			start = (start & ~(__u64)(PAGE - 1)) + PAGE;
		}
	}
}

static void search_range(struct search *search, __u64 start, __u64 end)
{
	__u64 page, from = 0;
	unsigned char resident[PAGES];

	start = (start + 7) & ~7ull;
	end &= ~7ull;
	for (page = start & ~(__u64)(PAGE - 1); page < end; page += PAGES * PAGE) {
		__u64 pages = (end - page + PAGE - 1) / PAGE, i;

		if (pages > PAGES)
			pages = PAGES;
		if (mincore((void *)(uintptr_t)page, pages * PAGE, resident))
			memset(resident, 1, sizeof(resident)); /* copying skips missing pages */
		for (i = 0; i <= pages; i++) {
			__u64 here = page + i * PAGE;

			if (i < pages && (resident[i] & 1)) {
				if (!from)
					from = here < start ? start : here;
			} else if (from) {
				copy_and_examine(search, from, here > end ? end : here);
				from = 0;
			}
		}
	}
	flush_batch(search);
}

/* Sets the range of the addresses to search for. Returns 0 if there are none. */
static int set_range(struct search *search)
{
	const struct memphis_tracked_blocks *blocks = search->scanned.blocks, *parts = search->scanned.parts;
	const struct memphis_tracked_blocks *one = blocks->size ? blocks : parts;
	__u64 high = one->high;

	search->low = one->low;
	if (parts->size && parts->low < search->low)
		search->low = parts->low;
	if (parts->size && parts->high > high)
		high = parts->high;
	search->span = high - search->low;
	return one->size != 0;
}

void memphis_pointer_scan_range(const struct memphis_scanned *scanned, __u64 start, __u64 end,
				memphis_holders_fn found, void *data)
{
	struct search *search = sys_map(sizeof(*search));

	if (!search)
		return;
	search->scanned = *scanned;
	search->found = found;
	search->data = data;
	search->time_ns = now_ns();
	if (set_range(search))
		search_range(search, start, end);
	sys_unmap(search, sizeof(*search));
}

static struct ranges {
	size_t count;
	__u64 left_out;
	struct {
		__u64 start, end;
	} range[RANGES];
} ranges;

/*
 * Returns 1 for the library itself, because its own tables contain addresses of blocks. Returns 0 for a
 * static program, which is one object together with the library.
 */
static int is_library(const struct dl_phdr_info *info)
{
	__u64 at = (uintptr_t)&ranges - info->dlpi_addr;
	int i;

	for (i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD &&
		    at - info->dlpi_phdr[i].p_vaddr < info->dlpi_phdr[i].p_memsz)
			return info->dlpi_name[0];
	return 0;
}

static int list_ranges(struct dl_phdr_info *info, UNUSED size_t size, UNUSED void *data)
{
	__u64 budget = MEMPHIS_HOLDERS_OBJECT_BYTES;
	int i;

	if (is_library(info))
		return 0;
	for (i = 0; i < info->dlpi_phnum && ranges.count < RANGES; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		__u64 bytes = ph->p_memsz;

		if (ph->p_type != PT_LOAD || !(ph->p_flags & PF_W))
			continue;
		if (bytes > budget) {
			ranges.left_out += bytes - budget;
			bytes = budget;
		}
		budget -= bytes;
		ranges.range[ranges.count].start = info->dlpi_addr + ph->p_vaddr;
		ranges.range[ranges.count].end = info->dlpi_addr + ph->p_vaddr + bytes;
		ranges.count++;
	}
	return 0;
}

void memphis_holders_list(void)
{
	ranges.count = 0;
	ranges.left_out = 0;
	memphis_loaded_each(list_ranges, NULL);
}

__u64 memphis_pointer_scan(const struct memphis_scanned *scanned, memphis_holders_fn found, void *data)
{
	size_t i;

	for (i = 0; i < ranges.count; i++)
		memphis_pointer_scan_range(scanned, ranges.range[i].start, ranges.range[i].end, found, data);
	return ranges.left_out;
}
