// SPDX-License-Identifier: BSD-3-Clause
/* Chooses the leading variables of a process, which are the ones that are examined for findings. */
#include "heatmap/second_pass.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "profile/finding.h"

/* The variables of one process, each with its number of samples, in any order. */
struct sums {
	struct memphis_leader *list;
	size_t count, room;
};

static int compare_leaders(const void *a, const void *b)
{
	const struct memphis_leader *x = a, *y = b;

	return memphis_order(y->selected, x->selected) ?: memphis_order(x->variable, y->variable);
}

/* Lists the variables of the process, which may be few of those in the profile. Returns 0 or -ENOMEM. */
static int list_variables(const struct memphis_second_pass *pass, struct sums *sums)
{
	struct memphis_leader *added;
	uint32_t variable;
	size_t i;

	for (i = 0; i < pass->count; i++) {
		variable = pass->numbers->variables[pass->samples[i]->owner];
		if (!pass->slots[variable]) {
			added = memphis_append(sums->list, sums->count, sums->room);
			if (!added)
				return -ENOMEM;
			*added = (struct memphis_leader){.variable = variable};
			pass->slots[variable] = (uint32_t)sums->count;
		}
		sums->list[pass->slots[variable] - 1].count++;
	}
	return 0;
}

static void clear_slots(const struct memphis_second_pass *pass, const struct sums *sums)
{
	size_t i;

	for (i = 0; i < sums->count; i++)
		pass->slots[sums->list[i].variable] = 0;
}

/* Appends the leading variables of this kind to `leaders`, which has room for all. A variable that is already listed is only marked. */
static void add_leaders(const struct memphis_second_pass *pass, unsigned int kind, struct sums *sums,
			struct memphis_leader *leaders, size_t *count)
{
	uint64_t total = 0;
	size_t i, j;

	for (i = 0; i < sums->count; i++) {
		sums->list[i].selected = 0;
		pass->slots[sums->list[i].variable] = (uint32_t)i + 1;
	}
	for (i = 0; i < pass->count; i++) {
		j = pass->slots[pass->numbers->variables[pass->samples[i]->owner]] - 1;
		sums->list[j].selected += pass->samples[i]->kinds >> kind & 1;
		total += pass->samples[i]->kinds >> kind & 1;
	}
	memphis_sort(sums->list, sums->count, compare_leaders);
	for (i = 0; i < sums->count && sums->list[i].selected; i++) {
		if (i >= MEMPHIS_HEATMAPS &&
		    (double)sums->list[i].selected < MEMPHIS_FINDING_SHARE * (double)total)
			break;
		for (j = 0; j < *count && leaders[j].variable != sums->list[i].variable; j++)
			;
		if (j == *count)
			leaders[(*count)++] = sums->list[i];
		leaders[j].kinds |= UINT32_C(1) << kind;
		leaders[j].kept |= !kind && i < MEMPHIS_HEATMAPS;
	}
}

int memphis_leaders_find(const struct memphis_second_pass *pass, struct memphis_leader **leaders,
			 size_t *count)
{
	struct sums sums = {0};
	unsigned int kind;
	int rc = list_variables(pass, &sums);

	*count = 0;
	*leaders = calloc(sums.count + 1, sizeof(**leaders));
	for (kind = 0; !rc && *leaders && kind < pass->kind_count; kind++)
		add_leaders(pass, kind, &sums, *leaders, count);
	clear_slots(pass, &sums);
	free(sums.list);
	return !rc && *leaders ? 0 : -ENOMEM;
}
