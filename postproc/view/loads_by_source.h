/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events that count loads by source: the number of loads that is estimated from samples of the event, and the number
 * that the hardware counted.
 */
#ifndef MEMPHIS_LOADS_BY_SOURCE_H
#define MEMPHIS_LOADS_BY_SOURCE_H

#include "profile/profile.h"
#include "profile/selection.h"

struct memphis_loads_by_source {
	uint64_t samples;
	uint64_t loads; /* estimated number of loads that the samples represent */
	/* number of loads that the hardware counted; it does not count while the event is starved */
	uint64_t counted;
	bool sampled; /* the event was sampled in at least one process */
	/*
	 * All samples of the event are selected, so they can be compared with `counted`. Otherwise, `samples` and
	 * `loads` are not valid.
	 */
	bool selected;
};

/*
 * Fills loads[], indexed by enum memphis_sampling_event, with the sums over the selected processes. The hardware
 * counts whole processes. If the selection includes a region, a node or the home node of pages, `selected` is
 * therefore false for all events.
 */
void memphis_loads_by_source(const struct memphis_profile *profile, const struct memphis_selection *selection,
			     struct memphis_loads_by_source loads[MEMPHIS_EVENTS]);

/*
 * Returns whether events of loads by source were sampled, and no event of all accesses. `loads` must be the result of
 * memphis_loads_by_source().
 */
bool memphis_loads_all_by_source(const struct memphis_profile *profile,
				 const struct memphis_loads_by_source loads[MEMPHIS_EVENTS]);

#endif
