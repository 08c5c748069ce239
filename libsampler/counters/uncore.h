/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters of the memory controllers, as the kernel describes them in sysfs. */
#ifndef MEMPHIS_COUNTER_UNCORE_H
#define MEMPHIS_COUNTER_UNCORE_H

#include "base/fd.h"

#define MEMPHIS_UNCORE_MAX 1024

struct memphis_uncore_counter {
	char name[64]; /* of the kind of PMU and of the event */
	int node;      /* of the CPU that it is counted by; -1: not known */
	int cpu;
	__u32 type;
	__u64 config[3];
	double bytes; /* that one of it stands for */

	/* While it counts. */
	struct memphis_fd fd;
	__u64 value, enabled, running; /* at the last reading */
	double sum;                    /* of bytes; what others had the counter for is put in proportion */
};

/* All that there are, at most `max`. */
unsigned int memphis_uncore_find(struct memphis_uncore_counter *counters, unsigned int max);

#endif
