/* SPDX-License-Identifier: BSD-3-Clause */
/* The sections of the text format that have files of their own; each ends with an empty line. */
#ifndef MEMPHIS_OUTPUT_TEXT_H
#define MEMPHIS_OUTPUT_TEXT_H

#include "output/output.h"

/* Findings, or the reason why there is none. */
void memphis_text_findings(const struct memphis_report *report, struct memphis_text *text);

/* Samples by node, variable and instruction, as the view groups them; then by pair of nodes. */
void memphis_text_tables(const struct memphis_report *report, struct memphis_text *text);

#endif
