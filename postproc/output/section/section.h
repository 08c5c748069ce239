/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The contents of a report, and its sections. The output formats share the sections. Each section is
 * available as text, as JSON, or as both.
 */
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
	struct memphis_view *view; /* what the user asked for */
	const struct memphis_selection
		*selection; /* which samples the tables contain; the same as view->selection */
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
	/* page: only the processes that this job selects have details; NULL: all processes have */
	const struct memphis_job *job;
	char **source_directories; /* page: directories that are searched first for source files */
	size_t source_directory_count;
	struct memphis_text notes; /* one note per line */
	/* number of bytes of the notes on which a reader must act; these notes come first */
	size_t notes_to_act;
};

/* Writes the key "job" of the open JSON object of a page: the grid of all processes. */
void memphis_output_job_json(const struct memphis_report *report, struct memphis_json *json);

/* Returns the number of heatmaps that the profile lacks. Sets *processes to the number of processes to which they belong. */
size_t memphis_heatmaps_left_out(const struct memphis_report *report, size_t *processes);

/* Writes a part of an array as the key `key` of the open JSON object. Writes null if there is no part. */
void memphis_output_part(struct memphis_json *json, const char *key, const struct memphis_profile *profile,
			 const struct memphis_heatmap_part *part);

/* Writes the key "heatmaps" of the open JSON object; memphis-json(5) lists its members. */
void memphis_output_heatmaps(struct memphis_json *json, const struct memphis_report *report);

/* Writes the key "findings" of the open JSON object. */
void memphis_output_findings(struct memphis_json *json, const struct memphis_report *report);

/* Write the keys "threads" and "timeline": the selected samples by thread, and by process and time. */
void memphis_output_threads_json(const struct memphis_report *report, struct memphis_json *json);
void memphis_output_timelines_json(const struct memphis_report *report, struct memphis_json *json);

/* The counters that were recorded together with the samples: as text, as the JSON key "counters", and the notes about them. */
void memphis_output_counters_text(const struct memphis_report *report, struct memphis_text *text);
void memphis_output_counters_json(const struct memphis_report *report, struct memphis_json *json);
void memphis_put_counters_notes(struct memphis_text *notes, const struct memphis_counters_table *table);

/*
 * The traffic of memory and links compared with their measured bandwidth. The text is empty if neither is
 * known. The JSON key is "limits".
 */
/* Appends one line about the limit with the largest share. */
void memphis_output_limits_line(const struct memphis_report *report, struct memphis_text *text);
void memphis_output_limits_text(const struct memphis_report *report, struct memphis_text *text);
void memphis_output_limits_json(const struct memphis_report *report, struct memphis_json *json);

/* The calls and times of regions. The text is empty if there are none. The JSON key is "region_times". */
void memphis_output_region_times_text(const struct memphis_report *report, struct memphis_text *text);
void memphis_output_region_times_json(const struct memphis_report *report, struct memphis_json *json);

/* ---- counts of events in regions ---- */

/*
 * Append "rank 17", or "PID.TID" for a program without ranks, padded to 14 columns, or write the JSON keys of
 * the thread. `thread` is the number of the thread in the profile.
 */
void memphis_region_thread_text(const struct memphis_report *report, struct memphis_text *text,
				uint32_t thread);
void memphis_region_thread_json(const struct memphis_report *report, struct memphis_json *json,
				uint32_t thread);

/*
 * Writes the keys "least", "median" and "most". Each is a thread with its number of `unit`, and `unit` is the
 * key of this number.
 */
void memphis_region_threads_json(const struct memphis_report *report, const char *unit,
				 const struct memphis_row_threads *threads, struct memphis_json *json);

/* Appends a table for each event. Appends nothing if no event was counted. */
void memphis_region_events_text(const struct memphis_report *report, struct memphis_text *text);

/* Writes the key "events" of a row. Writes nothing if no event was counted. */
void memphis_region_events_json(const struct memphis_report *report,
				const struct memphis_region_times_row *row, struct memphis_json *json);

/* Writes the names of the regions, from the outermost one to this one, into the open JSON list. */
void memphis_put_region_times_path(struct memphis_json *json, const struct memphis_region_times *times,
				   uint32_t at);

/*
 * What MPI ranks wait for. The text is empty if there are no ranks, and contains tables only if view->mpi is
 * set. The JSON key is "mpi". memphis_output_mpi_gist() appends the first finding in a sentence, and the option that
 * shows the rest.
 */
void memphis_output_mpi_text(const struct memphis_report *report, struct memphis_text *text);
void memphis_output_mpi_gist(const struct memphis_report *report, struct memphis_text *text);
void memphis_output_mpi_json(const struct memphis_report *report, struct memphis_json *json);

/* The table of processes, which exists only if view->processes is set. The JSON key is "process_table". */
void memphis_output_processes_text(const struct memphis_report *report, struct memphis_text *text);
void memphis_output_processes_json(const struct memphis_report *report, struct memphis_json *json);

/* The types and members that samples access. The text contains the tables of the view. The JSON key is "types". */
void memphis_output_types_text(const struct memphis_report *report, struct memphis_text *text);
void memphis_output_types_json(const struct memphis_report *report, struct memphis_json *json);

/* The members that the samples of a variable access. The text is empty if no member is known. The JSON key is "accessed". */
void memphis_put_accessed(const struct memphis_report *report, struct memphis_text *text,
			  const struct memphis_node_row *node, const struct memphis_variable_row *row);
void memphis_output_accessed_json(const struct memphis_report *report, struct memphis_json *json,
				  const struct memphis_node_row *node,
				  const struct memphis_variable_row *row);

/* Appends how many samples have a type, and why the others have none. */
void memphis_put_types(const struct memphis_report *report, struct memphis_text *text);

#endif
