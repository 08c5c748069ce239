/* SPDX-License-Identifier: BSD-3-Clause */
/* Default settings for each kind of sampling hardware, and the periods that the hardware supports. */
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
	/* Values used for settings that are MEMPHIS_AUTO. */
	__u32 count;
	__u64 period;
	__u32 min_latency; /* cycles */
	/*
	 * true: the hardware does not randomise the period. The period must then be a prime: if it has a
	 * common factor with the number of accesses in a loop, only some instructions of the loop are ever
	 * sampled.
	 */
	bool is_exact;
};

/* Returns the entry for MEMPHIS_HARDWARE_*; unknown hardware is treated as IBS. */
const struct memphis_hardware *memphis_hardware(__u32 id);

/*
 * Returns the supported period that is nearest to `asked`: a multiple of the hardware's step, or a prime if
 * is_exact.
 */
__u64 memphis_hardware_period(const struct memphis_query *query, __u64 asked);

#endif
