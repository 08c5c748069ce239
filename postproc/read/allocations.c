// SPDX-License-Identifier: BSD-3-Clause
/*
 * Sorts the allocations of a thread by time. The records in a thread file are not sorted, because some are
 * written late: they wait until a sample needs them.
 */
#include <errno.h>
#include <stdlib.h>

#include "read/process.h"

static int compare_records(const void *a, const void *b, void *list)
{
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	const struct memphis_allocation *x = (const struct memphis_allocation *)list + i,
					*y = (const struct memphis_allocation *)list + j;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return i < j ? -1 : i > j;
}

int memphis_allocations_sort(struct memphis_thread_log *log)
{
	struct memphis_allocation *sorted = NULL;
	uint32_t *order, count = (uint32_t)log->allocation_count, i;

	for (i = 1; i < count && log->allocations[i - 1].time_ns <= log->allocations[i].time_ns; i++)
		;
	if (i >= count)
		return 0;
	order = malloc(count * sizeof(*order));
	sorted = malloc(count * sizeof(*sorted));
	if (!order || !sorted) {
		free(order);
		free(sorted);
		return -ENOMEM;
	}
	for (i = 0; i < count; i++)
		order[i] = i;
	qsort_r(order, count, sizeof(*order), compare_records, log->allocations);
	for (i = 0; i < count; i++)
		sorted[i] = log->allocations[order[i]];
	free(order);
	free(log->allocations);
	log->allocations = sorted;
	log->allocation_room = count;
	return 0;
}
