/* SPDX-License-Identifier: BSD-3-Clause */
/* The output formats of the report. All formats take their data from struct memphis_report. */
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
	const char *node_baseline; /* path for memphis_weights_load(), or NULL */
};

/*
 * Reads the inputs and computes the contents of the report. The caller must set report->view, including its
 * selection, and zero the other members. The view must outlive the report. Returns 0, or a negative errno
 * with a message in *error. The report must be closed in both cases.
 */
int memphis_report_open(struct memphis_report *report, const struct memphis_report_inputs *inputs,
			struct memphis_error *error);
void memphis_report_close(struct memphis_report *report);

/* Fills in report->notes: killed processes, missing binaries, and so on. All other members must be set before. */
void memphis_report_add_notes(struct memphis_report *report);

/* Appends the first screen, with the most important results in at most MEMPHIS_SCREEN_LINES lines of 80 columns. */
#define MEMPHIS_SCREEN_LINES 40
void memphis_output_screen(const struct memphis_report *report, struct memphis_text *text);
void memphis_output_text(const struct memphis_report *report, struct memphis_text *text);
void memphis_output_paper(const struct memphis_report *report, struct memphis_text *text);
void memphis_output_json(const struct memphis_report *report, struct memphis_text *text);
void memphis_output_html(const struct memphis_report *report, struct memphis_text *text);

/* ---- the sections of the text format that are in separate files; each ends with an empty line ---- */

/*
 * Append parts of lines. memphis_put_commands(): the command lines. memphis_put_run(): "1 process, 4 threads,
 * 1 host (n01)". memphis_put_sampling(): "AMD IBS, backend device, period 8192 ops, inside calipers".
 */
void memphis_put_commands(const struct memphis_report *report, struct memphis_text *text);
void memphis_put_run(const struct memphis_report *report, struct memphis_text *text);
void memphis_put_sampling(const struct memphis_report *report, struct memphis_text *text);

/*
 * Sets *share to the share of loads from remote DRAM in the selected loads from DRAM. Returns false if the
 * selection does not allow to count this.
 */
bool memphis_remote_share(const struct memphis_report *report, struct memphis_text *text,
			  struct memphis_share *share);

/* Appends the line "No findings: " with the reason. */
void memphis_put_no_findings(const struct memphis_report *report, struct memphis_text *text);

/*
 * Appends that no variable has enough samples for a finding about its placement, and what to do. Appends nothing if one
 * has, or if placement is not what the verdict is about.
 */
void memphis_put_too_few(const struct memphis_report *report, struct memphis_text *text);

/* Appends the findings, or the reason why there are none. */
void memphis_put_findings(const struct memphis_report *report, struct memphis_text *text);

/*
 * Appends the samples by node, variable and instruction, separately for each group of the view. Then appends
 * the samples by pair of nodes.
 */
void memphis_put_tables(const struct memphis_report *report, struct memphis_text *text);

/* ---- the HTML page: page/page.html with style and scripts, which are linked into the tool ---- */

/* Appends the whole page to `text`. `report`, `sources` and `columns` are JSON. */
void memphis_page_put(struct memphis_text *text, const char *report, const char *sources,
		      const char *columns);

/* ---- notes of the report about the settings of the recording machines ---- */

/* Appends a line for each machine setting that is worth a note. Hosts with the same settings share a line. */
void memphis_put_machine_notes(struct memphis_text *notes, const struct memphis_processes *processes);

#endif
