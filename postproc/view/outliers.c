// SPDX-License-Identifier: BSD-3-Clause
/* Counts the samples of each process, and finds processes that are outliers. */
#include "view/outliers.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "base/statistics.h"

/* Returns the number of samples that the process would have if its period were the mean period of all processes. */
static double weighted_samples(const struct memphis_process_row *row, double period)
{
	return period > 0 ? (double)row->accesses / period : (double)row->count;
}

static int mark_outliers(struct memphis_process_table *table)
{
	double *values = malloc((table->count + 1) * sizeof(*values));
	double samples = 0, accesses = 0, period;
	struct memphis_process_row *row;
	size_t i;

	if (!values)
		return -ENOMEM;
	for (i = 0; i < table->count; i++) {
		samples += (double)table->list[i].count;
		accesses += (double)table->list[i].accesses;
	}
	period = samples > 0 ? accesses / samples : 0;
	for (i = 0; i < table->count; i++)
		values[i] = weighted_samples(&table->list[i], period);
	table->median = memphis_median(values, table->count);
	table->spread =
		fmax(memphis_spread(values, table->count, table->median), sqrt(fmax(table->median, 1)));
	for (i = 0; i < table->count; i++) {
		row = &table->list[i];
		row->deviation = (weighted_samples(row, period) - table->median) / table->spread;
		row->outlier = fabs(row->deviation) > MEMPHIS_OUTLIER_SCALES;
		table->outliers += row->outlier;
	}
	free(values);
	return 0;
}

static int compare_rows(const void *a, const void *b)
{
	const struct memphis_process_row *x = a, *y = b;
	double one = fabs(x->deviation), other = fabs(y->deviation);

	if (one != other)
		return one > other ? -1 : 1;
	/* Equal processes are sorted by rank. The profile sorts processes by path, where rank 10 comes before rank 2. */
	return memphis_order(x->rank, y->rank) ?: memphis_order(x->process, y->process);
}

static int compare_waits(const void *a, const void *b)
{
	const struct memphis_process_row *x = a, *y = b;

	if (x->waited != y->waited)
		return x->waited > y->waited ? -1 : 1;
	return compare_rows(a, b);
}

/* Returns how many cycles the loads waited that these samples represent. */
static double waited_cycles(const struct memphis_total *total)
{
	const struct memphis_measure *measure = &total->measure;

	if (!memphis_waits(&total->access) || !(total->access.flags & MEMPHIS_FLAG_LOAD) || !measure->count)
		return 0;
	return (double)measure->latency_cycles * (double)measure->accesses / (double)measure->count;
}

int memphis_process_table_make(struct memphis_process_table *table, const struct memphis_profile *profile,
			       const struct memphis_selection *selection, enum memphis_sort sort)
{
	const struct memphis_total *total;
	struct memphis_process_row *row;
	size_t i, kept = 0;
	int rc = 0;

	memset(table, 0, sizeof(*table));
	table->list = calloc(profile->processes.count + 1, sizeof(*table->list));
	if (!table->list)
		return -ENOMEM;
	for (i = 0; i < profile->processes.count; i++) {
		table->list[i].process = (uint32_t)i;
		table->list[i].rank =
			memphis_setting_number(&profile->processes.list[i].settings, "rank", UINT64_MAX);
	}
	for (i = 0; i < profile->totals.count; i++) {
		total = &profile->totals.list[i];
		if (!memphis_selection_takes(selection, &total->access))
			continue;
		row = &table->list[total->process];
		row->count += total->measure.count;
		row->accesses += total->measure.accesses;
		row->lines += memphis_moves_line(&total->access) ? total->measure.accesses : 0;
		row->waited += waited_cycles(total);
		row->away += memphis_goes_away(&total->access) ? total->measure.count : 0;
	}
	for (i = 0; i < profile->processes.count; i++)
		if (memphis_selection_has(selection, &profile->processes.list[i]))
			table->list[kept++] = table->list[i];
	table->count = kept;
	if (kept >= MEMPHIS_OUTLIER_LEAST)
		rc = mark_outliers(table);
	if (!rc && kept)
		qsort(table->list, kept, sizeof(*table->list),
		      sort == MEMPHIS_SORT_LATENCY ? compare_waits : compare_rows);
	return rc;
}

void memphis_process_table_close(struct memphis_process_table *table)
{
	free(table->list);
	memset(table, 0, sizeof(*table));
}
