/* SPDX-License-Identifier: BSD-3-Clause */
/* Why samples have no variable: advice, and examples of such samples. */
#ifndef MEMPHIS_EXPLAIN_H
#define MEMPHIS_EXPLAIN_H

#include "base/json.h"
#include "output/section/section.h"

/* Appends advice and examples; the caller has appended the line of the reason. */
void memphis_explain_text(const struct memphis_report *report, struct memphis_text *text,
			  unsigned int reason);
/* Returns the number of samples in blocks that have no name of one variable for the reason memphis_naming_texts[reason]. */
uint64_t memphis_explain_names(const struct memphis_report *report, unsigned int reason);
void memphis_explain_json(const struct memphis_report *report, struct memphis_json *json);

#endif
