/* SPDX-License-Identifier: BSD-3-Clause */
/* Callers of samples in libraries, as text and as JSON. */
#ifndef MEMPHIS_OUTPUT_CALLERS_H
#define MEMPHIS_OUTPUT_CALLERS_H

#include "output/section/section.h"

/* Appends " via memcpy", if the row's line called a function of a library that made the accesses. */
void memphis_put_via(struct memphis_text *text, const struct memphis_instruction_row *row);

/* Appends how many samples in libraries have callers, and why the others have none, if there are such samples. */
void memphis_put_callers(const struct memphis_report *report, struct memphis_text *text);

/* Appends the place of a node: "model.c:44 (step)". */
void memphis_put_call_node(struct memphis_text *text, const struct memphis_profile *profile, uint32_t object,
			   const struct memphis_profile_frame *frame);

/* The keys "callers" of a row and of the accounting; none for files without callers. */
void memphis_callers_json(struct memphis_json *json, const struct memphis_profile *profile,
			  const struct memphis_instruction_row *row);
void memphis_callers_accounting_json(struct memphis_json *json, const struct memphis_report *report);

#endif
