// SPDX-License-Identifier: BSD-3-Clause
/*
 * Address ranges in a sorted array. The array is also a balanced binary tree: the root of a part of the array
 * is its middle element. Each node also stores the largest end in its subtree.
 */
#include "base/intervals.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/order.h"

int memphis_intervals_add(struct memphis_intervals *intervals, uint64_t low, uint64_t high, uint32_t value)
{
	struct memphis_interval *interval;

	if (high <= low)
		return 0;
	interval = memphis_append(intervals->list, intervals->count, intervals->room);
	if (!interval)
		return -1;
	interval->low = low;
	interval->high = high;
	interval->value = value;
	return 0;
}

static int compare_intervals(const void *a, const void *b)
{
	const struct memphis_interval *x = a, *y = b;

	return memphis_order(x->low, y->low) ?:
	       memphis_order(x->high, y->high) ?:
	       memphis_order(x->value, y->value);
}

static uint64_t set_subtree_highs(struct memphis_interval *list, size_t from, size_t to)
{
	size_t middle = from + (to - from) / 2;
	uint64_t high, below;

	if (from == to)
		return 0;
	high = list[middle].high;
	below = set_subtree_highs(list, from, middle);
	high = below > high ? below : high;
	below = set_subtree_highs(list, middle + 1, to);
	high = below > high ? below : high;
	list[middle].subtree_high = high;
	return high;
}

void memphis_intervals_sort(struct memphis_intervals *intervals)
{
	size_t i;

	intervals->disjoint = true;
	if (!intervals->count)
		return;
	qsort(intervals->list, intervals->count, sizeof(*intervals->list), compare_intervals);
	set_subtree_highs(intervals->list, 0, intervals->count);
	for (i = 1; i < intervals->count; i++)
		intervals->disjoint &= intervals->list[i - 1].high <= intervals->list[i].low;
}

void memphis_intervals_close(struct memphis_intervals *intervals)
{
	free(intervals->list);
	memset(intervals, 0, sizeof(*intervals));
}

struct search {
	const struct memphis_interval *list;
	uint64_t address;
	int (*visit)(void *context, const struct memphis_interval *interval);
	void *context;
};

static int search_tree(const struct search *s, size_t from, size_t to)
{
	const struct memphis_interval *root;
	size_t middle;
	int rc;

	while (from < to) {
		middle = from + (to - from) / 2;
		root = &s->list[middle];
		if (root->subtree_high <= s->address)
			return 0;
		rc = search_tree(s, from, middle);
		if (rc || root->low > s->address)
			return rc;
		if (root->high > s->address) {
			rc = s->visit(s->context, root);
			if (rc)
				return rc;
		}
		from = middle + 1;
	}
	return 0;
}

int memphis_intervals_find(const struct memphis_intervals *intervals, uint64_t address,
			   int (*visit)(void *context, const struct memphis_interval *interval),
			   void *context)
{
	struct search s = {intervals->list, address, visit, context};
	size_t at;

	if (!intervals->disjoint)
		return search_tree(&s, 0, intervals->count);
	/* As the ranges do not overlap, only the first one that ends after `address` can contain it. */
	at = memphis_bisect(i, intervals->count, intervals->list[i].high <= address);
	if (at == intervals->count || intervals->list[at].low > address)
		return 0;
	return visit(context, &intervals->list[at]);
}

bool memphis_intervals_any(const struct memphis_intervals *intervals, uint64_t low, uint64_t high)
{
	const size_t first = memphis_bisect(i, intervals->count, intervals->list[i].low < low);

	return first < intervals->count && intervals->list[first].low < high;
}
