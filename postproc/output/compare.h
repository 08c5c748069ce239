/* SPDX-License-Identifier: BSD-3-Clause */
/* The comparison of runs as text and as JSON. */
#ifndef MEMPHIS_OUTPUT_COMPARE_H
#define MEMPHIS_OUTPUT_COMPARE_H

#include "view/compare.h"
#include "base/json.h"
#include "base/text.h"

/* `top` variables per node, `lines` per variable; 0 = all. */
void memphis_output_compare_text(const struct memphis_compare *compare, const char *selection, size_t top,
				 size_t lines, struct memphis_text *text);
void memphis_output_compare_json(const struct memphis_compare *compare, const char *selection, size_t top,
				 size_t lines, struct memphis_text *text);

/* The counters read around the samples, as separate lines, and as the key "context" of an object. Nothing is written if there are none. */
void memphis_output_compare_counters_text(const struct memphis_compare *compare, struct memphis_text *text);
void memphis_output_compare_counters_json(const struct memphis_compare *compare, struct memphis_json *json);

#endif
