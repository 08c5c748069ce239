// SPDX-License-Identifier: BSD-3-Clause
/* Lists the different values of a setting over all processes. */
#include "view/distinct.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"

static int compare_texts(const void *a, const void *b)
{
	const struct memphis_distinct *x = a, *y = b;
	int order = strcmp(x->text, y->text);

	return order ? order : (x->process > y->process) - (x->process < y->process);
}

static int compare_processes(const void *a, const void *b)
{
	const struct memphis_distinct *x = a, *y = b;

	return memphis_order(x->process, y->process);
}

int memphis_distinct_list(struct memphis_distinct **list, size_t *count,
			  const struct memphis_processes *processes,
			  const struct memphis_selection *selection, const char *key)
{
	struct memphis_distinct *values = calloc(processes->count + 1, sizeof(*values));
	size_t found = 0, kept = 0, i;

	*list = values;
	*count = 0;
	if (!values)
		return -ENOMEM;
	for (i = 0; i < processes->count; i++) {
		if (selection && !memphis_selection_has(selection, &processes->list[i]))
			continue;
		values[found].text = memphis_setting(&processes->list[i].settings, key);
		values[found].process = i;
		values[found].count = 1;
		found += values[found].text != NULL;
	}
	qsort(values, found, sizeof(*values), compare_texts);
	for (i = 0; i < found; i++) {
		if (kept && !strcmp(values[i].text, values[kept - 1].text))
			values[kept - 1].count++;
		else
			values[kept++] = values[i];
	}
	qsort(values, kept, sizeof(*values), compare_processes);
	*count = kept;
	return 0;
}
