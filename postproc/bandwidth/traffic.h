/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes that the memory of nodes and the links between them moved, by host and region. */
#ifndef MEMPHIS_BANDWIDTH_TRAFFIC_H
#define MEMPHIS_BANDWIDTH_TRAFFIC_H

#include "bandwidth/hosts.h"
#include "bandwidth/limits.h"

/* The traffic of one host in one region, between one pair of nodes or at the memory of nodes. */
struct memphis_traffic_entry {
	struct memphis_limit limit; /* with bytes in place of bytes per second; region is owned */
	double squares, largest;    /* of an estimate: as memphis_compound_estimate() takes them */
	uint64_t read_ns, write_ns; /* the time that the bytes cover */
};

struct memphis_traffic {
	const struct memphis_profile *profile;
	const struct memphis_selection *selection;
	bool counted;                          /* there are counters of memory controllers */
	struct memphis_traffic_entry *entries; /* one for each row and host, in the order of rows */
	size_t count, room, united;            /* `united`: the number when they were united last */
	struct memphis_busy_hosts hosts;
};

/*
 * Collects what counters show and, if `estimate` is set, what samples show in addition. Returns 0 or -ENOMEM; close the traffic in either case,
 * except regions that were taken out of the entries.
 */
int memphis_traffic_collect(struct memphis_traffic *traffic, const struct memphis_profile *profile,
			    const struct memphis_selection *selection,
			    const struct memphis_region_times *times, bool estimate);
void memphis_traffic_close(struct memphis_traffic *traffic);

/* Compares the regions of two rows, and the rows. */
int memphis_limit_compare_regions(const struct memphis_limit *a, const struct memphis_limit *b);
int memphis_limit_compare(const struct memphis_limit *a, const struct memphis_limit *b);

#endif
