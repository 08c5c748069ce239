/* SPDX-License-Identifier: BSD-3-Clause */
/* Defaults of the settings for each kind of sampling hardware, and periods that it can do. */
#ifndef MEMPHIS_HARDWARE_H
#define MEMPHIS_HARDWARE_H

#include <stdbool.h>

#include <memphis/device.h>

/* Names of the events that a period can count, indexed by MEMPHIS_COUNT_*. */
#define MEMPHIS_COUNT_NAMES 3
extern const char *const memphis_count_names[MEMPHIS_COUNT_NAMES];

struct memphis_hardware {
	__u32 id; /* MEMPHIS_HARDWARE_* */
	const char *name;
	/* Values of the settings that are "auto". */
	__u32 count;
	__u64 period;
	__u32 min_latency; /* cycles */
	/*
	 * The hardware does not randomise the period. The period then has to be a prime: if the number of accesses in a loop
	 * has a factor in common with the period, only some instructions of the loop are ever sampled.
	 */
	bool is_exact;
};

/* Returns the entry of MEMPHIS_HARDWARE_*; unknown hardware is treated as IBS. */
const struct memphis_hardware *memphis_hardware(__u32 id);

/* Returns the period nearest to `asked` that the hardware can do: a multiple of its step, or a prime if is_exact. */
__u64 memphis_hardware_period(const struct memphis_query *query, __u64 asked);

#endif
