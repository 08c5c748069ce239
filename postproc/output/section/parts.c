// SPDX-License-Identifier: BSD-3-Clause
/* Output that the paper format and the text format share. */
#include "output/section/parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "view/loads_by_source.h"
#include "read/process_name.h"
#include "read/stands_for.h"

void memphis_json_node(struct memphis_json *json, const char *key, uint32_t node)
{
	memphis_json_known(json, key, node != MEMPHIS_NODE_UNKNOWN, node);
}

void memphis_json_place(struct memphis_json *json, const struct memphis_profile *profile,
			const struct memphis_profile_frame *frame)
{
	memphis_json_string(json, "path", frame ? memphis_profile_text(profile, frame->path) : NULL);
	memphis_json_number(json, "line", frame ? frame->line : 0);
	memphis_json_string(json, "function", frame ? memphis_profile_text(profile, frame->function) : NULL);
}

void memphis_columns_json(struct memphis_json *json, unsigned int place, const struct memphis_shown *row)
{
	const struct memphis_column *column = NULL;
	struct memphis_shown_value value;

	while ((column = memphis_column_next(column, place))) {
		value = column->get(row);
		if (!value.known)
			memphis_json_null(json, column->key);
		else if (column->kind == MEMPHIS_SHOWN_ADDRESS)
			memphis_json_hex(json, column->key, value.number);
		else if (column->kind == MEMPHIS_SHOWN_REAL)
			memphis_json_real(json, column->key, value.real);
		else if (column->kind == MEMPHIS_SHOWN_TEXT)
			memphis_json_string(json, column->key, value.text);
		else
			memphis_json_number(json, column->key, value.number);
	}
}

void memphis_put_node_number(struct memphis_text *text, uint32_t node)
{
	if (node == MEMPHIS_NODE_UNKNOWN)
		memphis_text_put(text, "?");
	else
		memphis_text_print(text, "%" PRIu32, node);
}

void memphis_put_share(struct memphis_text *text, uint64_t part, uint64_t whole)
{
	memphis_text_style(text, MEMPHIS_DIM);
	memphis_text_print(text, "%.1f %%", whole ? 100.0 * (double)part / (double)whole : 100.0);
	memphis_text_style(text, MEMPHIS_PLAIN);
}

void memphis_put_count(struct memphis_text *text, int width, uint64_t count, uint64_t whole)
{
	memphis_text_print(text, "%*" PRIu64 " ", width, count);
	memphis_text_style(text, MEMPHIS_DIM);
	memphis_text_print(text, "%6.1f %%", whole ? 100.0 * (double)count / (double)whole : 0.0);
	memphis_text_style(text, MEMPHIS_PLAIN);
}

void memphis_put_selection(struct memphis_text *text, const struct memphis_selection *selection)
{
	if (selection->node >= 0)
		memphis_text_print(text, ", node %" PRId64, selection->node);
	if (selection->which.text)
		memphis_text_print(text, ", %s %" PRIu64, selection->which.rank ? "rank" : "process",
				   selection->which.number);
	if (*selection->which.host)
		memphis_text_print_plain(text, " on host %s", selection->which.host);
	if (selection->region)
		memphis_text_print_plain(text, ", in region %s", selection->region);
	memphis_text_put(text, "\n");
}

void memphis_put_own(const struct memphis_report *report, struct memphis_text *text)
{
	if (!report->accounting.own)
		return;
	memphis_text_print(text, "own: %" PRIu64 " of %" PRIu64 " (", report->accounting.own,
			   report->accounting.written);
	memphis_put_share(text, report->accounting.own, report->accounting.written);
	memphis_text_put(text, ") are accesses of libmemphis itself, excluded from all shares and tables\n");
}

/* Appends the reasons why some blocks do not have the name of one variable, but only their allocation site or several names. */
static void put_naming_reasons(const struct memphis_report *report, struct memphis_text *text)
{
	const char *title = "blocks without the name of one variable:\n";
	const struct memphis_reason_text *reason;
	uint64_t count;
	unsigned int i;

	for (i = MEMPHIS_NAMING_FOUND + 1; i < MEMPHIS_NAMING_REASONS; i++) {
		reason = &memphis_naming_texts[i];
		count = memphis_explain_names(report, i);
		if (!count)
			continue;
		memphis_text_print(text, "%s    %s %" PRIu64 " (", title, reason->name, count);
		memphis_put_share(text, count, report->rows->selected);
		memphis_text_print(text, "): %s\n        to do: %s\n", reason->help, reason->advice);
		title = "";
	}
}

void memphis_put_certainty(struct memphis_text *text, const struct memphis_variable_row *row)
{
	if (!memphis_is_estimated(row))
		return;
	if (row->site)
		memphis_text_print_plain(text, " (site %s)", row->site);
	/* The value is rounded down, because 100 % would mean that no sample is wrong. */
	memphis_text_print(text, ", %.0f %%", floor(100 * memphis_certainty(&row->sum)));
}

void memphis_put_attribution(const struct memphis_report *report, struct memphis_text *text)
{
	const struct memphis_rows *rows = report->rows;
	unsigned int i;

	memphis_text_print(text, "attributed: %" PRIu64 " of %" PRIu64, rows->attributed, rows->selected);
	if (rows->selected) {
		memphis_text_put(text, " (");
		memphis_put_share(text, rows->attributed, rows->selected);
		memphis_text_put(text, ")");
	}
	memphis_text_put(text, " to a variable\n");
	if (rows->estimated.measure.count)
		memphis_text_print(
			text,
			"    estimated %" PRIu64
			": names with ~; small blocks, of which a random sample is recorded; about %.0f of these samples have the right site\n",
			rows->estimated.measure.count,
			memphis_certainty(&rows->estimated) * (double)rows->estimated.measure.count);
	for (i = 0; i < MEMPHIS_UNATTRIBUTED_REASONS; i++) {
		if (!rows->unattributed[i])
			continue;
		memphis_text_print(text, "    %s %" PRIu64 " (", memphis_unattributed_texts[i].name,
				   rows->unattributed[i]);
		memphis_put_share(text, rows->unattributed[i], rows->selected);
		memphis_text_print(text, "): %s\n", memphis_unattributed_texts[i].help);
		if (report->view->explain)
			memphis_explain_text(report, text, i);
	}
	if (report->view->explain)
		put_naming_reasons(report, text);
}

static void put_accounting(struct memphis_text *text, const struct memphis_accounting *sum)
{
	unsigned long long filtered = 0;
	const char *separator = " (";
	unsigned int i;
	char buffer[24];

	for (i = 0; i < MEMPHIS_REASONS_MAX; i++)
		filtered += sum->filtered[i];
	memphis_text_print(text, "%llu interrupts = %llu kept + %llu lost + %llu filtered", sum->interrupts,
			   sum->kept, sum->lost, filtered);
	for (i = 0; i < MEMPHIS_REASONS_MAX; i++) {
		if (!sum->filtered[i])
			continue;
		memphis_text_print(text, "%s%s %llu", separator, memphis_reason_label(i, buffer),
				   sum->filtered[i]);
		separator = ", ";
	}
	memphis_text_put(text, *separator == ',' ? ")\n" : "\n");
}

void memphis_put_disturbances(const struct memphis_accounting_total *accounting, struct memphis_text *text)
{
	if (accounting->starved_ns) {
		memphis_text_put(text, "starved: another user of the sampling hardware had it for ");
		memphis_put_share(text, accounting->starved_ns, accounting->enabled_ns);
		memphis_text_put(text, " of the time; nothing was sampled then\n");
	}
	if (100 * accounting->unseen_ns > accounting->cpu_ns) {
		memphis_text_put(text, "unseen: threads that were not found in time had ");
		memphis_put_share(text, accounting->unseen_ns, accounting->cpu_ns);
		memphis_text_put(text, " of the CPU time of processes that were attached while they ran\n");
	}
	if (accounting->sum.throttled)
		memphis_text_print(
			text,
			"throttled: perf paused sampling %llu time%s, each up to a tick, because interrupts came faster than kernel.perf_event_max_sample_rate allows; a longer period avoids it\n",
			accounting->sum.throttled, accounting->sum.throttled == 1 ? "" : "s");
}

/* Appends the number of loads for which the hardware's data source contradicts the page's home node as reported by the kernel. */
static void put_wrong_homes(struct memphis_text *text, const struct memphis_homes *homes)
{
	const uint64_t contrary = memphis_homes_contrary(homes);

	if (!contrary)
		return;
	memphis_text_print(text, "homes: %" PRIu64 " of %" PRIu64 " loads from DRAM (", contrary,
			   homes->known);
	memphis_put_share(text, contrary, homes->known);
	memphis_text_print(text,
			   ") contradict the home of their page: %" PRIu64
			   " remote loads of pages of the own node, %" PRIu64
			   " local loads of pages of another node\n",
			   homes->remote_at_home, homes->local_away);
}

/*
 * Appends the kinds of loads that the selection includes but that no event sampled. If `compares` is true,
 * also appends loads from the node's own memory, because findings compare other loads with them.
 */
static void put_unsampled_loads(struct memphis_text *text,
				const struct memphis_loads_by_source loads[MEMPHIS_EVENTS], bool compares)
{
	const char *separator = "unsampled: loads of this selection, by the events ";
	unsigned int i;

	for (i = MEMPHIS_EVENT_LOCAL_DRAM; i < MEMPHIS_EVENTS; i++) {
		if (loads[i].sampled || !loads[i].selected)
			continue;
		memphis_text_print(text, "%s%s", separator, memphis_event_names[i]);
		separator = ", ";
	}
	if (*separator == ',')
		memphis_text_put(text, "\n");
	if (compares && !loads[MEMPHIS_EVENT_LOCAL_DRAM].sampled && !loads[MEMPHIS_EVENT_LOCAL_DRAM].selected)
		memphis_text_put(
			text,
			"unsampled: loads from the own node's memory, by the event local-dram; whether a variable's own node uses it is not known\n");
}

/*
 * Appends two numbers for each event that samples loads by source: the loads estimated from its samples, and
 * the loads that the hardware counted.
 */
static void put_loads_by_source(const struct memphis_report *report, struct memphis_text *text)
{
	struct memphis_loads_by_source loads[MEMPHIS_EVENTS];
	const char *separator = "loads: ";
	/*
	 * An event that was paused or starved did not count meanwhile. If the count is smaller than the
	 * number of samples, it was read before the last samples, because the program closed the descriptor
	 * or was killed.
	 */
	const bool paused = report->accounting.sum.throttled || report->accounting.starved_ns;
	unsigned int i;

	memphis_loads_by_source(report->profile, report->selection, loads);
	for (i = 0; i < MEMPHIS_EVENTS; i++) {
		if (!loads[i].sampled || !loads[i].selected)
			continue;
		memphis_text_print(text, "%s%s %" PRIu64 " samples for %" PRIu64 " of %s%" PRIu64 " counted",
				   separator, memphis_event_names[i], loads[i].samples, loads[i].loads,
				   paused || loads[i].loads > loads[i].counted ? "at least " : "",
				   loads[i].counted);
		separator = ", ";
	}
	if (*separator == ',')
		memphis_text_put(
			text,
			"; without stores, prefetches, and loads of lines that were being fetched already\n");
	if (memphis_loads_all_by_source(report->profile, loads))
		put_unsampled_loads(text, loads, *separator == ',');
}

void memphis_put_books(const struct memphis_report *report, struct memphis_text *text)
{
	memphis_text_put(text, "books: ");
	put_accounting(text, &report->accounting.sum);
	put_loads_by_source(report, text);
	put_wrong_homes(text, &report->accounting.homes);
	memphis_put_disturbances(&report->accounting, text);
}

/* Appends the name of a thread's process if there are several hosts, because hosts may use the same pid. */
static void put_process(const struct memphis_report *report, struct memphis_text *text,
			const struct memphis_process *process)
{
	if (!report->rows->several_hosts)
		return;
	memphis_text_put(text, " (");
	memphis_process_name(text, process);
	memphis_text_put(text, ")");
}

static void put_thread(const struct memphis_report *report, struct memphis_text *text,
		       const struct memphis_process *process, const struct memphis_thread *thread)
{
	const char *name = memphis_setting(&thread->metadata, "name");
	const char *openmp = memphis_setting(&thread->metadata, "openmp_thread");

	memphis_text_print(text, "    %" PRIu32 ".%" PRIu32 " ", process->pid, thread->tid);
	if (thread->others)
		memphis_text_print(text, "sum of %" PRIu32 " threads", thread->others + 1);
	else
		memphis_text_put_plain(text, name ? name : "?");
	if (openmp)
		memphis_text_print_plain(text, ", OpenMP thread %s", openmp);
	put_process(report, text, process);
	memphis_text_put(text, ": ");
	put_accounting(text, &thread->accounting);
}

void memphis_put_threads(const struct memphis_report *report, struct memphis_text *text, size_t limit)
{
	const struct memphis_process *process;
	size_t wanted = 0, i, j;

	for (i = 0; i < report->profile->processes.count; i++) {
		process = &report->profile->processes.list[i];
		if (!memphis_selection_has(report->selection, process))
			continue;
		for (j = 0; j < process->thread_count; j++) {
			if (!report->view->threads && memphis_thread_balances(&process->threads[j]))
				continue;
			if (wanted++ < limit)
				put_thread(report, text, process, &process->threads[j]);
		}
	}
	if (wanted > limit)
		memphis_text_print(text, "    and %zu more; --threads lists all threads\n", wanted - limit);
}

void memphis_put_unbalanced(const struct memphis_report *report, struct memphis_text *text)
{
	if (report->accounting.unbalanced)
		memphis_text_print(
			text,
			"THE BOOKS DO NOT BALANCE for %zu of %zu threads (listed above): samples are missing or counted twice. Do not trust this report.\n",
			report->accounting.unbalanced, report->accounting.threads);
}

void memphis_put_notes(const struct memphis_report *report, struct memphis_text *text)
{
	struct memphis_span notes = {report->notes.text, report->notes.bytes}, note;

	while (memphis_next_line(&notes, &note))
		memphis_text_print(text, "note: %.*s\n", (int)note.bytes, note.text);
}

static const char *region_name(const struct memphis_regions *regions, const struct memphis_region_row *row)
{
	if (row->name)
		return row->name;
	return row == &regions->list[MEMPHIS_REGION_OUTSIDE] ? "(outside any caliper)" : "(unknown region)";
}

static uint64_t node_total(const struct memphis_region_row *row, uint32_t node)
{
	size_t i;

	for (i = 0; i < row->node_count; i++)
		if (row->nodes[i].node == node)
			return row->nodes[i].total;
	return 0;
}

void memphis_put_region_table(const struct memphis_report *report, struct memphis_text *text)
{
	const struct memphis_regions *regions = &report->regions;
	const struct memphis_region_row *row;
	char buffer[16];
	size_t i, j;

	memphis_text_print(text, "%19s%20s%11s", "exclusive", "inclusive", "written");
	for (j = 0; j < regions->node_count; j++) {
		snprintf(buffer, sizeof(buffer),
			 regions->nodes[j] == MEMPHIS_NODE_UNKNOWN ? "node ?" : "node %" PRIu32,
			 regions->nodes[j]);
		memphis_text_print(text, "%11s", buffer);
	}
	memphis_text_put(text, "  region\n");
	for (i = 0; i < regions->shown_count; i++) {
		row = &regions->list[regions->shown[i]];
		memphis_put_count(text, 10, row->selected, report->rows->selected);
		memphis_put_count(text, 11, row->selected_inclusive, report->rows->selected);
		memphis_text_print(text, " %10" PRIu64, row->written);
		for (j = 0; j < regions->node_count; j++)
			memphis_text_print(text, " %10" PRIu64, node_total(row, regions->nodes[j]));
		memphis_text_print_plain(text, "  %*s%s\n", (int)(2 * row->depth), "",
					 region_name(regions, row));
	}
	memphis_text_put(text, "\n");
}

/* Appends the names from the outermost region to `row`: "TimeLoop > Bound". */
static void put_region_path(struct memphis_text *text, const struct memphis_regions *regions,
			    const struct memphis_region_row *row)
{
	uint32_t depth;

	for (depth = 0; depth < row->depth; depth++)
		memphis_text_print_plain(text, "%s > ", memphis_region_around(regions, row, depth)->name);
	memphis_text_put_plain(text, region_name(regions, row));
}

/* Appends the name of a group of samples: a thread or a home node. */
static void put_group(const struct memphis_report *report, struct memphis_text *text, uint32_t group)
{
	const struct memphis_process *process;
	const struct memphis_thread *thread;
	const char *name;

	if (report->view->group == MEMPHIS_GROUP_HOME) {
		memphis_put_node_number(text, group);
		return;
	}
	thread = memphis_profile_thread_of(report->profile, group, &process);
	memphis_text_print(text, "%" PRIu32 ".%" PRIu32, process->pid, thread->tid);
	name = memphis_setting(&thread->metadata, "name");
	if (name)
		memphis_text_print_plain(text, " %s", name);
	put_process(report, text, process);
}

void memphis_put_nodes(const struct memphis_report *report, struct memphis_text *text, const char *colon,
		       void (*put_total)(const struct memphis_report *report, struct memphis_text *text,
					 uint64_t samples),
		       void (*put_node)(const struct memphis_report *report, struct memphis_text *text,
					const struct memphis_node_row *node))
{
	const struct memphis_regions *regions = &report->regions;
	const struct memphis_rows *rows = report->rows;
	const enum memphis_group_by by = report->view->group;
	const struct memphis_region_row *row;
	uint64_t total;
	size_t i, j, count;

	for (i = 0; by == MEMPHIS_GROUP_REGION && i < regions->shown_count; i++) {
		row = &regions->list[regions->shown[i]];
		if (!row->selected)
			continue;
		memphis_text_style(text, MEMPHIS_BOLD);
		memphis_text_print(text, "REGION%s ", colon);
		put_region_path(text, regions, row);
		put_total(report, text, row->selected);
		for (j = 0; j < row->node_count; j++)
			put_node(report, text, &row->nodes[j]);
	}
	for (i = 0; by != MEMPHIS_GROUP_REGION && i < rows->node_count; i += count) {
		count = memphis_rows_group(rows, i, &total);
		if (by != MEMPHIS_GROUP_NONE) {
			memphis_text_style(text, MEMPHIS_BOLD);
			memphis_text_print(text, "%s%s ", by == MEMPHIS_GROUP_HOME ? "HOME" : "THREAD",
					   colon);
			put_group(report, text, rows->nodes[i].group);
			put_total(report, text, total);
		}
		for (j = i; j < i + count; j++)
			put_node(report, text, &rows->nodes[j]);
	}
}
