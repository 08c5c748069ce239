// SPDX-License-Identifier: BSD-3-Clause
/* Calls and times of regions over threads and processes. If this fails, time is summed into the wrong region, or the wrong thread is named. */
#include "view/region_times.h"

#include <stdlib.h>
#include <string.h>

#include "../../tap.h"

static struct memphis_process *add_process(struct memphis_profile *profile, const char *rank)
{
	struct memphis_process *process =
		memphis_append(profile->processes.list, profile->processes.count, profile->processes.room);
	char line[32];

	process->pid = 100 * (uint32_t)profile->processes.count;
	snprintf(line, sizeof(line), "rank %s\n", rank);
	memphis_settings_add(&process->settings, (struct memphis_span){line, strlen(line)});
	return process;
}

static void add_region(struct memphis_process *process, uint32_t id, uint32_t parent, const char *name)
{
	struct memphis_region *region =
		memphis_append(process->regions, process->region_count, process->region_room);

	*region = (struct memphis_region){id, parent, strdup(name)};
}

static struct memphis_thread *add_thread(struct memphis_process *process)
{
	return memphis_append(process->threads, process->thread_count, process->thread_room);
}

static void add_time(struct memphis_thread *thread, uint32_t region, uint64_t calls, uint64_t ns,
		     uint64_t cpu_ns, uint64_t cycles)
{
	struct memphis_region_time *time =
		memphis_append(thread->times, thread->time_count, thread->time_room);

	*time = (struct memphis_region_time){.region = region,
					     .calls = calls,
					     .ns = ns,
					     .cpu_ns = cpu_ns,
					     .cycles = cycles,
					     .instructions = 2 * cycles};
}

/*
 * Two ranks with different ids for the same regions: Loop, Bound and Halo inside it, Halo inside itself. The first one has three threads,
 * of which one has no times.
 */
static void make(struct memphis_profile *profile)
{
	struct memphis_process *process = add_process(profile, "0");
	struct memphis_thread *thread;

	add_region(process, 1, 0, "Loop");
	add_region(process, 2, 1, "Bound");
	add_region(process, 3, 2, "Halo");
	add_region(process, 4, 3, "Halo");
	add_region(process, 5, 0, "Never");
	thread = add_thread(process);
	add_time(thread, 1, 1, 1000, 5000, 10);
	add_time(thread, 2, 10, 300, 0, 20);
	add_time(thread, 3, 20, 40, 0, 0);
	add_time(thread, 4, 7, 5, 0, 0);
	add_thread(process);
	thread = add_thread(process);
	add_time(thread, 3, 2, 60, 0, 0);
	add_time(thread, 9, 2, 60, 0, 0); /* of no region that the process file defines */
	process = add_process(profile, "1");
	add_region(process, 1, 0, "Bound");
	add_region(process, 2, 0, "Loop");
	add_region(process, 3, 2, "Bound");
	thread = add_thread(process);
	add_time(thread, 1, 4, 70, 60, 0);
	add_time(thread, 2, 1, 2000, 1500, 0);
	add_time(thread, 3, 10, 100, 0, 30);
}

/* A damaged file, with two definitions of a region. */
static void make_twice(struct memphis_profile *profile)
{
	struct memphis_process *process = add_process(profile, "0");
	struct memphis_thread *thread = add_thread(process);

	add_region(process, 1, 0, "Loop");
	add_region(process, 2, 0, "Loop");
	add_region(process, 3, 1, "Halo");
	add_time(thread, 1, 1, 20, 0, 0);
	add_time(thread, 2, 2, 40, 0, 0);
	add_time(thread, 3, 1, 10, 0, 0);
}

static void put_path(struct memphis_text *text, const struct memphis_region_times *times,
		     const struct memphis_region_times_row *row)
{
	if (row->parent != MEMPHIS_NONE) {
		put_path(text, times, &times->list[row->parent]);
		memphis_text_put(text, "/");
	}
	memphis_text_put(text, row->name);
}

/* "PATH CALLS INCLUSIVE EXCLUSIVE CPU THREADS LEAST MEDIAN MOST@THREAD" for each row. */
static const char *rows_of(const struct memphis_profile *profile, const struct memphis_selection *selection)
{
	static struct memphis_text text;
	const struct memphis_region_times_row *row;
	struct memphis_region_times times;
	size_t i;

	text.bytes = 0;
	memphis_text_put(&text, "");
	ok(!memphis_region_times_sum(&times, profile, selection), "times are summed");
	for (i = 0; i < times.shown_count; i++) {
		row = &times.list[times.shown[i]];
		put_path(&text, &times, row);
		memphis_text_print(&text, " %d %d %d %d %d %d %d %d@%u\n", (int)row->calls,
				   (int)row->inclusive_ns, (int)row->ns, (int)row->cpu_ns,
				   (int)row->threads.count, (int)row->threads.list->number,
				   (int)memphis_threads_median(&row->threads)->number,
				   (int)memphis_threads_most(&row->threads)->number,
				   memphis_threads_most(&row->threads)->thread);
	}
	memphis_region_times_close(&times);
	return text.text ? text.text : "";
}

static void check_counters(const struct memphis_profile *profile, const struct memphis_selection *selection)
{
	const struct memphis_region_times_row *loop;
	struct memphis_region_times times;

	memphis_region_times_sum(&times, profile, selection);
	loop = &times.list[times.shown[0]];
	ok(times.counted && loop->cycles == 10 && loop->inclusive_cycles == 60 &&
		   loop->inclusive_instructions == 120,
	   "cycles and instructions are summed over the regions inside");
	memphis_region_times_close(&times);
}

/* Rank 0 counted two events, rank 1 one of them, in another place of its records. */
static void check_events(struct memphis_profile *profile, const struct memphis_selection *selection)
{
	static const char *const settings[] = {"region_events cache-misses r81d0\n",
					       "region_events branches cache-misses\n"};
	struct memphis_thread *threads = profile->processes.list[0].threads;
	const struct memphis_event_sum *misses, *loads;
	struct memphis_region_times times;
	size_t i;

	for (i = 0; i < 2; i++)
		memphis_settings_add(&profile->processes.list[i].settings,
				     (struct memphis_span){settings[i], strlen(settings[i])});
	threads[0].times[0].events[0] = 3;
	threads[0].times[3].events[0] = 4; /* Loop/Bound/Halo/Halo */
	threads[0].times[1].events[1] = 50;
	threads[2].times[0].events[0] = 6;                              /* Loop/Bound/Halo */
	profile->processes.list[1].threads[0].times[2].events[1] = 100; /* Loop/Bound */
	memphis_region_times_sum(&times, profile, selection);
	misses = times.list[times.shown[0]].events;
	loads = &misses[memphis_region_event_find(&times, "r81d0")];
	ok(times.event_count == 3 && memphis_region_event_find(&times, "branches") == 2 &&
		   memphis_region_event_find(&times, "cycles") == 3,
	   "the events of all processes are found by name");
	ok(misses->count == 3 && misses->inclusive_count == 113 && loads->count == 0 &&
		   loads->inclusive_count == 50,
	   "counts are summed over the regions inside");
	ok(misses->threads.count == 3 && misses->threads.list[0].number == 6 &&
		   misses->threads.list[0].thread == 2 &&
		   memphis_threads_median(&misses->threads)->number == 7 &&
		   misses->threads.list[2].number == 100 && misses->threads.list[2].thread == 3,
	   "threads are sorted by what each has counted in all regions inside");
	ok(loads->threads.count == 2 && loads->threads.list[1].number == 50 &&
		   loads->threads.list[1].thread == 0,
	   "threads of a process that did not count an event are not in its list");
	memphis_region_times_close(&times);
}

static void check_same(const struct memphis_profile *profile, const struct memphis_selection *selection)
{
	const struct memphis_selection one = {.node = -1,
					      .which = {.text = "rank 1", .number = 1, .rank = true}};
	const struct memphis_region_times_row *row;
	struct memphis_region_times all, part;

	memphis_region_times_sum(&all, profile, selection);
	memphis_region_times_sum(&part, profile, &one);
	row = memphis_region_times_same(&part, &all, all.shown[1]);
	ok(row && !strcmp(row->name, "Bound") && row->depth == 1 && row->ns == 100,
	   "a region is found in another run by its path");
	ok(!memphis_region_times_same(&part, &all, all.shown[2]), "a region that another run lacks is not");
	memphis_region_times_close(&all);
	memphis_region_times_close(&part);
}

int main(void)
{
	struct memphis_selection selection = {.node = -1};
	struct memphis_profile profile = {0};

	is_text(rows_of(&profile, &selection), "", "a profile without times has no rows");
	make(&profile);
	/* Threads are numbered over all processes: 0 to 2, and 3. The thread without calls of Loop is in it, as it was in Halo. */
	is_text(rows_of(&profile, &selection),
		"Loop 2 3505 3000 6500 3 60 1345 2100@3\n"
		"Loop/Bound 20 505 400 0 3 60 100 345@0\n"
		"Loop/Bound/Halo 22 105 100 0 2 45 45 60@2\n"
		"Loop/Bound/Halo/Halo 7 5 5 0 1 5 5 5@0\n"
		"Bound 4 70 70 60 1 70 70 70@3\n",
		"inclusive times are sums over the regions inside, threads are those that were in a region");
	check_counters(&profile, &selection);
	check_events(&profile, &selection);
	check_same(&profile, &selection);
	selection.region = "Halo";
	is_text(rows_of(&profile, &selection),
		"Loop/Bound/Halo 22 105 100 0 2 45 45 60@2\n"
		"Loop/Bound/Halo/Halo 7 5 5 0 1 5 5 5@0\n",
		"a selected region is shown with the regions inside it");
	selection = (struct memphis_selection){.node = -1,
					       .which = {.text = "rank 1", .number = 1, .rank = true}};
	is_text(rows_of(&profile, &selection),
		"Loop 1 2100 2000 1500 1 2100 2100 2100@3\n"
		"Loop/Bound 10 100 100 0 1 100 100 100@3\n"
		"Bound 4 70 70 60 1 70 70 70@3\n",
		"a selected process has its own times");
	memphis_profile_close(&profile);
	selection = (struct memphis_selection){.node = -1};
	make_twice(&profile);
	is_text(rows_of(&profile, &selection),
		"Loop 3 70 60 0 1 70 70 70@0\nLoop/Halo 1 10 10 0 1 10 10 10@0\n",
		"a region that is defined twice has the sum of both, also with the regions inside");
	memphis_profile_close(&profile);
	return finish();
}
