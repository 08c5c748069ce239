// SPDX-License-Identifier: BSD-3-Clause
/* The table of processes, with outliers marked, as text and as JSON. */
#include <inttypes.h>
#include <string.h>

#include "output/output.h"

static const char *metadata_of(const struct memphis_report *report, const struct memphis_process_row *row,
			       const char *key)
{
	return memphis_setting(&report->profile->processes.list[row->process].settings, key);
}

static void put_row(const struct memphis_report *report, struct memphis_text *text,
		    const struct memphis_process_row *row)
{
	const char *rank = metadata_of(report, row, "rank"), *host = metadata_of(report, row, "host");

	rank = rank ? rank : "-";
	memphis_text_print(text, "%*s", strlen(rank) < 6 ? 6 - (int)strlen(rank) : 0, "");
	memphis_text_put_plain(text, rank);
	memphis_text_print(text, " %10" PRIu32 " %12" PRIu64 " %8.1f %% ",
			   report->profile->processes.list[row->process].pid, row->count,
			   row->count ? 100.0 * (double)row->away / (double)row->count : 0);
	if (report->processes.spread > 0)
		memphis_text_print(text, "%+10.1f ", row->deviation);
	else
		memphis_text_print(text, "%10s ", "-");
	memphis_text_put_plain(text, host ? host : "-");
	if (row->lines) {
		memphis_text_put(text, ", ");
		memphis_text_put_large(text, row->lines * MEMPHIS_LINE_BYTES, NULL, "B");
		memphis_text_put(text, " moved");
	}
	memphis_text_put(text, row->outlier ? ", OUTLIER\n" : "\n");
}

void memphis_output_processes_text(const struct memphis_report *report, struct memphis_text *text)
{
	const struct memphis_process_table *table = &report->processes;
	size_t shown = report->top && report->top < table->count ? report->top : table->count, i;

	/* All outliers are listed, even if there are more than `top`. */
	if (shown < table->outliers)
		shown = table->outliers;
	memphis_text_print(text, "%6s %10s %12s %10s %10s host\n", "rank", "process", "samples", "away",
			   "deviation");
	for (i = 0; i < shown; i++)
		put_row(report, text, &table->list[i]);
	if (i < table->count)
		memphis_text_put(text, "...\n");
	if (table->spread > 0)
		memphis_text_print(
			text,
			"%zu processes, %zu outlier%s; median %.0f samples, spread %.1f; an outlier is "
			"more than %.1f spreads away\n",
			table->count, table->outliers, table->outliers == 1 ? "" : "s", table->median,
			table->spread, MEMPHIS_OUTLIER_SCALES);
	memphis_text_put(text, "\n");
}

void memphis_output_processes_json(const struct memphis_report *report, struct memphis_json *json)
{
	const struct memphis_process_table *table = &report->processes;
	const struct memphis_process_row *row;
	size_t i;

	memphis_json_open(json, "process_table", '{');
	memphis_json_real(json, "median", table->median);
	memphis_json_real(json, "spread", table->spread);
	memphis_json_number(json, "outliers", table->outliers);
	memphis_json_open(json, "list", '[');
	for (i = 0; i < table->count; i++) {
		row = &table->list[i];
		memphis_json_open(json, NULL, '{');
		memphis_json_number(json, "process", row->process);
		memphis_json_number(json, "pid", report->profile->processes.list[row->process].pid);
		memphis_json_string(json, "rank", metadata_of(report, row, "rank"));
		memphis_json_string(json, "host", metadata_of(report, row, "host"));
		memphis_json_number(json, "count", row->count);
		memphis_json_number(json, "away", row->away);
		memphis_json_number(json, "accesses", row->accesses);
		memphis_json_number(json, "bytes", row->lines * MEMPHIS_LINE_BYTES);
		memphis_json_real(json, "deviation", row->deviation);
		memphis_json_bool(json, "outlier", row->outlier);
		memphis_json_close(json, '}');
	}
	memphis_json_close(json, ']');
	memphis_json_close(json, '}');
}
