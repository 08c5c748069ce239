// SPDX-License-Identifier: BSD-3-Clause
#include "top/live_variables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/*
 * Returns the number of bytes that the process's remote loads have moved so far: the number of samples times
 * the bytes per sample. If the bytes per sample are unknown, counts one cache line per sample.
 */
static double remote_bytes(const struct memphis_live_process *process)
{
	return (double)process->sum.all.remote *
	       (double)(process->line_bytes ? process->line_bytes : MEMPHIS_LINE_BYTES);
}

static bool has_leaders(const struct memphis_live_process *process)
{
	return process->state != MEMPHIS_LIVE_HIDDEN && process->leader_count && process->leader_loads;
}

static int compare_variables(const void *a, const void *b)
{
	const struct memphis_top_variable *x = a, *y = b;

	if (x->share != y->share)
		return x->share < y->share ? 1 : -1;
	return strcmp(x->name, y->name);
}

/* Returns the number of the leader's name, or MEMPHIS_NO_STRING if memory is exhausted. */
static uint32_t name_leader(struct memphis_strings *names, const struct memphis_profile *profile,
			    const struct memphis_live_leader *leader)
{
	const struct memphis_variable *variable = &profile->variables[leader->variable];
	struct memphis_text name = {0};
	uint32_t number;

	memphis_text_put(&name, "[");
	memphis_text_put_plain(&name, memphis_profile_text(profile, variable->segment));
	memphis_text_put(&name, "]:");
	memphis_text_put_plain(&name, memphis_shown_name(profile, leader->variable));
	number = name.failed ? MEMPHIS_NO_STRING : memphis_strings_add_text(names, name.text);
	memphis_text_close(&name);
	return number;
}

int memphis_top_variables_make(struct memphis_top_variables *variables, const struct memphis_live *live)
{
	const struct memphis_live_process *process;
	const struct memphis_live_leader *leader;
	struct memphis_top_variable *variable;
	double whole = 0;
	uint32_t number;
	size_t i;
	int rc = 0;

	for (i = 0; i < live->metadata.count; i++)
		if (has_leaders(&live->list[i]))
			whole += remote_bytes(&live->list[i]);
	for (process = live->list; !rc && process < live->list + live->metadata.count; process++) {
		if (!has_leaders(process))
			continue;
		variables->processes++;
		for (leader = process->leaders; leader < process->leaders + process->leader_count; leader++) {
			number = name_leader(&variables->names, &live->variables, leader);
			rc = number == MEMPHIS_NO_STRING ? -ENOMEM : 0;
			if (!rc && number > variables->count &&
			    !memphis_append(variables->list, variables->count, variables->room))
				rc = -ENOMEM;
			if (rc)
				break;
			variable = &variables->list[number - 1];
			variable->share += (double)leader->count / (double)process->leader_loads *
					   remote_bytes(process) / whole;
			variable->processes++;
		}
	}
	for (i = 0; i < variables->count; i++)
		variables->list[i].name = memphis_strings_get(&variables->names, (uint32_t)i + 1);
	if (!rc && variables->count)
		qsort(variables->list, variables->count, sizeof(*variables->list), compare_variables);
	return rc;
}

void memphis_top_variables_close(struct memphis_top_variables *variables)
{
	memphis_strings_close(&variables->names);
	free(variables->list);
}
