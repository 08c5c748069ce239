/* SPDX-License-Identifier: BSD-3-Clause */
/* What a report contains, and its sections, which the formats share: each as text, as JSON, or both. */
#ifndef MEMPHIS_SECTION_H
#define MEMPHIS_SECTION_H

#include "view/accounting.h"
#include "view/rows.h"
#include "view/counters_table.h"
#include "diagnose/diagnosis.h"
#include "base/json.h"
#include "view/job.h"
#include "mpi/waits.h"
#include "view/outliers.h"
#include "sharing/pairs.h"
#include "view/region_times.h"
#include "view/region_samples.h"
#include "base/text.h"
#include "view/accessed_types.h"
#include "bandwidth/limits.h"
#include "view/lpi.h"
#include "view/weights.h"

#define MEMPHIS_RANKS_MAX (1u << 24) /* larger numbers of ranks in files are ignored */

struct memphis_report {
	struct memphis_view *view;                 /* what the user asked for */
	const struct memphis_selection *selection; /* that of the view */
	struct memphis_profile *profile;
	struct memphis_rows *rows;
	struct memphis_regions regions; /* set only if the view groups by region */
	struct memphis_region_times region_times;
	struct memphis_mpi_waits mpi;
	struct memphis_process_table processes; /* set only if view->processes */
	struct memphis_thread_pairs sharing;    /* set only if view->sharing */
	struct memphis_findings findings;
	struct memphis_counters_table counters;
	struct memphis_accounting_total accounting;
	struct memphis_weights weights;
	struct memphis_limits limits;
	struct memphis_lpi lpi;
	struct memphis_types types;
	/* Page: only the processes that this job selects have details; NULL: all have. */
	const struct memphis_job *job;
	char **source_directories; /* page: directories searched first for source files */
	size_t source_directory_count;
	struct memphis_text notes; /* one per line */
	size_t notes_to_act;       /* bytes of those that a reader must act on, which come first */
};

/* Writes the key "job" of the open JSON object of a page: the grid of all processes. */
void memphis_output_job_json(const struct memphis_report *report, struct memphis_json *json);

/* Returns the number of heatmaps missing from the profile; *processes is the number of their processes. */
size_t memphis_heatmaps_left_out(const struct memphis_report *report, size_t *processes);

/* Writes a part of an array, or null, as the key `key` of the open JSON object. */
void memphis_output_part(struct memphis_json *json, const char *key, const struct memphis_profile *profile,
			 const struct memphis_heatmap_part *part);

/* Writes the key "heatmaps" of the open JSON object; memphis-json(5) lists its members. */
void memphis_output_heatmaps(struct memphis_json *json, const struct memphis_report *report);

/* Writes the key "findings" of the open JSON object. */
void memphis_output_findings(struct memphis_json *json, const struct memphis_report *report);

/* Write the keys "threads" and "timeline": selected samples by thread, and by process and time. */
void memphis_output_threads_json(const struct memphis_report *report, struct memphis_json *json);
void memphis_output_timelines_json(const struct memphis_report *report, struct memphis_json *json);

/* Output the counters recorded alongside the samples: as text, as the JSON key "counters", and the notes about them. */
void memphis_output_counters_text(const struct memphis_report *report, struct memphis_text *text);
void memphis_output_counters_json(const struct memphis_report *report, struct memphis_json *json);
void memphis_counters_notes(struct memphis_text *notes, const struct memphis_counters_table *table);

/* Output the traffic of memory and links beside their measured bandwidth: as text, nothing if neither is known; and as the JSON key "limits". */
/* Appends the line of the largest share. */
void memphis_output_limits_line(const struct memphis_report *report, struct memphis_text *text);
void memphis_output_limits_text(const struct memphis_report *report, struct memphis_text *text);
void memphis_output_limits_json(const struct memphis_report *report, struct memphis_json *json);

/* Output the calls and times of regions: as text, nothing if there are none; and as the JSON key "region_times". */
void memphis_output_region_times_text(const struct memphis_report *report, struct memphis_text *text);
void memphis_output_region_times_json(const struct memphis_report *report, struct memphis_json *json);

/* ---- counts of events in regions ---- */

/* Append "rank 17", or "PID.TID" of a program without ranks, padded to 14 columns; write the keys of the thread. `thread`: number in the profile. */
void memphis_region_thread_text(const struct memphis_report *report, struct memphis_text *text,
				uint32_t thread);
void memphis_region_thread_json(const struct memphis_report *report, struct memphis_json *json,
				uint32_t thread);

/* The keys "least", "median" and "most": each a thread with its number, whose key is the unit. */
void memphis_region_threads_json(const struct memphis_report *report, const char *unit,
				 const struct memphis_row_threads *threads, struct memphis_json *json);

/* Appends a table for each event; nothing if no event was counted. */
void memphis_region_events_text(const struct memphis_report *report, struct memphis_text *text);

/* Writes the key "events" of a row; nothing if no event was counted. */
void memphis_region_events_json(const struct memphis_report *report,
				const struct memphis_region_times_row *row, struct memphis_json *json);

/* Writes the names from the outermost region to this one into the open list. */
void memphis_put_region_times_path(struct memphis_json *json, const struct memphis_region_times *times,
				   uint32_t at);

/* Output what MPI ranks wait for: as text, nothing if there are no ranks, and tables only if view->mpi is set; and as the JSON key "mpi". */
void memphis_output_mpi_text(const struct memphis_report *report, struct memphis_text *text);
void memphis_output_mpi_json(const struct memphis_report *report, struct memphis_json *json);

/* Output the table of processes, which exists if view->processes is set: as text, and as the JSON key "process_table". */
void memphis_output_processes_text(const struct memphis_report *report, struct memphis_text *text);
void memphis_output_processes_json(const struct memphis_report *report, struct memphis_json *json);

/* Output the types and members that samples access: the tables of the view as text, and the JSON key "types". */
void memphis_output_types_text(const struct memphis_report *report, struct memphis_text *text);
void memphis_output_types_json(const struct memphis_report *report, struct memphis_json *json);

/* Output the members that the samples of a variable access: as text, nothing if none is known; and as the JSON key "accessed". */
void memphis_put_accessed(const struct memphis_report *report, struct memphis_text *text,
			  const struct memphis_node_row *node, const struct memphis_variable_row *row);
void memphis_output_accessed_json(const struct memphis_report *report, struct memphis_json *json,
				  const struct memphis_node_row *node,
				  const struct memphis_variable_row *row);

/* Appends how many samples have a type, and why the others have none. */
void memphis_put_types(const struct memphis_report *report, struct memphis_text *text);

#endif
