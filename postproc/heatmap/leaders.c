// SPDX-License-Identifier: BSD-3-Clause
/* Chooses the leading variables of a process, which are the ones that get a heatmap. */
#include "heatmap/leaders.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int compare_leaders(const void *a, const void *b)
{
	const struct memphis_leader *x = a, *y = b;

	if (x->selected != y->selected)
		return x->selected > y->selected ? -1 : 1;
	return (x->variable > y->variable) - (x->variable < y->variable);
}

/*
 * Appends the variables with the most samples of this kind to `leaders`, which has room for all variables. A variable that is already
 * listed is only marked.
 */
static void add_leaders(const struct memphis_second_pass *pass, unsigned int kind,
			struct memphis_leader *sums, struct memphis_leader *leaders, size_t *count)
{
	size_t variables = pass->join->profile->variable_count, i, j;

	memset(sums, 0, variables * sizeof(*sums));
	for (i = 0; i < variables; i++)
		sums[i].variable = (uint32_t)i;
	for (i = 0; i < pass->count; i++) {
		j = pass->numbers->variables[pass->samples[i].owner];
		sums[j].count++;
		sums[j].selected += pass->samples[i].kinds >> kind & 1;
	}
	qsort(sums, variables, sizeof(*sums), compare_leaders);
	for (i = 0; i < MEMPHIS_HEATMAPS && i < variables && sums[i].selected; i++) {
		for (j = 0; j < *count && leaders[j].variable != sums[i].variable; j++)
			;
		if (j == *count)
			leaders[(*count)++] = sums[i];
		leaders[j].kinds |= UINT32_C(1) << kind;
	}
}

int memphis_leaders_find(const struct memphis_second_pass *pass, struct memphis_leader **leaders,
			 size_t *count)
{
	size_t variables = pass->join->profile->variable_count;
	struct memphis_leader *sums = calloc(variables + 1, sizeof(*sums));
	unsigned int kind;

	*count = 0;
	*leaders = calloc(variables + 1, sizeof(**leaders));
	for (kind = 0; sums && *leaders && kind < pass->kind_count; kind++)
		add_leaders(pass, kind, sums, *leaders, count);
	free(sums);
	return sums && *leaders ? 0 : -ENOMEM;
}
