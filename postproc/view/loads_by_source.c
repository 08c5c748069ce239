// SPDX-License-Identifier: BSD-3-Clause
#include "view/loads_by_source.h"

#include <stdio.h>
#include <string.h>

#include <memphis/sampling_events.h>

#define NAME(event, name, source, flags) [event] = name,
const char *const memphis_event_names[MEMPHIS_EVENTS] = {MEMPHIS_SAMPLING_EVENTS(NAME)};

/* The source and the flags that samples of each event have. */
#define ACCESS(event, name, source_, flags_) [event] = {.source = (source_), .flags = (flags_)},
static const struct memphis_access accesses[MEMPHIS_EVENTS] = {MEMPHIS_SAMPLING_EVENTS(ACCESS)};

static enum memphis_sampling_event find_event(const struct memphis_access *access)
{
	unsigned int i;

	if (access->flags & MEMPHIS_FLAG_BY_SOURCE)
		for (i = MEMPHIS_EVENT_LOCAL_DRAM; i < MEMPHIS_EVENTS; i++)
			if (access->source == accesses[i].source &&
			    (access->flags & ~MEMPHIS_FLAG_BY_SOURCE) == accesses[i].flags)
				return i;
	return MEMPHIS_EVENT_ACCESS;
}

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
				    memphis_selection_takes(selection, &accesses[i]);
	for (i = 0; i < processes->count; i++)
		if (memphis_selection_has(selection, &processes->list[i]))
			add_counted_loads(&processes->list[i], loads);
	for (i = 0; i < profile->totals.count; i++) {
		total = &profile->totals.list[i];
		event = find_event(&total->access);
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
		if (find_event(&profile->totals.list[i].access) == MEMPHIS_EVENT_ACCESS)
			return false;
	for (i = MEMPHIS_EVENT_LOCAL_DRAM; i < MEMPHIS_EVENTS; i++)
		sampled |= loads[i].sampled;
	return sampled;
}
