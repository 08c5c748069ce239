/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls, times and counts of regions, summed over the threads of all processes: without (exclusive) and with the regions inside them
 * (inclusive), and how the inclusive times and counts differ between the threads.
 */
#ifndef MEMPHIS_VIEW_REGION_TIMES_H
#define MEMPHIS_VIEW_REGION_TIMES_H

#include "profile/profile.h"

/* One number of one thread for a row, including the rows inside it: the time, or the count of an event. */
struct memphis_thread_number {
	uint64_t number; /* a time is in ns */
	uint32_t row;    /* in memphis_region_times.list */
	uint32_t thread; /* number in the profile */
	bool sum;        /* true: `number` is the mean of several threads of a condensed process */
};

/* The numbers of all rows, sorted by row, then number. */
struct memphis_thread_numbers {
	struct memphis_thread_number *list;
	size_t count, room;
};

/*
 * The numbers of one row, sorted. It is not known how many threads of a condensed process entered the region: their sums are left out, unless there are
 * no other numbers.
 */
struct memphis_row_threads {
	const struct memphis_thread_number *list;
	size_t count;
};

/* Return the median (of an even number, the lower one of the two in the middle) and the largest number. The list must not be empty. */
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
		threads; /* threads that counted the event; none if no process with this row did */
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
	struct memphis_row_threads
		threads; /* threads that opened the region, or one inside it; a shown row has at least one */
	struct memphis_event_sum *events; /* by memphis_region_times.events; NULL if there are none */
};

/* An event that some process counted (region_events of SETTINGS). */
struct memphis_region_event {
	char *name;
	struct memphis_thread_numbers threads;
};

struct memphis_region_times {
	struct memphis_region_times_row *list; /* rows follow their parents */
	size_t count, room;
	uint32_t *shown; /* rows of regions that were opened, in pre-order, siblings with most time first */
	size_t shown_count;
	bool counted;                /* cycles and instructions were counted */
	bool uncounted;              /* some thread did not count them */
	struct memphis_strings keys; /* parent and name -> row + 1 */
	struct memphis_thread_numbers threads;
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

/* Returns the cycles in user mode that all threads spent in the rows that are shown; 0 unless they were counted in all of them. */
uint64_t memphis_region_times_cycles(const struct memphis_region_times *times);

/* Returns the row of the region that has the same path as row `at` of `of`, or NULL. */
const struct memphis_region_times_row *memphis_region_times_same(const struct memphis_region_times *times,
								 const struct memphis_region_times *of,
								 uint32_t at);

/* Returns the number of the event of this name, or event_count. */
size_t memphis_region_event_find(const struct memphis_region_times *times, const char *name);

void memphis_region_times_close(struct memphis_region_times *times);

#endif
