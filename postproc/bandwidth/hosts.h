/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the hosts of the selected processes, and how long each host ran the selected processes and regions. */
#ifndef MEMPHIS_BANDWIDTH_HOSTS_H
#define MEMPHIS_BANDWIDTH_HOSTS_H

#include "view/region_times.h"

struct memphis_busy_host {
	const char *host; /* string of the profile's processes; NULL: unknown */
	uint64_t start_ns, ns;
	bool counted; /* the memory controllers of this host counted its traffic; set by the caller */
};

struct memphis_busy_hosts {
	struct memphis_busy_host *list; /* sorted by name */
	size_t count;
};

/*
 * Lists the hosts of the selected processes with their times. If a region is selected, the time of a process is the
 * longest time that one of its threads spent in this region. Otherwise it is the time for which sampling was on. If
 * processes of a host run at the same time, this time counts only once. Returns 0 or -ENOMEM. The caller must close
 * the hosts in both cases.
 */
int memphis_busy_hosts_make(struct memphis_busy_hosts *hosts, const struct memphis_profile *profile,
			    const struct memphis_selection *selection,
			    const struct memphis_region_times *times);
void memphis_busy_hosts_close(struct memphis_busy_hosts *hosts);

/* Returns the entry of the host, or NULL if no process of the host is selected. */
struct memphis_busy_host *memphis_busy_host(const struct memphis_busy_hosts *hosts, const char *host);

/* Returns the name of the host on which the process ran, or NULL if it is unknown. */
const char *memphis_host_of(const struct memphis_process *process);

/* Compares two names like strcmp(). NULL is less than any name. */
int memphis_compare_names(const char *a, const char *b);

#endif
