/* SPDX-License-Identifier: BSD-3-Clause */
/* The output formats of the report, which all take their data from struct memphis_report. */
#ifndef MEMPHIS_OUTPUT_H
#define MEMPHIS_OUTPUT_H

#include "output/section/section.h"

/* Fills in the notes: killed processes, missing binaries, and so on. All other members must be set. */
void memphis_report_notes(struct memphis_report *report);

void memphis_output_text(const struct memphis_report *report, struct memphis_text *text);
void memphis_output_paper(const struct memphis_report *report, struct memphis_text *text);
void memphis_output_json(const struct memphis_report *report, struct memphis_text *text);
void memphis_output_html(const struct memphis_report *report, struct memphis_text *text);

#endif
