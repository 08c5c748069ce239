/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of counters and names of their regions as text. */
#ifndef MEMPHIS_COUNTER_TEXT_H
#define MEMPHIS_COUNTER_TEXT_H

#include "view/counters_table.h"

#define MEMPHIS_COUNTER_VALUE_BYTES 400

/* Prints three significant digits with a scaled unit: 1.23 MB, 45.0 ms, 12.0 k pages; "-" for NaN and infinity. Returns `room`. */
const char *memphis_counters_print(char room[MEMPHIS_COUNTER_VALUE_BYTES], double value, const char *unit);

extern const char *const memphis_counters_places[]; /* by place: "caliper", "outside", "unknown" */
const char *memphis_counters_region_name(const struct memphis_counters_region *region);

#endif
