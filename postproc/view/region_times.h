/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Adds up calls, times and counts of regions over the threads of all processes, without (exclusive) and with
 * (inclusive) their nested regions. Also shows how the inclusive times and counts differ between threads.
 */
#ifndef MEMPHIS_VIEW_REGION_TIMES_H
#define MEMPHIS_VIEW_REGION_TIMES_H

#include "profile/profile.h"

/* One number of one thread for a row, including its nested regions. It is the time, or the count of an event. */
struct memphis_thread_number {
	uint64_t number; /* times are in ns */
	uint32_t row;    /* index in memphis_region_times.list */
	uint32_t thread; /* number of the thread in the profile */
	bool sum;        /* `number` is the mean of several threads of a condensed process */
};

/* The numbers of all rows, sorted by row, then by number. */
struct memphis_thread_numbers {
	struct memphis_thread_number *list;
	size_t count, room;
};

/*
 * The sorted numbers of one row. Means of several threads of a condensed process (`sum`) are omitted if there are
 * other numbers, because it is unknown how many of these threads entered the region.
 */
struct memphis_row_threads {
	const struct memphis_thread_number *list;
	size_t count;
};

/*
 * Return the median and the largest number. If the list has an even length, the median is the lower of the two numbers
 * in the middle. The list must not be empty.
 */
static inline const struct memphis_thread_number *
memphis_threads_median(const struct memphis_row_threads *threads)
{
	return &threads->list[(threads->count - 1) / 2];
}

static inline const struct memphis_thread_number *
memphis_threads_most(const struct memphis_row_threads *threads)
{
	return &threads->list[threads->count - 1];
}

/* The sum of an event in a row. */
struct memphis_event_sum {
	uint64_t count, inclusive_count;
	struct memphis_row_threads
		threads; /* threads that counted the event; empty if no process with this row counted it */
};

struct memphis_region_times_row {
	uint32_t parent; /* index of an earlier row; MEMPHIS_NONE at the top level */
	uint32_t depth;  /* number of enclosing regions */
	const char *name;
	/* the profile's row of the region; MEMPHIS_NONE if the profile does not count regions separately */
	uint32_t region;
	uint64_t calls;
	uint64_t ns, inclusive_ns;
	/* Inclusive CPU time for which the region was the outermost one of its thread. 0 if it never was. */
	uint64_t cpu_ns;
	uint64_t cycles, inclusive_cycles; /* counted in user mode; 0 if they were not counted */
	uint64_t instructions, inclusive_instructions;
	/* threads that entered the region, or a region nested in it; a shown row has at least one */
	struct memphis_row_threads threads;
	/* one element for each of memphis_region_times.events; NULL if there are no events */
	struct memphis_event_sum *events;
};

/* An event that at least one process counted (region_events of SETTINGS). */
struct memphis_region_event {
	char *name;
	struct memphis_thread_numbers threads;
};

struct memphis_region_times {
	struct memphis_region_times_row *list; /* parents come before their children */
	size_t count, room;
	/* rows of regions that were entered, in pre-order; siblings with the most time come first */
	uint32_t *shown;
	size_t shown_count;
	bool counted;                /* at least one thread counted cycles and instructions */
	bool uncounted;              /* at least one thread did not count them */
	struct memphis_strings keys; /* each key is a parent and a name; its number, minus 1, is the row */
	struct memphis_thread_numbers threads;
	/* The events of all processes, in the order of the first process that counted each of them. */
	struct memphis_region_event *events;
	size_t event_count, event_room;
};

/*
 * Adds up the times of the selected processes. If a region is selected, uses only the times of this region and of its
 * nested regions. No other selection applies to times. If there are no times, the table is empty. Returns 0 or
 * -ENOMEM. The caller must close the table in both cases.
 */
int memphis_region_times_sum(struct memphis_region_times *times, const struct memphis_profile *profile,
			     const struct memphis_selection *selection);

/*
 * Returns the cycles in user mode that all threads spent in the rows that are shown. Returns 0 if they were not
 * counted in all of these rows.
 */
uint64_t memphis_region_times_cycles(const struct memphis_region_times *times);

/*
 * Returns the row of the region that has the same path as row `at` of `of`. Returns NULL if there is no such row, or
 * if no thread has times in it.
 */
const struct memphis_region_times_row *memphis_region_times_same(const struct memphis_region_times *times,
								 const struct memphis_region_times *of,
								 uint32_t at);

/* Returns the index of the event with this name, or event_count if there is none. */
size_t memphis_region_event_find(const struct memphis_region_times *times, const char *name);

void memphis_region_times_close(struct memphis_region_times *times);

#endif
