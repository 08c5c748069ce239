/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters of the memory controllers, found through their descriptions in sysfs. */
#ifndef MEMPHIS_UNCORE_FIND_H
#define MEMPHIS_UNCORE_FIND_H

#include <stdbool.h>
#include <stddef.h>

#include "base/fd.h"

#define MEMPHIS_UNCORE_MAX 1024

struct memphis_uncore_counter {
	/* Kind of PMU and event, for example "imc cas_count_read". With several nodes: "imc cas_count_read (nodes 0-3)". */
	char name[64];
	int node;        /* node of the controller's memory; -1: unknown, or several nodes */
	int cpu;         /* CPU on which to open the event */
	__u32 type;      /* perf_event_attr.type */
	__u64 config[3]; /* perf_event_attr.config, config1, config2 */
	double bytes;    /* bytes per event */
	bool writes;     /* true: counts bytes written; false: counts bytes read */

	/* State while the counter runs. */
	struct memphis_fd fd;
	__u64 value, enabled, running; /* values at the last reading */
	double sum; /* bytes so far, scaled up for the time in which other events used the counter */
	bool stood; /* true: other events used the counter all the time between the last two readings */
	bool gone;  /* true: perf has removed the event from its CPU, which went offline */
};

/* Finds up to `max` counters of this machine. Returns their number. */
unsigned int memphis_uncore_find(struct memphis_uncore_counter *counters, unsigned int max);

/*
 * Writes the list of these counters in the format of the module's parameter controllers
 * (kmod/controllers/list.h). Leaves out counters whose counts are not a whole number of bytes. Returns the
 * length of the list, -ENOENT if the list is empty, -E2BIG if `bytes` is too small, or -ENOMEM. Used by
 * `memphis node`, which reads sysfs below `root`.
 */
int memphis_controllers_list(const char *root, char *list, size_t bytes);

#endif
