// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tables over all variables, as text and as JSON: processes with outliers marked, accessed types and members,
 * and calls and times of regions.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/layout.h"
#include "output/section/section.h"
#include "output/section/parts.h"
#include "view/counters_table.h"

#define MEMBERS_NAMED 3 /* number of members shown for a row without a name */

static const char *process_setting(const struct memphis_report *report, const struct memphis_process_row *row,
				   const char *key)
{
	return memphis_setting(&report->profile->processes.list[row->process].settings, key);
}

static void put_process_row(const struct memphis_report *report, struct memphis_text *text,
			    const struct memphis_process_row *row)
{
	const char *rank = process_setting(report, row, "rank"), *host = process_setting(report, row, "host");

	memphis_text_print_plain(text, "%6s %10" PRIu32 " %12" PRIu64 " %8.1f %% ", rank ? rank : "-",
				 report->profile->processes.list[row->process].pid, row->count,
				 row->count ? 100.0 * (double)row->away / (double)row->count : 0);
	if (report->processes.spread > 0)
		memphis_text_print(text, "%+10.1f ", row->deviation);
	else
		memphis_text_print(text, "%10s ", "-");
	memphis_text_put_plain(text, host ? host : "-");
	if (row->waited > 0) {
		memphis_text_put(text, ", ");
		memphis_text_put_large(text, (uint64_t)row->waited, "cycles", NULL);
		memphis_text_put(text, " waited");
	}
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
	const size_t shown = memphis_shown(table->count, report->view->top);
	size_t left = 0, i;

	memphis_text_print(text, "%6s %10s %12s %10s %10s host\n", "rank", "process", "samples", "away",
			   "deviation");
	/* All outliers are listed, even if they are not among the first `top` processes. */
	for (i = 0; i < table->count; i++)
		if (i < shown || table->list[i].outlier)
			put_process_row(report, text, &table->list[i]);
		else
			left++;
	if (left)
		memphis_text_put(text, "...\n");
	if (table->spread > 0)
		memphis_text_print(
			text,
			"%zu processes, %zu outlier%s; median %.0f samples, spread %.1f; an outlier is more than %.1f spreads away\n",
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
		memphis_json_string(json, "rank", process_setting(report, row, "rank"));
		memphis_json_string(json, "host", process_setting(report, row, "host"));
		memphis_json_number(json, "count", row->count);
		memphis_json_number(json, "away", row->away);
		memphis_json_number(json, "accesses", row->accesses);
		memphis_json_number(json, "bytes", row->lines * MEMPHIS_LINE_BYTES);
		memphis_json_real(json, "waited_cycles", row->waited);
		memphis_json_real(json, "deviation", row->deviation);
		memphis_json_bool(json, "outlier", row->outlier);
		memphis_json_close(json, '}');
	}
	memphis_json_close(json, ']');
	memphis_json_close(json, '}');
}

void memphis_output_job_json(const struct memphis_report *report, struct memphis_json *json)
{
	const struct memphis_job *job = report->job;
	const struct memphis_job_cell *cell;
	const uint64_t *numbers;
	size_t i, j;
	bool ranked = false;

	for (i = 0; i < report->profile->processes.count; i++)
		ranked |= memphis_setting(&report->profile->processes.list[i].settings, "rank") != NULL;
	memphis_json_open(json, "job", '{');
	memphis_json_number(json, "processes", job->processes);
	memphis_json_number(json, "threads", job->threads);
	memphis_json_number(json, "detailed", job->detailed_count);
	memphis_json_bool(json, "ranked", ranked);
	memphis_json_open(json, "hosts", '[');
	for (i = 0; i < job->host_count; i++)
		memphis_json_string(json, NULL, job->hosts[i]);
	memphis_json_close(json, ']');
	memphis_json_open(json, "cells", '[');
	for (i = 0; i < job->cell_count; i++) {
		cell = &job->cells[i];
		numbers = (const uint64_t[]){cell->host,  cell->first, cell->last,     cell->processes,
					     cell->count, cell->away,  cell->outliers, cell->last_host};
		memphis_json_open(json, NULL, '[');
		for (j = 0; j < 8; j++)
			memphis_json_number(json, NULL, numbers[j]);
		memphis_json_close(json, ']');
	}
	memphis_json_close(json, ']');
	memphis_json_close(json, '}');
}

static void put_count_cells(const struct memphis_report *report, struct memphis_text *text, uint64_t count,
			    uint64_t stores)
{
	memphis_put_count(text, 9, count, report->rows->selected);
	memphis_text_print(text, " %9" PRIu64 "  ", stores);
}

static void put_variable(struct memphis_text *text, const struct memphis_profile *profile, uint32_t number)
{
	const struct memphis_variable *variable = &profile->variables[number];

	memphis_text_print_plain(text, "  [%s]:%s\n", memphis_profile_text(profile, variable->segment),
				 memphis_shown_name(profile, number));
}

static void put_group(const struct memphis_report *report, struct memphis_text *text,
		      const struct memphis_type_group *group, const char *parts)
{
	const size_t shown = memphis_shown(group->part_count, report->view->instructions);
	const struct memphis_type_part *part;
	uint64_t left_out = 0;
	size_t i;

	put_count_cells(report, text, group->count, group->stores);
	memphis_text_print_plain(text, "%s\n", group->name);
	/* A type without members is listed as its own only member, which is not repeated. */
	if (group->part_count == 1 && group->parts->name && !strcmp(group->parts->name, group->name))
		return;
	for (i = 0; i < group->part_count; i++) {
		part = &group->parts[i];
		if (i >= shown) {
			left_out += part->count;
			continue;
		}
		put_count_cells(report, text, part->count, part->stores);
		if (part->name)
			memphis_text_print_plain(text, "  %s\n", part->name);
		else
			put_variable(text, report->profile, part->variable);
	}
	if (shown < group->part_count)
		memphis_text_print(text, "%9" PRIu64 " %18s    ... %zu more %s%s\n", left_out, "",
				   group->part_count - shown, parts,
				   group->part_count - shown > 1 ? "s" : "");
}

static void put_groups(const struct memphis_report *report, struct memphis_text *text,
		       const struct memphis_type_groups *groups, const char *group, const char *part)
{
	const size_t shown = memphis_shown(groups->count, report->view->top);
	uint64_t left_out = 0;
	size_t i;

	memphis_text_print(text, "%9s %8s %9s  %s, below it its %ss\n", "samples", "share", "stores", group,
			   part);
	for (i = 0; i < shown; i++)
		put_group(report, text, &groups->list[i], part);
	for (; i < groups->count; i++)
		left_out += groups->list[i].count;
	if (shown < groups->count)
		memphis_text_print(text, "%9" PRIu64 " %18s  ... %zu more %s%s\n", left_out, "",
				   groups->count - shown, group, groups->count - shown > 1 ? "s" : "");
	if (report->types.known < report->rows->selected)
		memphis_text_print(text, "%9" PRIu64 " %18s  <%s not known>\n",
				   report->rows->selected - report->types.known, "", group);
	memphis_text_put(text, "\n");
}

void memphis_output_types_text(const struct memphis_report *report, struct memphis_text *text)
{
	if (report->view->types) {
		memphis_layout_put_head(text, "TYPES");
		put_groups(report, text, &report->types.types, "type", "member");
	}
	if (report->view->members) {
		memphis_layout_put_head(text, "MEMBERS");
		put_groups(report, text, &report->types.members, "member", "variable");
	}
}

void memphis_put_accessed(const struct memphis_report *report, struct memphis_text *text,
			  const struct memphis_node_row *node, const struct memphis_variable_row *row)
{
	const struct memphis_variable_type *list;
	size_t count, known, i;

	list = memphis_types_of(&report->types, node, row, &count);
	for (known = 0; known < count && list[known].member; known++)
		;
	for (i = 0; i < known && i < MEMBERS_NAMED; i++) {
		memphis_text_print_plain(text, "%s%s ", i ? ", " : "accesses: ", list[i].member);
		memphis_put_share(text, list[i].count, row->sum.measure.count);
	}
	if (known > MEMBERS_NAMED)
		memphis_text_print(text, ", %zu more", known - MEMBERS_NAMED);
}

void memphis_put_types(const struct memphis_report *report, struct memphis_text *text)
{
	const struct memphis_types *types = &report->types;
	const char *separator = " (";
	unsigned int i;

	if (!report->rows->selected)
		return;
	memphis_text_print(text, "types: %" PRIu64 " of %" PRIu64 " (", types->known, report->rows->selected);
	memphis_put_share(text, types->known, report->rows->selected);
	memphis_text_put(text, ") have the type of what they access");
	for (i = 0; i < MEMPHIS_NO_TYPE_REASONS; i++) {
		if (!types->unknown[i])
			continue;
		memphis_text_print(text, "%s%s %" PRIu64, separator, memphis_no_type_texts[i].name,
				   types->unknown[i]);
		separator = ", ";
	}
	memphis_text_put(text, *separator == ',' ? ")\n" : "\n");
	if (types->contradicted)
		memphis_text_print(
			text,
			"members: of %" PRIu64
			" samples with a member by their address and one by their instruction, %" PRIu64
			" have two different ones\n",
			types->compared, types->contradicted);
}

static void put_groups_json(struct memphis_json *json, const struct memphis_report *report, const char *key,
			    const struct memphis_type_groups *groups)
{
	const struct memphis_variable *variable;
	const struct memphis_type_group *group;
	size_t i, j;

	memphis_json_open(json, key, '[');
	for (i = 0; i < groups->count; i++) {
		group = &groups->list[i];
		memphis_json_open(json, NULL, '{');
		memphis_json_string(json, "name", group->name);
		memphis_json_number(json, "count", group->count);
		memphis_json_number(json, "stores", group->stores);
		memphis_json_open(json, group->parts->name ? "members" : "variables", '[');
		for (j = 0; j < group->part_count; j++) {
			memphis_json_open(json, NULL, '{');
			if (group->parts[j].name) {
				memphis_json_string(json, "name", group->parts[j].name);
			} else {
				variable = &report->profile->variables[group->parts[j].variable];
				memphis_json_string(json, "segment",
						    memphis_profile_text(report->profile, variable->segment));
				memphis_json_string(json, "name",
						    memphis_profile_text(report->profile, variable->name));
				memphis_json_string(
					json, "shown",
					memphis_shown_name(report->profile, group->parts[j].variable));
			}
			memphis_json_number(json, "count", group->parts[j].count);
			memphis_json_number(json, "stores", group->parts[j].stores);
			memphis_json_close(json, '}');
		}
		memphis_json_close(json, ']');
		memphis_json_close(json, '}');
	}
	memphis_json_close(json, ']');
}

void memphis_output_types_json(const struct memphis_report *report, struct memphis_json *json)
{
	const struct memphis_types *types = &report->types;
	unsigned int i;

	memphis_json_open(json, "types", '{');
	memphis_json_number(json, "known", types->known);
	memphis_json_open(json, "unknown", '{');
	for (i = 0; i < MEMPHIS_NO_TYPE_REASONS; i++)
		if (types->unknown[i])
			memphis_json_number(json, memphis_no_type_texts[i].name, types->unknown[i]);
	memphis_json_close(json, '}');
	memphis_json_number(json, "compared", types->compared);
	memphis_json_number(json, "contradicted", types->contradicted);
	put_groups_json(json, report, "types", &types->types);
	put_groups_json(json, report, "members", &types->members);
	memphis_json_close(json, '}');
}

void memphis_output_accessed_json(const struct memphis_report *report, struct memphis_json *json,
				  const struct memphis_node_row *node, const struct memphis_variable_row *row)
{
	const struct memphis_variable_type *list;
	size_t count, i;

	list = memphis_types_of(&report->types, node, row, &count);
	memphis_json_open(json, "accessed", '[');
	for (i = 0; i < count; i++) {
		memphis_json_open(json, NULL, '{');
		memphis_json_string(json, "type", list[i].type);
		memphis_json_string(json, "member", list[i].member);
		if (!list[i].member)
			memphis_json_string(json, "reason", memphis_no_type_texts[list[i].no_type].name);
		memphis_json_number(json, "count", list[i].count);
		memphis_json_number(json, "stores", list[i].stores);
		memphis_json_close(json, '}');
	}
	memphis_json_close(json, ']');
}

static void put_time(struct memphis_text *text, uint64_t ns)
{
	char buffer[MEMPHIS_COUNTER_VALUE_BYTES];

	memphis_text_print(text, " %9s", memphis_counters_print(buffer, (double)ns, "ns"));
}

/* Appends the share of the selected samples in all samples of the region. Includes the regions inside it. */
static void put_selected_share(const struct memphis_report *report, struct memphis_text *text,
			       const struct memphis_region_times_row *row)
{
	const struct memphis_region_row *samples =
		row->region == MEMPHIS_NONE ? NULL : &report->regions.list[row->region];

	if (samples && samples->written_inclusive)
		memphis_text_print(text, "%11.1f %%",
				   100.0 * (double)samples->selected_inclusive /
					   (double)samples->written_inclusive);
	else
		memphis_text_print(text, "%13s", "-");
}

static void put_counts(struct memphis_text *text, const struct memphis_region_times_row *row)
{
	char buffer[MEMPHIS_COUNTER_VALUE_BYTES];

	if (row->inclusive_cycles)
		memphis_text_print(text, "%9s%6.2f",
				   memphis_counters_print(buffer, (double)row->inclusive_cycles, "count"),
				   (double)row->inclusive_instructions / (double)row->inclusive_cycles);
	else
		memphis_text_print(text, "%9s%6s", "-", "-");
}

void memphis_output_region_times_text(const struct memphis_report *report, struct memphis_text *text)
{
	const struct memphis_region_times *times = &report->region_times;
	const struct memphis_region_times_row *row;
	size_t i;

	if (!times->shown_count)
		return;
	memphis_layout_put_head(text, "TIME IN REGIONS");
	memphis_text_print(text, "%48s%30s\n", "summed over threads", "of one thread");
	memphis_text_print(text, "%10s%8s%10s%10s%10s%10s%10s%10s  %-14s", "calls", "threads", "inclusive",
			   "exclusive", "CPU", "least", "median", "most", "most in");
	if (times->counted)
		memphis_text_print(text, "%9s%6s", "cycles", "IPC");
	memphis_text_print(text, "%13s  region\n", report->selection->kind->name);
	for (i = 0; i < times->shown_count; i++) {
		row = &times->list[times->shown[i]];
		memphis_text_print(text, "%10" PRIu64 " %7zu", row->calls, row->threads.count);
		put_time(text, row->inclusive_ns);
		put_time(text, row->ns);
		if (row->cpu_ns)
			put_time(text, row->cpu_ns);
		else
			memphis_text_print(text, " %9s", "-");
		put_time(text, row->threads.list->number);
		put_time(text, memphis_threads_median(&row->threads)->number);
		put_time(text, memphis_threads_most(&row->threads)->number);
		memphis_text_put(text, "  ");
		memphis_region_thread_text(report, text, memphis_threads_most(&row->threads)->thread);
		if (times->counted)
			put_counts(text, row);
		put_selected_share(report, text, row);
		memphis_text_print_plain(text, "  %*s%s\n", (int)(2 * row->depth), "", row->name);
	}
	memphis_text_put(text, "\n");
	memphis_region_events_text(report, text);
}

void memphis_put_region_times_path(struct memphis_json *json, const struct memphis_region_times *times,
				   uint32_t at)
{
	if (times->list[at].parent != MEMPHIS_NONE)
		memphis_put_region_times_path(json, times, times->list[at].parent);
	memphis_json_string(json, NULL, times->list[at].name);
}

static void put_region_json(struct memphis_json *json, const struct memphis_report *report, uint32_t number)
{
	const struct memphis_region_times_row *row = &report->region_times.list[number];

	memphis_json_open(json, NULL, '{');
	memphis_json_open(json, "path", '[');
	memphis_put_region_times_path(json, &report->region_times, number);
	memphis_json_close(json, ']');
	memphis_json_number(json, "calls", row->calls);
	memphis_json_number(json, "threads", row->threads.count);
	memphis_json_number(json, "ns", row->inclusive_ns);
	memphis_json_number(json, "ns_exclusive", row->ns);
	memphis_json_known(json, "cpu_ns", row->cpu_ns, row->cpu_ns);
	if (report->region_times.counted) {
		memphis_json_number(json, "cycles", row->inclusive_cycles);
		memphis_json_number(json, "cycles_exclusive", row->cycles);
		memphis_json_number(json, "instructions", row->inclusive_instructions);
		memphis_json_number(json, "instructions_exclusive", row->instructions);
	}
	memphis_region_threads_json(report, "ns", &row->threads, json);
	memphis_region_events_json(report, row, json);
	memphis_json_close(json, '}');
}

void memphis_output_region_times_json(const struct memphis_report *report, struct memphis_json *json)
{
	const struct memphis_region_times *times = &report->region_times;
	size_t i;

	memphis_json_open(json, "region_times", '[');
	for (i = 0; i < times->shown_count; i++)
		put_region_json(json, report, times->shown[i]);
	memphis_json_close(json, ']');
}
