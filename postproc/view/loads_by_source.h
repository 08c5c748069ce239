/* SPDX-License-Identifier: BSD-3-Clause */
/* Events of loads by source: the number of loads estimated from their samples, and the number counted by the hardware. */
#ifndef MEMPHIS_LOADS_BY_SOURCE_H
#define MEMPHIS_LOADS_BY_SOURCE_H

#include "profile/profile.h"
#include "profile/selection.h"

/* Names of the events, as in the files, indexed by enum memphis_sampling_event. */
extern const char *const memphis_event_names[MEMPHIS_EVENTS];

struct memphis_loads_by_source {
	uint64_t samples;
	uint64_t loads; /* estimated number of loads that these samples stand for */
	uint64_t
		counted; /* number of loads that the hardware counted; it did not count while the event was starved */
	bool sampled; /* the event was sampled in at least one process */
	/* All samples of the event are selected, so that they are comparable with `counted`. Otherwise `samples` and `loads` are not set. */
	bool selected;
};

/*
 * Fills in loads[], indexed by enum memphis_sampling_event, with the sums over the selected processes. The hardware counts by process: if a
 * region, a node or the page's home is part of the selection, no event is `selected`.
 */
void memphis_loads_by_source(const struct memphis_profile *profile, const struct memphis_selection *selection,
			     struct memphis_loads_by_source loads[MEMPHIS_EVENTS]);

/* Returns whether events of loads by source were sampled, and no event of all accesses. `loads` is the result of memphis_loads_by_source(). */
bool memphis_loads_all_by_source(const struct memphis_profile *profile,
				 const struct memphis_loads_by_source loads[MEMPHIS_EVENTS]);

#endif
