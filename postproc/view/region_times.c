// SPDX-License-Identifier: BSD-3-Clause
/* Adds up calls, times and counts of regions over threads. */
#include "view/region_times.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "base/preorder.h"

/* The events that a process counted: numbers[i] is the index in memphis_region_times.events of its event i. */
struct events {
	size_t count, numbers[MEMPHIS_REGION_EVENTS];
};

size_t memphis_region_event_find(const struct memphis_region_times *times, const char *name)
{
	size_t i;

	for (i = 0; i < times->event_count && strcmp(times->events[i].name, name); i++)
		;
	return i;
}

/* Sets *events to the events of the process. Adds events that no earlier process counted to times->events. */
static int find_events(struct memphis_region_times *times, const struct memphis_process *process,
		       struct events *events)
{
	const char *names = memphis_setting(&process->settings, "region_events");
	struct memphis_region_event *event;
	char *copy, *name, *rest;
	size_t number;

	events->count = 0;
	if (!names)
		return 0;
	copy = strdup(names);
	if (!copy)
		return -ENOMEM;
	for (name = strtok_r(copy, " ", &rest); name && events->count < MEMPHIS_REGION_EVENTS;
	     name = strtok_r(NULL, " ", &rest)) {
		number = memphis_region_event_find(times, name);
		if (number == times->event_count) {
			event = memphis_append(times->events, times->event_count, times->event_room);
			if (!event)
				break;
			*event = (struct memphis_region_event){.name = strdup(name)};
			if (!event->name)
				break;
		}
		events->numbers[events->count++] = number;
	}
	free(copy);
	return name && events->count < MEMPHIS_REGION_EVENTS ? -ENOMEM : 0;
}

/* Sets *key to the key of region `name`, which is nested directly in row `parent`. */
static void make_key(struct memphis_text *key, uint32_t parent, const char *name)
{
	memphis_text_add(key, (const char *)&parent, sizeof(parent));
	memphis_text_put(key, name);
}

/*
 * Returns the row of region `name`, which is nested directly in `parent`, and adds it if it is new. Returns
 * MEMPHIS_NONE if memory is exhausted.
 */
static uint32_t find_or_add_row(struct memphis_region_times *times, uint32_t parent, const char *name)
{
	struct memphis_region_times_row *row;
	uint32_t number = MEMPHIS_NO_STRING;
	struct memphis_text key = {0};

	make_key(&key, parent, name);
	if (!key.failed)
		number = memphis_strings_add(&times->keys, key.text, key.bytes);
	memphis_text_close(&key);
	if (number == MEMPHIS_NO_STRING)
		return MEMPHIS_NONE;
	if (number <= times->count)
		return number - 1;
	row = memphis_append(times->list, times->count, times->room);
	if (!row)
		return MEMPHIS_NONE;
	*row = (struct memphis_region_times_row){
		.name = name,
		.parent = parent,
		.depth = parent == MEMPHIS_NONE ? 0 : times->list[parent].depth + 1,
		.region = MEMPHIS_NONE};
	if (times->event_count) {
		row->events = calloc(times->event_count, sizeof(*row->events));
		if (!row->events)
			return MEMPHIS_NONE;
	}
	return number - 1;
}

/* Adds the regions of a profile that counts regions separately, and stores the profile's row of the region in each row. */
static int add_profile_regions(struct memphis_region_times *times, const struct memphis_profile *profile)
{
	const struct memphis_profile_region *region;
	uint32_t *rows = calloc(profile->region_count + 1, sizeof(*rows)), i;

	for (i = MEMPHIS_REGION_UNKNOWN + 1; rows && i < profile->region_count; i++) {
		region = &profile->regions[i];
		rows[i] = find_or_add_row(times, region->depth ? rows[region->parent] : MEMPHIS_NONE,
					  memphis_profile_text(profile, region->name));
		if (rows[i] == MEMPHIS_NONE)
			break;
		times->list[rows[i]].region = i;
	}
	free(rows);
	return rows && (i == profile->region_count || !profile->region_count) ? 0 : -ENOMEM;
}

/* Sets rows[id] to the row of the region with this id, or to MEMPHIS_NONE if the process has no such region. */
static int add_process_regions(struct memphis_region_times *times, const struct memphis_process *process,
			       uint32_t *rows, size_t count)
{
	const struct memphis_region *region;
	size_t i;

	memset(rows, 0xff, count * sizeof(*rows));
	for (i = 0; i < process->region_count; i++) {
		region = &process->regions[i];
		if (region->id >= count)
			continue;
		rows[region->id] = find_or_add_row(
			times, region->parent < count ? rows[region->parent] : MEMPHIS_NONE, region->name);
		if (rows[region->id] == MEMPHIS_NONE)
			return -ENOMEM;
	}
	return 0;
}

/* The time and the counts of one thread in one row, including nested regions. */
struct inclusive {
	/* events have the same indices as in the records of the thread */
	uint64_t ns, events[MEMPHIS_REGION_EVENTS];
	/* the thread entered the region, or a region nested in it */
	bool opened;
};

/* Adds the number of a thread. If the number is the sum of several threads of a condensed process, adds their mean. */
static int add_number(struct memphis_thread_numbers *numbers, size_t row, uint64_t number, uint32_t thread,
		      uint32_t others)
{
	struct memphis_thread_number *added = memphis_append(numbers->list, numbers->count, numbers->room);

	if (!added)
		return -ENOMEM;
	*added = (struct memphis_thread_number){number / (1 + others), (uint32_t)row, thread, others > 0};
	return 0;
}

/* Adds the thread's counts of all events of its process to the row. */
static int add_thread_events(struct memphis_region_times *times, size_t row,
			     const struct inclusive *inclusive, const struct events *events, uint32_t thread,
			     uint32_t others)
{
	size_t i, event;

	for (i = 0; i < events->count; i++) {
		event = events->numbers[i];
		times->list[row].events[event].inclusive_count += inclusive->events[i];
		if (add_number(&times->events[event].threads, row, inclusive->events[i], thread, others))
			return -ENOMEM;
	}
	return 0;
}

/* Adds the times and counts of a thread. `inclusive` is a buffer with one element per row. */
static int add_thread(struct memphis_region_times *times, const struct memphis_thread *thread,
		      uint32_t number, const uint32_t *rows, size_t count, const struct events *events,
		      struct inclusive *inclusive)
{
	const struct memphis_region_time *time;
	struct memphis_region_times_row *row;
	size_t i, event;

	memset(inclusive, 0, times->count * sizeof(*inclusive));
	for (i = 0; i < thread->time_count; i++) {
		time = &thread->times[i];
		/* The process file does not define the region if the process was killed. */
		if (time->region >= count || rows[time->region] == MEMPHIS_NONE)
			continue;
		row = &times->list[rows[time->region]];
		row->calls += time->calls;
		row->ns += time->ns;
		row->cpu_ns += time->cpu_ns;
		row->cycles += time->cycles;
		times->uncounted |= time->ns && !time->cycles;
		row->instructions += time->instructions;
		for (event = 0; event < events->count; event++) {
			row->events[events->numbers[event]].count += time->events[event];
			inclusive[rows[time->region]].events[event] += time->events[event];
		}
		/* A damaged file may define a region twice. */
		inclusive[rows[time->region]].ns += time->ns;
		inclusive[rows[time->region]].opened = true;
	}
	for (i = times->count; i > 0; i--) {
		if (!inclusive[i - 1].opened)
			continue;
		row = &times->list[i - 1];
		row->inclusive_ns += inclusive[i - 1].ns;
		if (row->parent != MEMPHIS_NONE) {
			inclusive[row->parent].ns += inclusive[i - 1].ns;
			inclusive[row->parent].opened = true;
			for (event = 0; event < events->count; event++)
				inclusive[row->parent].events[event] += inclusive[i - 1].events[event];
		}
		if (add_number(&times->threads, i - 1, inclusive[i - 1].ns, number, thread->others) ||
		    add_thread_events(times, i - 1, &inclusive[i - 1], events, number, thread->others))
			return -ENOMEM;
	}
	return 0;
}

static int add_process(struct memphis_region_times *times, const struct memphis_process *process,
		       uint32_t first_thread)
{
	const size_t count = memphis_region_ids(process);
	uint32_t *rows = malloc((count + 1) * sizeof(*rows)), i;
	struct inclusive *inclusive = NULL;
	struct events events = {0};
	int rc = rows ? add_process_regions(times, process, rows, count) : -ENOMEM;

	if (!rc)
		rc = find_events(times, process, &events);
	if (!rc)
		inclusive = malloc((times->count + 1) * sizeof(*inclusive));
	if (!inclusive)
		rc = -ENOMEM;
	for (i = 0; !rc && i < process->thread_count; i++)
		if (process->threads[i].time_count)
			rc = add_thread(times, &process->threads[i], first_thread + i, rows, count, &events,
					inclusive);
	free(inclusive);
	free(rows);
	return rc;
}

static int compare_numbers(const void *a, const void *b)
{
	const struct memphis_thread_number *x = a, *y = b;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	if (x->sum != y->sum)
		return x->sum ? 1 : -1;
	return memphis_order(x->number, y->number) ?: memphis_order(x->thread, y->thread);
}

/*
 * Computes inclusive cycles and instructions. Parents come before their children in the list. The loop runs backwards,
 * so that each row is complete when it is added to its parent.
 */
static void sum_counters(struct memphis_region_times *times)
{
	struct memphis_region_times_row *row, *parent;
	size_t i;

	for (i = times->count; i > 0; i--) {
		row = &times->list[i - 1];
		row->inclusive_cycles += row->cycles;
		row->inclusive_instructions += row->instructions;
		times->counted |= row->cycles > 0;
		if (row->parent == MEMPHIS_NONE)
			continue;
		parent = &times->list[row->parent];
		parent->inclusive_cycles += row->inclusive_cycles;
		parent->inclusive_instructions += row->inclusive_instructions;
	}
}

uint64_t memphis_region_times_cycles(const struct memphis_region_times *times)
{
	uint64_t cycles = 0;
	size_t i;

	for (i = 0; i < times->shown_count; i++)
		cycles += times->list[times->shown[i]].cycles;
	return times->uncounted ? 0 : cycles;
}

/*
 * Sorts the numbers, and gives each row the list of its numbers. These are times if `event` is NULL, and counts of
 * this event otherwise.
 */
static void assign_to_rows(struct memphis_region_times *times, struct memphis_thread_numbers *numbers,
			   const size_t *event)
{
	const struct memphis_thread_number *number;
	struct memphis_region_times_row *row;
	struct memphis_row_threads *threads;

	memphis_sort(numbers->list, numbers->count, compare_numbers);
	for (number = numbers->list; number < numbers->list + numbers->count; number++) {
		row = &times->list[number->row];
		threads = event ? &row->events[*event].threads : &row->threads;
		if (number->sum && threads->count && !threads->list->sum)
			continue;
		if (!threads->count++)
			threads->list = number;
	}
}

/* Compares in pre-order, in which a region comes before its nested regions. Siblings with more time come first. */
static int compare_rows(const void *a, const void *b, void *context)
{
	uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;
	const int rc = memphis_preorder(context, sizeof(struct memphis_region_times_row), &first, &second);
	const struct memphis_region_times_row *list = context, *x = &list[first], *y = &list[second];

	if (rc)
		return rc;
	if (x->inclusive_ns != y->inclusive_ns)
		return x->inclusive_ns > y->inclusive_ns ? -1 : 1;
	return strcmp(x->name, y->name);
}

static int list_shown_rows(struct memphis_region_times *times, const char *region)
{
	bool *inside = calloc(times->count + 1, sizeof(*inside));
	const struct memphis_region_times_row *row;
	size_t i;

	times->shown = malloc((times->count + 1) * sizeof(*times->shown));
	for (i = 0; inside && times->shown && i < times->count; i++) {
		row = &times->list[i];
		inside[i] = !region || !strcmp(row->name, region) ||
			    (row->parent != MEMPHIS_NONE && inside[row->parent]);
		if (inside[i] && row->threads.count)
			times->shown[times->shown_count++] = (uint32_t)i;
	}
	free(inside);
	if (!inside || !times->shown)
		return -ENOMEM;
	qsort_r(times->shown, times->shown_count, sizeof(*times->shown), compare_rows, times->list);
	return 0;
}

int memphis_region_times_sum(struct memphis_region_times *times, const struct memphis_profile *profile,
			     const struct memphis_selection *selection)
{
	const struct memphis_processes *processes = &profile->processes;
	struct events events;
	uint32_t thread = 0;
	size_t i;
	int rc;

	memset(times, 0, sizeof(*times));
	/* All events must be known before rows are made, because each row has a sum for each event. */
	for (rc = 0, i = 0; !rc && i < processes->count; i++)
		if (memphis_selection_has(selection, &processes->list[i]))
			rc = find_events(times, &processes->list[i], &events);
	if (!rc && profile->by_region)
		rc = add_profile_regions(times, profile);
	for (i = 0; !rc && i < processes->count; i++) {
		if (memphis_selection_has(selection, &processes->list[i]))
			rc = add_process(times, &processes->list[i], thread);
		thread += (uint32_t)processes->list[i].thread_count;
	}
	if (rc)
		return rc;
	sum_counters(times);
	assign_to_rows(times, &times->threads, NULL);
	for (i = 0; i < times->event_count; i++)
		assign_to_rows(times, &times->events[i].threads, &i);
	return list_shown_rows(times, selection->region);
}

/* Returns the index in `times` of the row that has the same path as row `at` of `other`, or MEMPHIS_NONE. */
static uint32_t find_same_row(const struct memphis_region_times *times,
			      const struct memphis_region_times *other, uint32_t at)
{
	const struct memphis_region_times_row *row = &other->list[at];
	uint32_t parent = MEMPHIS_NONE, number;
	struct memphis_text key = {0};

	if (row->parent != MEMPHIS_NONE) {
		parent = find_same_row(times, other, row->parent);
		if (parent == MEMPHIS_NONE)
			return MEMPHIS_NONE;
	}
	make_key(&key, parent, row->name);
	number = memphis_strings_find(&times->keys, key.text, key.bytes);
	memphis_text_close(&key);
	return number == MEMPHIS_NO_STRING ? MEMPHIS_NONE : number - 1;
}

const struct memphis_region_times_row *memphis_region_times_same(const struct memphis_region_times *times,
								 const struct memphis_region_times *of,
								 uint32_t at)
{
	const uint32_t row = find_same_row(times, of, at);

	return row == MEMPHIS_NONE || !times->list[row].threads.count ? NULL : &times->list[row];
}

void memphis_region_times_close(struct memphis_region_times *times)
{
	size_t i;

	for (i = 0; i < times->count; i++)
		free(times->list[i].events);
	for (i = 0; i < times->event_count; i++) {
		free(times->events[i].threads.list);
		free(times->events[i].name);
	}
	free(times->events);
	memphis_strings_close(&times->keys);
	free(times->list);
	free(times->shown);
	free(times->threads.list);
	memset(times, 0, sizeof(*times));
}
