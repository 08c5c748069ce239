/* SPDX-License-Identifier: BSD-3-Clause */
/* What the settings mean on the sampling hardware that the device has. */
#ifndef MEMPHIS_HARDWARE_H
#define MEMPHIS_HARDWARE_H

#include <stdbool.h>

#include <memphis/device.h>

/* Names of MEMPHIS_COUNT_*. */
#define MEMPHIS_COUNT_NAMES 3
extern const char *const memphis_count_names[MEMPHIS_COUNT_NAMES];

struct memphis_hardware {
	__u32 id; /* MEMPHIS_HARDWARE_* */
	const char *name;
	/* What "auto" stands for. */
	__u32 count;
	__u64 period;
	__u32 min_latency;
	/*
	 * The period is counted out exactly. Then it has to be a prime number: with another, a loop whose
	 * count of accesses shares a factor with it is sampled at some of its instructions only.
	 */
	bool is_exact;
};

/* Hardware that this library does not know is taken as the first. */
const struct memphis_hardware *memphis_hardware(__u32 id);

/* The nearest period that the hardware can do and that suits it; a step is what it counts in, or the way to the next prime. */
__u64 memphis_hardware_period(const struct memphis_query *query, __u64 asked);

#endif
