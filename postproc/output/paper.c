// SPDX-License-Identifier: BSD-3-Clause
/* The output format of the Memphis papers: first nodes, variables and instructions, then accounting, findings and notes. */
#include <inttypes.h>

#include "base/layout.h"
#include "dwarf/demangle.h"
#include "name/names.h"
#include "output/section/parts.h"
#include "base/layout.h"
#include "base/statistics.h"

static void put_latency(const struct memphis_report *report, struct memphis_text *text,
			const struct memphis_sum *sum)
{
	if (report->view->sort == MEMPHIS_SORT_LATENCY && !sum->measure.latency_cycles)
		memphis_text_put(text, " latency not reported");
	else if (report->view->sort == MEMPHIS_SORT_LATENCY)
		memphis_text_print(text, " latency %" PRIu64 " (mean %.0f, most %" PRIu64 ")",
				   sum->measure.latency_cycles,
				   (double)sum->measure.latency_cycles / (double)sum->measure.count,
				   sum->measure.latency_max_cycles);
	memphis_text_put(text, "\n");
}

static void put_leaf(const struct memphis_report *report, struct memphis_text *text,
		     const struct memphis_leaf_row *row)
{
	memphis_text_put(text, "    ");
	if (row->field.name) {
		memphis_text_print_plain(text, "%s at byte %" PRIu32 " of %" PRIu32 ": %" PRIu64 "\n",
					 row->field.name, row->field.offset, row->field.element_bytes,
					 row->sum.measure.count);
		return;
	}
	if (row->kind == MEMPHIS_LEAF_FIELD) {
		memphis_text_print(text, "<members not known> %" PRIu64 "\n", row->sum.measure.count);
		return;
	}
	if (row->kind >= MEMPHIS_LEAF_FUNCTION && row->function) {
		memphis_put_function(text, row->function);
		memphis_text_put(text, " ");
	}
	if (row->path)
		memphis_text_put_plain(text, memphis_basename(row->path));
	else
		memphis_text_put_plain(text, row->object ? memphis_basename(row->object) : "?");
	if (row->line || row->kind < MEMPHIS_LEAF_FUNCTION)
		memphis_text_print(text, ":%u", row->line);
	if (row->kind == MEMPHIS_LEAF_INSTRUCTION || !(row->line || row->function))
		memphis_text_print(text, ":0x%" PRIx64, row->pc);
	memphis_put_via(text, row);
	memphis_text_print(text, " [ 0x%" PRIx64 " - 0x%" PRIx64 " ] %" PRIu64, row->sum.measure.low,
			   row->sum.measure.high, row->sum.measure.count);
	put_latency(report, text, &row->sum);
}

/* Appends the total at the end of a heading, and ends the bold style. */
static void put_total(const struct memphis_report *report, struct memphis_text *text, uint64_t total)
{
	(void)report;
	memphis_text_print(text, " total: %" PRIu64, total);
	memphis_text_style(text, MEMPHIS_PLAIN);
	memphis_text_put(text, "\n");
}

static void put_node(const struct memphis_report *report, struct memphis_text *text,
		     const struct memphis_node_row *node)
{
	size_t variables = memphis_shown(node->variable_count, report->view->top), leaves, i, j;
	const struct memphis_variable_row *variable;

	memphis_text_style(text, MEMPHIS_BOLD);
	memphis_text_put(text, "NODE: ");
	memphis_put_node_number(text, node->node);
	put_total(report, text, node->total);
	for (i = 0; i < variables; i++) {
		variable = &node->variables[i];
		memphis_text_print_plain(text, "%03zu) [%s]:%s", i, variable->segment, variable->shown);
		memphis_put_certainty(text, variable);
		memphis_text_print(text, " [ 0x%" PRIx64 " - 0x%" PRIx64 " ] %" PRIu64,
				   variable->sum.measure.low, variable->sum.measure.high,
				   variable->sum.measure.count);
		if (report->weights.known)
			memphis_text_print(text, " weight %.1f (estimated)",
					   memphis_weight_of_variable(&report->weights, report->rows,
								      node->node, variable));
		put_latency(report, text, &variable->sum);
		leaves = memphis_shown(variable->leaf_count, report->view->instructions);
		for (j = 0; j < leaves; j++)
			put_leaf(report, text, &variable->leaves[j]);
		if (leaves < variable->leaf_count)
			memphis_text_put(text, "    ...\n");
	}
	memphis_text_put(text, variables < node->variable_count ? "...\n\n" : "\n");
}

static void put_selection(const struct memphis_report *report, struct memphis_text *text)
{
	memphis_text_print(text, "samples: %" PRIu64 " of %" PRIu64 " are %s", report->rows->selected,
			   report->accounting.written, report->selection->kind->name);
	memphis_put_selection(text, report->selection);
	memphis_put_own(report, text);
}

static void put_matrix(const struct memphis_report *report, struct memphis_text *text)
{
	const struct memphis_pair *pair;
	struct memphis_share share;
	size_t i;

	for (i = 0; i < report->rows->pair_count; i++) {
		pair = &report->rows->matrix[i];
		share = memphis_share_of(pair->sum.measure.count, report->rows->selected);
		memphis_text_put(text, "pair: node ");
		memphis_put_node_number(text, pair->node);
		memphis_text_put(text, " to memory of node ");
		memphis_put_node_number(text, pair->home);
		memphis_text_print(text, ": %" PRIu64 " (", pair->sum.measure.count);
		memphis_text_style(text, MEMPHIS_DIM);
		memphis_text_print(text, "%.1f %%, 95 %% CI %.1f to %.1f", 100 * share.share, 100 * share.low,
				   100 * share.high);
		memphis_text_style(text, MEMPHIS_PLAIN);
		memphis_text_put(text, ")");
		if (pair->sum.measure.accesses) {
			memphis_text_put(text, ", about ");
			memphis_text_put_large(text, pair->sum.measure.accesses, "accesses", NULL);
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

static void put_findings(const struct memphis_report *report, struct memphis_text *text)
{
	size_t i;

	for (i = 0; i < report->findings.count; i++) {
		memphis_text_print_plain(text, "finding: %s\n", report->findings.list[i].sentence);
		memphis_text_print_plain(text, "try: %s\n", report->findings.list[i].advice);
	}
}

void memphis_output_paper(const struct memphis_report *report, struct memphis_text *text)
{
	if (report->view->processes)
		memphis_output_processes_text(report, text);
	if (report->view->group == MEMPHIS_GROUP_REGION) {
		memphis_output_region_times_text(report, text);
		memphis_put_region_table(report, text);
	}
	memphis_put_nodes(report, text, ":", put_total, put_node);
	put_selection(report, text);
	put_matrix(report, text);
	memphis_put_attribution(report, text);
	put_findings(report, text);
	memphis_put_books(report, text);
	memphis_put_threads(report, text, SIZE_MAX);
	if (report->counters.region_count)
		memphis_text_put(text, "\n");
	memphis_output_counters_text(report, text);
	memphis_put_unbalanced(report, text);
	memphis_put_notes(report, text);
}
