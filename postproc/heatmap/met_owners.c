// SPDX-License-Identifier: BSD-3-Clause
#include "heatmap/met_owners.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"

uint32_t memphis_met_owner(struct memphis_met_owners *met, const struct memphis_owner *owner)
{
	const uint32_t number = memphis_strings_add(&met->keys, owner, sizeof(*owner));

	if (number == MEMPHIS_NO_STRING)
		return MEMPHIS_NONE;
	if (number > met->count) {
		if (!memphis_append(met->list, met->count, met->room))
			return MEMPHIS_NONE;
		met->list[number - 1].owner = *owner;
		met->list[number - 1].number = MEMPHIS_NONE;
	}
	return number - 1;
}

static int compare_owners(const void *a, const void *b)
{
	const struct memphis_owner *x = &(*(struct memphis_met_owner *const *)a)->owner,
				   *y = &(*(struct memphis_met_owner *const *)b)->owner;

	return memphis_order(x->kind, y->kind) ?:
	       memphis_order(x->process, y->process) ?:
	       memphis_order(x->index, y->index) ?:
	       memphis_order(x->item, y->item);
}

/*
 * Compares by number of samples, descending. Equal numbers are ordered by owner, so that the order does not depend on
 * which worker read the samples.
 */
static int compare_samples(const void *a, const void *b)
{
	const struct memphis_met_owner *x = *(struct memphis_met_owner *const *)a,
				       *y = *(struct memphis_met_owner *const *)b;

	return memphis_order(y->samples, x->samples) ?: compare_owners(a, b);
}

/*
 * Merges the entries of all lists that are about the same owner, and adds up their samples. Afterwards `all` begins
 * with one entry per owner, sorted by samples in descending order. The duplicates follow, with 0 samples. Returns the
 * number of different owners.
 */
static size_t merge_equal_owners(struct memphis_met_owner **all, size_t count)
{
	struct memphis_met_owner *first = NULL;
	size_t different = 0, i;

	memphis_sort(all, count, compare_owners);
	for (i = 0; i < count; i++) {
		if (i && !compare_owners(&first, &all[i])) {
			first->samples += all[i]->samples;
			all[i]->samples = 0;
			continue;
		}
		first = all[i];
		different++;
	}
	memphis_sort(all, count, compare_samples);
	return different;
}

int memphis_met_owners_name(struct memphis_met_owners **lists, size_t count, struct memphis_namer *namer,
			    struct memphis_owner_numbers *numbers)
{
	struct memphis_met_owner **all;
	size_t sum = 0, named, i, j;
	int rc = 0;

	for (i = 0; i < count; i++)
		sum += lists[i]->count;
	all = malloc((sum + 1) * sizeof(*all));
	if (!all)
		return -ENOMEM;
	for (sum = i = 0; i < count; i++)
		for (j = 0; j < lists[i]->count; j++)
			if (lists[i]->list[j].owner.kind != MEMPHIS_OWNER_NEAR)
				all[sum++] = &lists[i]->list[j];
	named = merge_equal_owners(all, sum);
	if (named > MEMPHIS_MET_NAMED)
		named = MEMPHIS_MET_NAMED;
	for (i = 0; !rc && i < named; i++)
		if (memphis_owner_add(namer, numbers, &all[i]->owner) == MEMPHIS_NONE)
			rc = -ENOMEM;
	for (i = 0; i < sum; i++)
		all[i]->number = memphis_owner_number(numbers, &all[i]->owner);
	free(all);
	return rc;
}

void memphis_met_owners_close(struct memphis_met_owners *met)
{
	memphis_strings_close(&met->keys);
	free(met->list);
	memset(met, 0, sizeof(*met));
}
