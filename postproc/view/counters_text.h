/* SPDX-License-Identifier: BSD-3-Clause */
/* How values of counters, and the regions that they are of, are told. */
#ifndef MEMPHIS_CONTEXT_TEXT_H
#define MEMPHIS_CONTEXT_TEXT_H

#include "view/counters_table.h"

#define MEMPHIS_CONTEXT_VALUE_BYTES 400

/* In three digits with the unit that suits: 1.23 MB, 45.0 ms, 12.0 k pages; "-" for what is no number. */
const char *memphis_context_print(char room[MEMPHIS_CONTEXT_VALUE_BYTES], double value, const char *unit);

extern const char *const memphis_context_places[]; /* by place: "caliper", "outside", "unknown" */
const char *memphis_context_region_name(const struct memphis_context_region *region);

#endif
