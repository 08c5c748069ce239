// SPDX-License-Identifier: BSD-3-Clause
/* Counts the samples of each thread for each kind of access. */
#include "profile/totals.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "base/error.h"

#define KEY_BYTES offsetof(struct memphis_total, measure)

/* Rebuilds the index. This is necessary after memphis_totals_append() and memphis_totals_sort(). */
static int rebuild_index(struct memphis_totals *totals)
{
	size_t i;

	memphis_strings_close(&totals->keys);
	for (i = 0; i < totals->count; i++)
		if (memphis_strings_add(&totals->keys, &totals->list[i], KEY_BYTES) == MEMPHIS_NO_STRING)
			return -ENOMEM;
	return 0;
}

struct memphis_total *memphis_totals_get(struct memphis_totals *totals, uint32_t process, uint32_t thread,
					 struct memphis_access access)
{
	struct {
		uint32_t process, thread;
		struct memphis_access access;
	} key = {process, thread, access};
	struct memphis_total *total;
	uint32_t number;

	if (totals->count && totals->keys.count != totals->count + 1 && rebuild_index(totals))
		return NULL;
	_Static_assert(sizeof(key) == KEY_BYTES, "no padding");
	number = memphis_strings_add(&totals->keys, &key, sizeof(key));
	if (number == MEMPHIS_NO_STRING)
		return NULL;
	if (number <= totals->count)
		return &totals->list[number - 1];
	total = memphis_append(totals->list, totals->count, totals->room);
	if (total) {
		total->process = process;
		total->thread = thread;
		total->access = access;
	}
	return total;
}

int memphis_totals_merge(struct memphis_totals *totals, const struct memphis_totals *from, uint32_t process)
{
	const struct memphis_total *more;
	struct memphis_total *total;
	size_t i;

	for (i = 0; i < from->count; i++) {
		more = &from->list[i];
		total = memphis_totals_get(totals, process + more->process, more->thread, more->access);
		if (!total)
			return -ENOMEM;
		memphis_measure_add(&total->measure, &more->measure);
	}
	return 0;
}

int memphis_totals_append(struct memphis_totals *totals, const struct memphis_totals *from, uint32_t process)
{
	const size_t count = totals->count + from->count;
	size_t i;

	if (memphis_grow(&totals->list, &totals->room, count, sizeof(*totals->list)))
		return -ENOMEM;
	for (i = 0; i < from->count; i++) {
		totals->list[totals->count] = from->list[i];
		totals->list[totals->count++].process += process;
	}
	return 0;
}

static int compare_totals(const void *a, const void *b)
{
	const struct memphis_total *x = a, *y = b;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return memcmp(&x->access, &y->access, sizeof(x->access));
}

void memphis_totals_sort(struct memphis_totals *totals)
{
	struct memphis_total *list = totals->list;
	size_t kept = 0, i;

	memphis_sort(list, totals->count, compare_totals);
	for (i = 0; i < totals->count; i++)
		if (kept && !compare_totals(&list[kept - 1], &list[i]))
			memphis_measure_add(&list[kept - 1].measure, &list[i].measure);
		else
			list[kept++] = list[i];
	totals->count = kept;
	memphis_strings_close(&totals->keys);
}

void memphis_totals_close(struct memphis_totals *totals)
{
	memphis_strings_close(&totals->keys);
	free(totals->list);
	memset(totals, 0, sizeof(*totals));
}
