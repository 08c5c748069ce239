/* SPDX-License-Identifier: BSD-3-Clause */
/* How values of counters, and the regions that they are of, are told. */
#ifndef MEMPHIS_COUNTER_TEXT_H
#define MEMPHIS_COUNTER_TEXT_H

#include "view/counters_table.h"

#define MEMPHIS_COUNTER_VALUE_BYTES 400

/* In three digits with the unit that suits: 1.23 MB, 45.0 ms, 12.0 k pages; "-" for what is no number. */
const char *memphis_counters_print(char room[MEMPHIS_COUNTER_VALUE_BYTES], double value, const char *unit);

extern const char *const memphis_counters_places[]; /* by place: "caliper", "outside", "unknown" */
const char *memphis_counters_region_name(const struct memphis_counters_region *region);

#endif
