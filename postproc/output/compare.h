/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the comparison of runs as text and as JSON. */
#ifndef MEMPHIS_OUTPUT_COMPARE_H
#define MEMPHIS_OUTPUT_COMPARE_H

#include "view/compare.h"
#include "base/json.h"
#include "base/text.h"

/* Append the comparison, with at most `top` variables per node and `lines` lines per variable. 0 means no limit. */
void memphis_output_compare_text(const struct memphis_compare *compare, const char *selection, size_t top,
				 size_t lines, struct memphis_text *text);
void memphis_output_compare_json(const struct memphis_compare *compare, const char *selection, size_t top,
				 size_t lines, struct memphis_text *text);

#endif
