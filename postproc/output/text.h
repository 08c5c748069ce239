/* SPDX-License-Identifier: BSD-3-Clause */
/* The sections of the text format that are in separate files; each ends with an empty line. */
#ifndef MEMPHIS_OUTPUT_TEXT_H
#define MEMPHIS_OUTPUT_TEXT_H

#include "output/output.h"

/* Appends the findings, or the reason why there are none. */
void memphis_text_findings(const struct memphis_report *report, struct memphis_text *text);

/* Appends samples by node, variable and instruction, in the groups of the view; then samples by pair of nodes. */
void memphis_text_tables(const struct memphis_report *report, struct memphis_text *text);

#endif
