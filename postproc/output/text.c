// SPDX-License-Identifier: BSD-3-Clause
/* The report as text: the paper's node blocks, then the sum and the reasons. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "dwarf/demangle.h"
#include "output/explain.h"
#include "name/names.h"
#include "output/output.h"
#include "read/process_name.h"
#include "base/share.h"

static void put_latency(const struct memphis_report *report, struct memphis_text *text,
			const struct memphis_sum *sum)
{
	if (report->view->sort == MEMPHIS_SORT_LATENCY)
		memphis_text_print(text, " latency %" PRIu64 " (mean %.0f, most %" PRIu64 ")",
				   sum->latency_cycles, (double)sum->latency_cycles / (double)sum->count,
				   sum->latency_max_cycles);
	memphis_text_put(text, "\n");
}

static void put_instruction(const struct memphis_report *report, struct memphis_text *text,
			    const struct memphis_instruction_row *row)
{
	memphis_text_put(text, "    ");
	if (row->field) {
		memphis_text_put_plain(text, row->field);
		memphis_text_print(text, " at byte %" PRIu32 " of %" PRIu32 ": %" PRIu64 "\n", row->offset,
				   row->element_bytes, row->sum.count);
		return;
	}
	if (report->view->leaf == MEMPHIS_LEAF_FIELD) {
		memphis_text_print(text, "<members not known> %" PRIu64 "\n", row->sum.count);
		return;
	}
	if (report->view->leaf == MEMPHIS_LEAF_FUNCTION && row->function) {
		memphis_put_function(text, row->function);
		memphis_text_put(text, " ");
	}
	if (row->path)
		memphis_text_put_plain(text, memphis_basename(row->path));
	else
		memphis_text_put_plain(text, row->object ? memphis_basename(row->object) : "?");
	if (row->line || report->view->leaf != MEMPHIS_LEAF_FUNCTION)
		memphis_text_print(text, ":%u", row->line);
	if (report->view->leaf == MEMPHIS_LEAF_INSTRUCTION || !(row->line || row->function))
		memphis_text_print(text, ":0x%" PRIx64, row->pc);
	memphis_text_print(text, " [ 0x%" PRIx64 " - 0x%" PRIx64 " ] %" PRIu64, row->sum.low, row->sum.high,
			   row->sum.count);
	put_latency(report, text, &row->sum);
}

static void put_node_number(struct memphis_text *text, uint32_t node)
{
	if (node == MEMPHIS_NODE_UNKNOWN)
		memphis_text_put(text, "?");
	else
		memphis_text_print(text, "%" PRIu32, node);
}

static size_t shown(size_t count, size_t limit)
{
	return limit && limit < count ? limit : count;
}

/* A head is bold up to its end. */
static void end_head(struct memphis_text *text)
{
	memphis_text_style(text, MEMPHIS_PLAIN);
	memphis_text_put(text, "\n");
}

static void put_node(const struct memphis_report *report, struct memphis_text *text,
		     const struct memphis_node_row *node)
{
	size_t variables = shown(node->variable_count, report->top), instructions, i, j;
	const struct memphis_variable_row *variable;

	memphis_text_style(text, MEMPHIS_BOLD);
	memphis_text_put(text, "NODE: ");
	put_node_number(text, node->node);
	memphis_text_print(text, " total: %" PRIu64, node->total);
	end_head(text);
	for (i = 0; i < variables; i++) {
		variable = &node->variables[i];
		memphis_text_print(text, "%03zu) [", i);
		memphis_text_put_plain(text, variable->segment);
		memphis_text_put(text, "]:");
		memphis_text_put_plain(text, variable->name);
		memphis_text_print(text, " [ 0x%" PRIx64 " - 0x%" PRIx64 " ] %" PRIu64, variable->sum.low,
				   variable->sum.high, variable->sum.count);
		if (report->weights.known)
			memphis_text_print(text, " weight %.1f (estimated)",
					   memphis_weight_of_variable(&report->weights, report->rows,
								      node->node, variable));
		put_latency(report, text, &variable->sum);
		instructions = shown(variable->instruction_count, report->instructions);
		for (j = 0; j < instructions; j++)
			put_instruction(report, text, &variable->instructions[j]);
		if (instructions < variable->instruction_count)
			memphis_text_put(text, "    ...\n");
	}
	if (variables < node->variable_count)
		memphis_text_put(text, "...\n");
}

static void put_share(struct memphis_text *text, uint64_t part, uint64_t whole)
{
	memphis_text_style(text, MEMPHIS_DIM);
	memphis_text_print(text, "%.1f %%", whole ? 100.0 * (double)part / (double)whole : 100.0);
	memphis_text_style(text, MEMPHIS_PLAIN);
}

static void put_selection(const struct memphis_report *report, struct memphis_text *text)
{
	const struct memphis_selection *selection = report->selection;

	memphis_text_print(text, "samples: %" PRIu64 " of %" PRIu64 " are %s", report->rows->selected,
			   report->accounting.written, selection->kind->name);
	if (selection->node >= 0)
		memphis_text_print(text, ", node %" PRId64, selection->node);
	if (selection->which.text)
		memphis_text_print(text, ", %s %" PRIu64, selection->which.rank ? "rank" : "process",
				   selection->which.number);
	if (*selection->which.host) {
		memphis_text_put(text, " on host ");
		memphis_text_put_plain(text, selection->which.host);
	}
	if (selection->region) {
		memphis_text_put(text, ", in region ");
		memphis_text_put_plain(text, selection->region);
	}
	memphis_text_put(text, "\n");
	if (report->accounting.own) {
		memphis_text_print(text, "own: %" PRIu64 " of %" PRIu64 " (", report->accounting.own,
				   report->accounting.written);
		put_share(text, report->accounting.own, report->accounting.written);
		memphis_text_put(text, ") are accesses of libmemphis itself, in no share and no table\n");
	}
}

static void put_attribution(const struct memphis_report *report, struct memphis_text *text)
{
	const struct memphis_rows *rows = report->rows;
	unsigned int i;

	memphis_text_print(text, "attributed: %" PRIu64 " of %" PRIu64, rows->attributed, rows->selected);
	if (rows->selected) {
		memphis_text_put(text, " (");
		put_share(text, rows->attributed, rows->selected);
		memphis_text_put(text, ")");
	}
	memphis_text_put(text, " to a variable\n");
	for (i = 0; i < MEMPHIS_UNATTRIBUTED_REASONS; i++) {
		if (!rows->unattributed[i])
			continue;
		memphis_text_print(text, "    %s %" PRIu64 " (", memphis_unattributed_texts[i].name,
				   rows->unattributed[i]);
		put_share(text, rows->unattributed[i], rows->selected);
		memphis_text_print(text, "): %s\n", memphis_unattributed_texts[i].help);
		if (report->explain)
			memphis_explain_text(report, text, i);
	}
}

static void put_matrix(const struct memphis_report *report, struct memphis_text *text)
{
	const struct memphis_pair *pair;
	struct memphis_share share;
	size_t i;

	for (i = 0; i < report->rows->pair_count; i++) {
		pair = &report->rows->matrix[i];
		share = memphis_share_of(pair->sum.count, report->rows->selected);
		memphis_text_put(text, "pair: node ");
		put_node_number(text, pair->node);
		memphis_text_put(text, " to memory of node ");
		put_node_number(text, pair->home);
		memphis_text_print(text, ": %" PRIu64 " (", pair->sum.count);
		memphis_text_style(text, MEMPHIS_DIM);
		memphis_text_print(text, "%.1f %%, 95 %% sure: %.1f to %.1f", 100 * share.share,
				   100 * share.low, 100 * share.high);
		memphis_text_style(text, MEMPHIS_PLAIN);
		memphis_text_put(text, ")");
		if (pair->sum.accesses) {
			memphis_text_put(text, ", about ");
			memphis_text_put_large(text, pair->sum.accesses, "accesses", NULL);
		}
		if (pair->sum.lines) {
			memphis_text_put(text, " and ");
			memphis_text_put_large(text, pair->sum.lines * MEMPHIS_LINE_BYTES, NULL, "B");
			memphis_text_put(text, " moved");
		}
		if (report->weights.known)
			memphis_text_print(text, ", each as long as %.2f local ones (estimated)",
					   memphis_weight_of_pair(&report->weights, pair->node, pair->home));
		memphis_text_put(text, "\n");
	}
}

static void put_accounting(struct memphis_text *text, const struct memphis_accounting *sum)
{
	unsigned long long filtered = 0;
	const char *separator = " (";
	unsigned int i;
	char room[24];

	for (i = 0; i < MEMPHIS_REASONS_MAX; i++)
		filtered += sum->filtered[i];
	memphis_text_print(text, "%llu interrupts = %llu kept + %llu lost + %llu filtered", sum->interrupts,
			   sum->kept, sum->lost, filtered);
	for (i = 0; i < MEMPHIS_REASONS_MAX; i++) {
		if (!sum->filtered[i])
			continue;
		memphis_text_print(text, "%s%s %llu", separator, memphis_reason_label(i, room),
				   sum->filtered[i]);
		separator = ", ";
	}
	memphis_text_put(text, *separator == ',' ? ")\n" : "\n");
}

/* What made the sum smaller than the program's accesses would have. */
static void put_disturbances(const struct memphis_accounting_total *accounting, struct memphis_text *text)
{
	if (accounting->starved_ns) {
		memphis_text_put(text, "starved: another user of the sampling hardware had it for ");
		put_share(text, accounting->starved_ns, accounting->enabled_ns);
		memphis_text_put(text, " of the time; nothing was sampled then\n");
	}
	if (100 * accounting->unseen_ns > accounting->cpu_ns) {
		memphis_text_put(text, "unseen: threads that were not found in time had ");
		put_share(text, accounting->unseen_ns, accounting->cpu_ns);
		memphis_text_put(text, " of the CPU time of processes that were attached while they ran\n");
	}
	if (accounting->sum.throttled)
		memphis_text_print(text,
				   "throttled: perf paused sampling %llu times, each up to a tick, because "
				   "interrupts came faster than kernel.perf_event_max_sample_rate allows; a "
				   "longer period avoids it\n",
				   accounting->sum.throttled);
}

/* Loads that say otherwise than their page's home. Both are the hardware's and the kernel's word: one of them is wrong. */
static void put_homes(struct memphis_text *text, const struct memphis_homes *homes)
{
	const uint64_t contrary = memphis_homes_contrary(homes);

	if (!contrary)
		return;
	memphis_text_print(text, "homes: %" PRIu64 " of %" PRIu64 " loads from DRAM (", contrary,
			   homes->told);
	put_share(text, contrary, homes->told);
	memphis_text_print(text,
			   ") contradict the home of their page: %" PRIu64
			   " remote of pages of the own node, %" PRIu64 " local of pages of another node\n",
			   homes->remote_at_home, homes->local_away);
}

/* A pid says which process it is on one host. */
static void put_whose(const struct memphis_report *report, struct memphis_text *text,
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
	memphis_text_put_plain(text, name ? name : "?");
	if (openmp) {
		memphis_text_put(text, ", OpenMP thread ");
		memphis_text_put_plain(text, openmp);
	}
	put_whose(report, text, process);
	memphis_text_put(text, ": ");
	put_accounting(text, &thread->accounting);
}

static void put_threads(const struct memphis_report *report, struct memphis_text *text)
{
	const struct memphis_process *process;
	size_t i, j;

	for (i = 0; i < report->profile->processes.count; i++) {
		process = &report->profile->processes.list[i];
		if (!memphis_selection_has(report->selection, process))
			continue;
		for (j = 0; j < process->thread_count; j++)
			if (report->threads || !memphis_thread_balances(&process->threads[j]))
				put_thread(report, text, process, &process->threads[j]);
	}
}

static void put_nodes(const struct memphis_report *report, struct memphis_text *text,
		      const struct memphis_node_row *nodes, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		put_node(report, text, &nodes[i]);
		memphis_text_put(text, "\n");
	}
}

static const char *region_name(const struct memphis_regions *regions, const struct memphis_region_row *row)
{
	if (row->name)
		return row->name;
	return row == &regions->list[MEMPHIS_REGION_OUTSIDE] ? "(outside any caliper)" : "(unknown region)";
}

static uint64_t total_on(const struct memphis_region_row *row, uint32_t node)
{
	size_t i;

	for (i = 0; i < row->node_count; i++)
		if (row->nodes[i].node == node)
			return row->nodes[i].total;
	return 0;
}

/* Share of the samples selected, in all regions. */
static void put_part(const struct memphis_report *report, struct memphis_text *text, uint64_t part)
{
	char room[16];

	snprintf(room, sizeof(room), "%.1f %%",
		 report->rows->selected ? 100.0 * (double)part / (double)report->rows->selected : 0.0);
	memphis_text_print(text, "%10" PRIu64 " ", part);
	memphis_text_style(text, MEMPHIS_DIM);
	memphis_text_print(text, "%8s", room);
	memphis_text_style(text, MEMPHIS_PLAIN);
}

static void put_region_table(const struct memphis_report *report, struct memphis_text *text)
{
	const struct memphis_regions *regions = &report->regions;
	const struct memphis_region_row *row;
	char room[16];
	size_t i, j;

	memphis_text_print(text, "%19s%20s%11s", "exclusive", "inclusive", "written");
	for (j = 0; j < regions->node_count; j++) {
		snprintf(room, sizeof(room),
			 regions->nodes[j] == MEMPHIS_NODE_UNKNOWN ? "node ?" : "node %" PRIu32,
			 regions->nodes[j]);
		memphis_text_print(text, "%11s", room);
	}
	memphis_text_put(text, "  region\n");
	for (i = 0; i < regions->shown_count; i++) {
		row = &regions->list[regions->shown[i]];
		put_part(report, text, row->selected);
		memphis_text_put(text, " ");
		put_part(report, text, row->selected_inclusive);
		memphis_text_print(text, " %10" PRIu64, row->written);
		for (j = 0; j < regions->node_count; j++)
			memphis_text_print(text, " %10" PRIu64, total_on(row, regions->nodes[j]));
		memphis_text_print(text, "  %*s", (int)(2 * row->depth), "");
		memphis_text_put_plain(text, region_name(regions, row));
		memphis_text_put(text, "\n");
	}
	memphis_text_put(text, "\n");
}

/* The regions around it first. */
static void put_region_path(struct memphis_text *text, const struct memphis_regions *regions,
			    const struct memphis_region_row *row)
{
	uint32_t depth;

	for (depth = 0; depth < row->depth; depth++) {
		memphis_text_put_plain(text, memphis_region_around(regions, row, depth)->name);
		memphis_text_put(text, " > ");
	}
	memphis_text_put_plain(text, region_name(regions, row));
}

static void put_regions(const struct memphis_report *report, struct memphis_text *text)
{
	const struct memphis_regions *regions = &report->regions;
	const struct memphis_region_row *row;
	size_t i;

	put_region_table(report, text);
	for (i = 0; i < regions->shown_count; i++) {
		row = &regions->list[regions->shown[i]];
		if (!row->selected)
			continue;
		memphis_text_style(text, MEMPHIS_BOLD);
		memphis_text_put(text, "REGION: ");
		put_region_path(text, regions, row);
		memphis_text_print(text, " total: %" PRIu64, row->selected);
		end_head(text);
		put_nodes(report, text, row->nodes, row->node_count);
	}
}

static void put_group_head(const struct memphis_report *report, struct memphis_text *text, uint32_t group)
{
	const struct memphis_process *process;
	const struct memphis_thread *thread;
	const char *name;

	if (report->view->group == MEMPHIS_GROUP_HOME) {
		memphis_text_put(text, "HOME: ");
		put_node_number(text, group);
		return;
	}
	thread = memphis_profile_thread_of(report->profile, group, &process);
	memphis_text_print(text, "THREAD: %" PRIu32 ".%" PRIu32, process->pid, thread->tid);
	name = memphis_setting(&thread->metadata, "name");
	if (name) {
		memphis_text_put(text, " ");
		memphis_text_put_plain(text, name);
	}
	put_whose(report, text, process);
}

static void put_groups(const struct memphis_report *report, struct memphis_text *text)
{
	const struct memphis_rows *rows = report->rows;
	uint64_t total;
	size_t i, count;

	for (i = 0; i < rows->node_count; i += count) {
		count = memphis_rows_group(rows, i, &total);
		memphis_text_style(text, MEMPHIS_BOLD);
		put_group_head(report, text, rows->nodes[i].group);
		memphis_text_print(text, " total: %" PRIu64, total);
		end_head(text);
		put_nodes(report, text, &rows->nodes[i], count);
	}
}

static void put_findings(const struct memphis_report *report, struct memphis_text *text)
{
	size_t i;

	for (i = 0; i < report->findings.count; i++) {
		memphis_text_put(text, "finding: ");
		memphis_text_put_plain(text, report->findings.list[i].sentence);
		memphis_text_put(text, "\ntry: ");
		memphis_text_put_plain(text, report->findings.list[i].advice);
		memphis_text_put(text, "\n");
	}
}

void memphis_output_text(const struct memphis_report *report, struct memphis_text *text)
{
	struct memphis_span notes = {report->notes.text, report->notes.bytes}, note;

	if (report->view->processes)
		memphis_output_processes_text(report, text);
	if (report->view->group == MEMPHIS_GROUP_REGION)
		put_regions(report, text);
	else if (report->view->group != MEMPHIS_GROUP_NONE)
		put_groups(report, text);
	else
		put_nodes(report, text, report->rows->nodes, report->rows->node_count);
	put_selection(report, text);
	put_matrix(report, text);
	put_attribution(report, text);
	put_findings(report, text);
	memphis_text_put(text, "books: ");
	put_accounting(text, &report->accounting.sum);
	put_homes(text, &report->accounting.homes);
	put_disturbances(&report->accounting, text);
	put_threads(report, text);
	memphis_output_counters_text(report, text);
	if (report->accounting.unbalanced)
		memphis_text_print(
			text,
			"THE BOOKS DO NOT BALANCE for %zu of %zu threads (listed above): samples are missing "
			"or counted twice. Do not trust this report.\n",
			report->accounting.unbalanced, report->accounting.threads);
	while (memphis_next_line(&notes, &note))
		memphis_text_print(text, "note: %.*s\n", (int)note.bytes, note.text);
}
