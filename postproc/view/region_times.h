/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls, times and counts of regions, summed over the threads of all processes: without (exclusive) and with the regions inside them
 * (inclusive), and how the inclusive times and counts differ between the threads.
 */
#ifndef MEMPHIS_VIEW_REGION_TIMES_H
#define MEMPHIS_VIEW_REGION_TIMES_H

#include "profile/profile.h"

/* The inclusive time of one thread. */
struct memphis_thread_time {
	uint64_t ns;
	uint32_t row;    /* in memphis_region_times.list */
	uint32_t thread; /* number in the profile */
	bool sum;        /* true: `ns` is the mean of several threads of a condensed process */
};

/* The count of an event that one thread has made in a row and the rows inside it. */
struct memphis_thread_count {
	uint64_t count;
	uint32_t row, thread; /* as in struct memphis_thread_time; the same holds for `sum` */
	bool sum;
};

/* The sum of an event in a row. */
struct memphis_event_sum {
	uint64_t count, inclusive_count;
	/* The row's threads that counted the event, sorted by count. There are none if no process with this row counted it. */
	const struct memphis_thread_count *threads;
	size_t thread_count;
};

struct memphis_region_times_row {
	uint32_t parent; /* an earlier row; MEMPHIS_NONE: at the top level */
	uint32_t depth;  /* number of enclosing regions */
	const char *name;
	uint32_t region; /* row of the profile; MEMPHIS_NONE unless the profile is by region */
	uint64_t calls;
	uint64_t ns, inclusive_ns;
	/* inclusive CPU time, while the region was the outermost one of its thread; else 0 */
	uint64_t cpu_ns;
	uint64_t cycles, inclusive_cycles; /* counted in user mode; 0 unless they were counted */
	uint64_t instructions, inclusive_instructions;
	/*
	 * The threads that opened the region, or one inside it, sorted by time. A row that is shown has at least one. How many of the threads of
	 * a condensed process did so is not known: their sums are left out, unless there are no others.
	 */
	const struct memphis_thread_time *threads;
	size_t thread_count;
	struct memphis_event_sum *events; /* by memphis_region_times.events; NULL if there are none */
};

/* An event that some process counted (region_events of SETTINGS). */
struct memphis_region_event {
	char *name;
	struct memphis_thread_count *threads; /* sorted by row, then count */
	size_t thread_count, thread_room;
};

struct memphis_region_times {
	struct memphis_region_times_row *list; /* rows follow their parents */
	size_t count, room;
	uint32_t *shown; /* rows of regions that were opened, in pre-order, siblings with most time first */
	size_t shown_count;
	bool counted;                        /* cycles and instructions were counted */
	struct memphis_strings keys;         /* parent and name -> row + 1 */
	struct memphis_thread_time *threads; /* sorted by row, then time */
	size_t thread_count, thread_room;
	/* Events of all processes, in the order of the first process that counted each. */
	struct memphis_region_event *events;
	size_t event_count, event_room;
};

/*
 * Sums the times of the selected processes. If a region is selected, sums its times and those of the regions inside it. No other selection
 * applies to times. Without any times, the table is empty. Returns 0 or -ENOMEM; close the table in either case.
 */
int memphis_region_times_sum(struct memphis_region_times *times, const struct memphis_profile *profile,
			     const struct memphis_selection *selection);

/* Returns the median of the inclusive times of the row's threads: the lower one of the two in the middle. */
const struct memphis_thread_time *memphis_region_times_median(const struct memphis_region_times_row *row);

/* Returns the row of the region that has the same path as row `at` of `of`, or NULL. */
const struct memphis_region_times_row *memphis_region_times_same(const struct memphis_region_times *times,
								 const struct memphis_region_times *of,
								 uint32_t at);

/* Returns the median of the row's counts of an event, which some thread has counted, in the same way. */
const struct memphis_thread_count *memphis_region_events_median(const struct memphis_event_sum *sum);

/* Returns the number of the event of this name, or event_count. */
size_t memphis_region_event_find(const struct memphis_region_times *times, const char *name);

void memphis_region_times_close(struct memphis_region_times *times);

#endif
