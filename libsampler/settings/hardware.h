/* SPDX-License-Identifier: BSD-3-Clause */
/* The default settings for each kind of sampling hardware, and the periods that it supports. */
#ifndef MEMPHIS_HARDWARE_H
#define MEMPHIS_HARDWARE_H

#include <stdbool.h>

#include <memphis/device.h>

/* Names of the events that a period can count, indexed by MEMPHIS_COUNT_*. */
#define MEMPHIS_COUNT_NAMES 3
extern const char *const memphis_count_names[MEMPHIS_COUNT_NAMES];

/* Names of the events that take samples, indexed by enum memphis_sampling_event. The first one is the event of PEBS. */
extern const char *const memphis_event_names[MEMPHIS_EVENTS];

/* Names of the filters of the hardware, indexed by MEMPHIS_HARDWARE_FILTER_*. */
extern const char *const memphis_hardware_filter_names[MEMPHIS_HARDWARE_FILTERS];

struct memphis_hardware {
	__u32 id; /* MEMPHIS_HARDWARE_* */
	const char *name;
	/* Values for settings that are MEMPHIS_AUTO. */
	__u32 count;
	__u64 period;
	__u32 min_latency;      /* cycles */
	__u64 period_by_source; /* period for the events of loads by source */
	/*
	 * True if the hardware does not randomise the period. The period must then be a prime. Otherwise, it
	 * may have a common factor with the number of accesses in a loop, and then only some instructions of
	 * the loop would ever be sampled.
	 */
	bool is_exact;
};

/*
 * Returns the bitmap of the events that are sampled by default. If the hardware offers loads with source and
 * latency, this is that event. Otherwise, it is all events of loads by source.
 */
__u32 memphis_hardware_events(const struct memphis_query *query);

/* Returns the entry for MEMPHIS_HARDWARE_*. Unknown hardware is treated like IBS. */
const struct memphis_hardware *memphis_hardware(__u32 id);

/*
 * Returns the supported period that is nearest to `asked`. This is a multiple of the hardware's step, or a
 * prime if is_exact is set.
 */
__u64 memphis_hardware_period(const struct memphis_query *query, __u64 asked);

/*
 * Returns the number of stacks that the ring of stacks of each thread should hold. This is a sixteenth of
 * ring_records. If one thread on each of `cpus` CPUs, with its records and its stacks, would then take more
 * than three quarters of the budget, returns a smaller power of two. Reads ring_records and stack_bytes of the
 * configuration.
 */
__u32 memphis_hardware_stacks(const struct memphis_query *query, const struct memphis_config *config,
			      unsigned long cpus);

#endif
