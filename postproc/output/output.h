/* SPDX-License-Identifier: BSD-3-Clause */
/* The output formats of the report, which all take their data from struct memphis_report. */
#ifndef MEMPHIS_OUTPUT_H
#define MEMPHIS_OUTPUT_H

#include "analyse/analysis.h"
#include "base/text.h"
#include "output/section/section.h"
#include "read/process.h"

struct memphis_report_inputs {
	char *const *paths;
	size_t count;
	const struct memphis_reduction *reduction;
	const char *node_baseline; /* memphis_weights_load(); or NULL */
};

/*
 * Reads the inputs and makes all that the report contains. The view, with its selection, must be set, and the rest 0; it must outlive the report. Returns 0,
 * or a negative errno with a message in *error; close the report in either case.
 */
int memphis_report_open(struct memphis_report *report, const struct memphis_report_inputs *inputs,
			struct memphis_error *error);
void memphis_report_close(struct memphis_report *report);

/* Fills in the notes: killed processes, missing binaries, and so on. All other members must be set. */
void memphis_report_notes(struct memphis_report *report);

void memphis_output_text(const struct memphis_report *report, struct memphis_text *text);
void memphis_output_paper(const struct memphis_report *report, struct memphis_text *text);
void memphis_output_json(const struct memphis_report *report, struct memphis_text *text);
void memphis_output_html(const struct memphis_report *report, struct memphis_text *text);

/* ---- the sections of the text format that are in separate files; each ends with an empty line ---- */

/* Appends the findings, or the reason why there are none. */
void memphis_text_findings(const struct memphis_report *report, struct memphis_text *text);

/* Appends samples by node, variable and instruction, in the groups of the view; then samples by pair of nodes. */
void memphis_text_tables(const struct memphis_report *report, struct memphis_text *text);

/* ---- the page around a report: page/page.html with style and scripts, which are linked into the tool ---- */

/* Appends the whole page to `text`; `report`, `sources` and `columns` are JSON. */
void memphis_page_put(struct memphis_text *text, const char *report, const char *sources,
		      const char *columns);

/* ---- notes of the report about the set-up of the recording machines ---- */

/* Appends a line for each set-up that is worth a note; hosts with the same set-up share a line. */
void memphis_machine_notes(struct memphis_text *notes, const struct memphis_processes *processes);

#endif
