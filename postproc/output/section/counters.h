/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts of events in regions, in the comparison of runs. */
#ifndef MEMPHIS_SECTION_COUNTERS_H
#define MEMPHIS_SECTION_COUNTERS_H

#include "base/json.h"
#include "view/compare.h"

/* The counts of a region in all runs, of the events that run `side` counted in its row `at`. */
void memphis_region_events_compare_text(const struct memphis_compare *compare, size_t side, uint32_t at,
					struct memphis_text *text);
void memphis_region_events_compare_json(const struct memphis_compare *compare, size_t side, uint32_t at,
					struct memphis_json *json);

#endif
