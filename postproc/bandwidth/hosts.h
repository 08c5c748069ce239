/* SPDX-License-Identifier: BSD-3-Clause */
/* The hosts of the selected processes, and the time for which each host ran the selected processes and regions. */
#ifndef MEMPHIS_BANDWIDTH_HOSTS_H
#define MEMPHIS_BANDWIDTH_HOSTS_H

#include "view/region_times.h"

struct memphis_busy_host {
	const char *host; /* belongs to the processes; NULL: not known */
	uint64_t start_ns, ns;
	bool counted; /* the traffic of its memory was counted; set by the caller */
};

struct memphis_busy_hosts {
	struct memphis_busy_host *list; /* by host */
	size_t count;
};

/*
 * Sets the hosts. A process counts with the longest time that one of its threads was in the selected region or, without a selected region,
 * with the time that sampling was on; processes of a host that run at the same time count once. Returns 0 or -ENOMEM; close the hosts in
 * either case.
 */
int memphis_busy_hosts_make(struct memphis_busy_hosts *hosts, const struct memphis_profile *profile,
			    const struct memphis_selection *selection,
			    const struct memphis_region_times *times);
void memphis_busy_hosts_close(struct memphis_busy_hosts *hosts);

/* Returns the host; NULL if none of its processes is selected. */
struct memphis_busy_host *memphis_busy_host(const struct memphis_busy_hosts *hosts, const char *host);

/* Returns the name of the process's host, or NULL. */
const char *memphis_host_of(const struct memphis_process *process);

/* Compares two names; NULL comes first. */
int memphis_compare_names(const char *a, const char *b);

#endif
