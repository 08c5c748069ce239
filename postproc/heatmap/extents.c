// SPDX-License-Identifier: BSD-3-Clause
/*
 * Finds the extents of a variable, which are the address ranges of its blocks. The blocks of one variable can be far
 * apart, for example when a loop calls malloc for each row. Most of the addresses between the lowest and the highest
 * block then belong to other data, and a whole block would fall into one bin of the heatmap.
 */
#include "heatmap/second_pass.h"

#include <errno.h>
#include <stdlib.h>

#include "base/order.h"

/*
 * The heatmap uses extents only if they fill less than this part of the range from the lowest to the highest address.
 * Their bytes are then numbered consecutively, without the gaps. Otherwise the bins are fine enough.
 */
#define DENSE      0.5
#define PAGE_BYTES 4096

static int compare_extents(const void *a, const void *b)
{
	const struct memphis_heatmap_extent *x = a, *y = b;

	return memphis_order(x->low, y->low) ?: memphis_order(x->high, y->high);
}

/*
 * Merges extents that overlap or touch, and sets their positions. The position of an extent is the total size of the
 * extents before it. Returns the new number of extents.
 */
static size_t merge_extents(struct memphis_heatmap_extent *list, size_t count)
{
	size_t kept = 0, i;

	memphis_sort(list, count, compare_extents);
	for (i = 0; i < count; i++) {
		if (kept && list[i].low <= list[kept - 1].high) {
			if (list[i].high > list[kept - 1].high)
				list[kept - 1].high = list[i].high;
			continue;
		}
		list[kept] = list[i];
		if (kept)
			list[kept].position =
				list[kept - 1].position + list[kept - 1].high - list[kept - 1].low;
		kept++;
	}
	return kept;
}

/*
 * Returns the address range of the block that contains the record's address. If the owner is only an estimate, returns
 * the page of the address instead. If the block is unknown, returns an extent whose `high` is 0.
 */
static struct memphis_heatmap_extent record_extent(const struct memphis_heatmap_record *record)
{
	const uint64_t page = record->address & ~(uint64_t)(PAGE_BYTES - 1);

	if (record->estimated)
		return (struct memphis_heatmap_extent){page, page + PAGE_BYTES, 0};
	return (struct memphis_heatmap_extent){record->block_end ? record->address - record->offset : 0,
					       record->block_end, 0};
}

/*
 * Lists the extents of the records. Consecutive records with the same extent add it only once. Returns the number of
 * extents, or 0 if the block of any record is unknown.
 */
static size_t list_block_extents(struct memphis_heatmap_extent *list,
				 struct memphis_heatmap_record *const *records, size_t count)
{
	size_t found = 0, i;

	for (i = 0; i < count; i++) {
		list[found] = record_extent(records[i]);
		if (!list[found].high)
			return 0;
		found += !found || compare_extents(&list[found], &list[found - 1]) != 0;
	}
	return found;
}

int memphis_heatmap_find_extents(struct memphis_heatmap *heatmap,
				 struct memphis_heatmap_record *const *records, size_t count)
{
	struct memphis_heatmap_extent *list = calloc(count + 1, sizeof(*list)), *last;
	size_t found;

	if (!list)
		return -ENOMEM;
	found = merge_extents(list, list_block_extents(list, records, count));
	last = &list[found ? found - 1 : 0];
	if (found < 2 || (double)(last->position + last->high - last->low) >=
				 DENSE * (double)(heatmap->high - heatmap->low)) {
		free(list);
		return 0;
	}
	heatmap->extents = list;
	heatmap->extent_count = found;
	return 0;
}
