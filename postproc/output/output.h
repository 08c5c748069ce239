/* SPDX-License-Identifier: BSD-3-Clause */
/* The report in all its formats, which share the rows and everything else in struct memphis_report. */
#ifndef MEMPHIS_OUTPUT_H
#define MEMPHIS_OUTPUT_H

#include "view/accounting.h"
#include "view/counters_table.h"
#include "diagnose/diagnosis.h"
#include "base/json.h"
#include "view/outliers.h"
#include "view/regions.h"
#include "view/rows.h"
#include "base/text.h"
#include "view/weights.h"

struct memphis_report {
	const struct memphis_profile *profile;
	const struct memphis_selection *selection;
	const struct memphis_view *view;
	const struct memphis_rows *rows;
	struct memphis_regions regions;         /* if the view groups by region */
	struct memphis_process_table processes; /* if the view asks for it */
	struct memphis_findings findings;
	struct memphis_counters_table counters;
	struct memphis_accounting_total accounting;
	struct memphis_weights weights;
	size_t top, instructions;  /* rows shown; 0 = all */
	bool threads;              /* text, paper: the accounting of each thread, too */
	bool explain;              /* advice and examples for samples without a variable */
	char **source_directories; /* page: searched first for source files */
	size_t source_directory_count;
	struct memphis_text notes; /* one per line */
};

/* Fills in the notes: killed processes, missing binaries ... All other members must be there. */
void memphis_report_notes(struct memphis_report *report);

void memphis_output_text(const struct memphis_report *report, struct memphis_text *text);
void memphis_output_paper(const struct memphis_report *report, struct memphis_text *text);
void memphis_output_json(const struct memphis_report *report, struct memphis_text *text);
void memphis_output_html(const struct memphis_report *report, struct memphis_text *text);

/* Returns the number of heatmaps that the profile does not keep, and in *processes of how many processes they were. */
size_t memphis_heatmaps_left_out(const struct memphis_report *report, size_t *processes);

/* The key "heatmaps" of an object: see memphis-report(1). */
void memphis_output_heatmaps(struct memphis_json *json, const struct memphis_report *report);

/* The key "findings" of an object. */
void memphis_output_findings(struct memphis_json *json, const struct memphis_report *report);

/* The counters read around the samples: as text, as the key "context" of an object, and the notes about them. */
void memphis_output_counters_text(const struct memphis_report *report, struct memphis_text *text);
void memphis_output_counters_json(const struct memphis_report *report, struct memphis_json *json);
void memphis_counters_notes(struct memphis_text *notes, const struct memphis_counters_table *table);

/* The table of processes, made if the view asks for it: as text, and as the key "process_table" of an object. */
void memphis_output_processes_text(const struct memphis_report *report, struct memphis_text *text);
void memphis_output_processes_json(const struct memphis_report *report, struct memphis_json *json);

#endif
