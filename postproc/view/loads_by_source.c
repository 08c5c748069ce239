// SPDX-License-Identifier: BSD-3-Clause
#include "view/loads_by_source.h"

#include <stdio.h>
#include <string.h>

#include "read/stands_for.h"

static void add_counted_loads(const struct memphis_process *process, struct memphis_loads_by_source *loads)
{
	char key[32];
	unsigned int i;

	for (i = MEMPHIS_EVENT_LOCAL_DRAM; i < MEMPHIS_EVENTS; i++) {
		snprintf(key, sizeof(key), "counted_%s", memphis_event_names[i]);
		if (!memphis_setting(&process->settings, key))
			continue;
		loads[i].counted += memphis_setting_number(&process->settings, key, 0);
		loads[i].sampled = true;
	}
}

void memphis_loads_by_source(const struct memphis_profile *profile, const struct memphis_selection *selection,
			     struct memphis_loads_by_source loads[MEMPHIS_EVENTS])
{
	const struct memphis_processes *processes = &profile->processes;
	const struct memphis_total *total;
	enum memphis_sampling_event event;
	size_t i;

	memset(loads, 0, MEMPHIS_EVENTS * sizeof(*loads));
	for (i = MEMPHIS_EVENT_LOCAL_DRAM; i < MEMPHIS_EVENTS; i++)
		loads[i].selected = !selection->region && selection->node < 0 && !selection->kind->away &&
				    memphis_selection_takes(selection, &memphis_event_accesses[i]);
	for (i = 0; i < processes->count; i++)
		if (memphis_selection_has(selection, &processes->list[i]))
			add_counted_loads(&processes->list[i], loads);
	for (i = 0; i < profile->totals.count; i++) {
		total = &profile->totals.list[i];
		event = memphis_event_of(&total->access);
		if (event == MEMPHIS_EVENT_ACCESS ||
		    !memphis_selection_has(selection, &processes->list[total->process]))
			continue;
		loads[event].samples += total->measure.count;
		loads[event].loads += total->measure.accesses;
	}
}

bool memphis_loads_all_by_source(const struct memphis_profile *profile,
				 const struct memphis_loads_by_source loads[MEMPHIS_EVENTS])
{
	bool sampled = false;
	size_t i;

	for (i = 0; i < profile->totals.count; i++)
		if (memphis_event_of(&profile->totals.list[i].access) == MEMPHIS_EVENT_ACCESS)
			return false;
	for (i = MEMPHIS_EVENT_LOCAL_DRAM; i < MEMPHIS_EVENTS; i++)
		sampled |= loads[i].sampled;
	return sampled;
}
