// SPDX-License-Identifier: BSD-3-Clause
/* Chooses the leading variables of a process: those with the most samples. Only these are examined for findings. */
#include "heatmap/second_pass.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "profile/finding.h"

/* The variables of one process, each with its number of samples, in any order. */
struct sums {
	struct memphis_leader *list;
	size_t count, room;
};

static int compare_selected(const void *a, const void *b)
{
	const struct memphis_leader *x = a, *y = b;

	return memphis_order(y->selected, x->selected) ?: memphis_order(x->variable, y->variable);
}

/*
 * Lists the variables of which the process has samples. These can be a small part of the profile's variables. Returns
 * 0 or -ENOMEM.
 */
static int list_variables(const struct memphis_second_pass *pass, struct sums *sums)
{
	const struct memphis_heatmap_record *record;
	struct memphis_leader *leader;
	unsigned int kind;
	uint32_t variable;
	size_t i;

	for (i = 0; i < pass->count; i++) {
		record = pass->samples[i];
		variable = pass->numbers->variables[record->owner];
		if (!pass->slots[variable]) {
			leader = memphis_append(sums->list, sums->count, sums->room);
			if (!leader)
				return -ENOMEM;
			leader->variable = variable;
			pass->slots[variable] = (uint32_t)sums->count;
		}
		leader = &sums->list[pass->slots[variable] - 1];
		leader->count++;
		leader->selected += record->selected;
		for (kind = 0; kind < MEMPHIS_POPULATIONS; kind++)
			leader->kinds[kind] += record->kinds >> kind & 1;
	}
	return 0;
}

static void clear_slots(const struct memphis_second_pass *pass, const struct sums *sums)
{
	size_t i;

	for (i = 0; i < sums->count; i++)
		pass->slots[sums->list[i].variable] = 0;
}

static int compare_counts(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return memphis_order(*y, *x);
}

/*
 * Returns the number of samples of this population that a variable needs to be a leading variable. `counts` is a
 * buffer with one element per variable.
 */
static uint64_t least_leading_count(const struct sums *sums, unsigned int kind, uint64_t *counts)
{
	uint64_t total = 0, enough;
	size_t i;

	for (i = 0; i < sums->count; i++) {
		counts[i] = sums->list[i].kinds[kind];
		total += counts[i];
	}
	memphis_sort(counts, sums->count, compare_counts);
	enough = (uint64_t)ceil(MEMPHIS_FINDING_SHARE * (double)total);
	if (sums->count >= MEMPHIS_HEATMAPS && counts[MEMPHIS_HEATMAPS - 1] < enough)
		enough = counts[MEMPHIS_HEATMAPS - 1];
	return sums->count < MEMPHIS_HEATMAPS || !enough ? 1 : enough;
}

/*
 * Keeps the variables that lead in a population, and the first MEMPHIS_HEATMAPS with selected samples. Drops the
 * others. The list must be sorted by the number of selected samples.
 */
static void keep_leaders(struct sums *sums, uint64_t *counts)
{
	uint64_t least[MEMPHIS_POPULATIONS];
	struct memphis_leader *leader;
	unsigned int kind;
	size_t kept = 0, i;
	bool leads;

	for (kind = 0; kind < MEMPHIS_POPULATIONS; kind++)
		least[kind] = least_leading_count(sums, kind, counts);
	for (i = 0; i < sums->count; i++) {
		leader = &sums->list[i];
		leads = leader->kept = i < MEMPHIS_HEATMAPS && leader->selected;
		for (kind = 0; kind < MEMPHIS_POPULATIONS; kind++)
			leads |= leader->kinds[kind] >= least[kind];
		if (leads)
			sums->list[kept++] = *leader;
	}
	sums->count = kept;
}

int memphis_leaders_find(const struct memphis_second_pass *pass, struct memphis_leader **leaders,
			 size_t *count)
{
	struct sums sums = {0};
	uint64_t *counts;
	int rc = list_variables(pass, &sums);

	clear_slots(pass, &sums);
	counts = malloc((sums.count + 1) * sizeof(*counts));
	if (!counts)
		rc = -ENOMEM;
	memphis_sort(sums.list, sums.count, compare_selected);
	if (!rc)
		keep_leaders(&sums, counts);
	free(counts);
	*leaders = sums.list;
	*count = sums.count;
	return rc;
}
