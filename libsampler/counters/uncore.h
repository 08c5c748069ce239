/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters of the memory controllers, found through their descriptions in sysfs and read with perf. */
#ifndef MEMPHIS_COUNTER_UNCORE_H
#define MEMPHIS_COUNTER_UNCORE_H

#include "base/fd.h"

#define MEMPHIS_UNCORE_MAX 1024

struct memphis_uncore_counter {
	char name[64];   /* kind of PMU, and event: "imc cas_count_read" */
	int node;        /* node of `cpu`; -1: unknown */
	int cpu;         /* CPU on which to open the event */
	__u32 type;      /* perf_event_attr.type */
	__u64 config[3]; /* perf_event_attr.config, config1, config2 */
	double bytes;    /* bytes per event */

	/* State while the counter runs. */
	struct memphis_fd fd;
	__u64 value, enabled, running; /* at the last reading */
	double sum; /* bytes so far, scaled up for the time in which other events used the counter */
};

/* Finds the counters of this machine, at most `max`, and returns their number. */
unsigned int memphis_uncore_find(struct memphis_uncore_counter *counters, unsigned int max);

#endif
