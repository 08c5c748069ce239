// SPDX-License-Identifier: BSD-3-Clause
/* Computes the contents of a report. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/inputs.h"
#include "output/output.h"

static int read_inputs(struct memphis_report *report, const struct memphis_report_inputs *inputs,
		       struct memphis_error *error)
{
	int rc = memphis_inputs_open(report->profile, inputs->paths, inputs->count, report->selection,
				     inputs->reduction, error);

	return rc ? rc
		  : memphis_weights_load(&report->weights, report->profile, inputs->node_baseline,
					 inputs->paths, inputs->count, error);
}

static int fill_report(struct memphis_report *report)
{
	const struct memphis_selection *selection = report->selection;
	const struct memphis_profile *profile = report->profile;
	struct memphis_rows *rows = report->rows;
	int rc = memphis_rows_build(rows, profile, report->view);

	if (!rc && report->view->group == MEMPHIS_GROUP_REGION)
		rc = memphis_regions_sum(&report->regions, rows);
	if (!rc)
		rc = memphis_region_times_sum(&report->region_times, profile, selection);
	if (!rc)
		rc = memphis_mpi_waits_make(&report->mpi, profile, selection, &rows->waiting);
	if (!rc && report->view->processes)
		rc = memphis_process_table_make(&report->processes, profile, selection, report->view->sort);
	if (!rc && report->view->sharing)
		rc = memphis_thread_pairs_make(&report->sharing, profile, selection);
	if (!rc)
		rc = memphis_types_build(&report->types, rows);
	if (!rc)
		rc = memphis_counters_table_make(&report->counters, &profile->processes, selection);
	if (!rc)
		rc = memphis_limits_make(&report->limits, profile, selection, &rows->waiting,
					 &report->region_times, &report->weights);
	memphis_account(&profile->processes, selection, &report->accounting);
	memphis_lpi_find(&report->lpi, &rows->waiting, profile, selection);
	return rc ? rc : memphis_diagnose(&report->findings, rows);
}

int memphis_report_open(struct memphis_report *report, const struct memphis_report_inputs *inputs,
			struct memphis_error *error)
{
	int rc = -ENOMEM;

	report->selection = report->view->selection;
	report->source_directories = inputs->reduction->sources;
	report->source_directory_count = inputs->reduction->source_count;
	report->profile = calloc(1, sizeof(*report->profile));
	report->rows = calloc(1, sizeof(*report->rows));
	if (report->profile && report->rows) {
		rc = read_inputs(report, inputs, error);
		if (rc)
			return rc;
		report->view->measured = report->weights.matrices;
		rc = fill_report(report);
	}
	if (rc)
		return memphis_fail(error, rc, "out of memory");
	memphis_weights_decide(&report->weights, report->rows, inputs->node_baseline != NULL);
	memphis_report_add_notes(report);
	return 0;
}

void memphis_report_close(struct memphis_report *report)
{
	memphis_text_close(&report->notes);
	memphis_findings_close(&report->findings);
	memphis_regions_close(&report->regions);
	memphis_region_times_close(&report->region_times);
	memphis_mpi_waits_close(&report->mpi);
	memphis_process_table_close(&report->processes);
	memphis_thread_pairs_close(&report->sharing);
	memphis_types_close(&report->types);
	memphis_weights_close(&report->weights);
	memphis_counters_table_close(&report->counters);
	memphis_limits_close(&report->limits);
	if (report->rows)
		memphis_rows_close(report->rows);
	if (report->profile)
		memphis_profile_close(report->profile);
	free(report->rows);
	free(report->profile);
	memset(report, 0, sizeof(*report));
}
