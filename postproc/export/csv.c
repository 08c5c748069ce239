// SPDX-License-Identifier: BSD-3-Clause
/* The table of nodes, variables and instructions as CSV (RFC 4180). */
#include "export/csv.h"

#include <inttypes.h>
#include <string.h>

#include "base/outfile.h"
#include "export/export.h"
#include "read/process_name.h"

#define LINE_END "\r\n"

/* Fields with separators, quotes or line ends are quoted, and quotes doubled (RFC 4180, section 2). */
static void put_text(struct memphis_text *text, const char *value)
{
	const char *quote;

	if (!value)
		value = "";
	if (!value[strcspn(value, "\",\r\n")]) {
		memphis_text_put(text, value);
		return;
	}
	memphis_text_put(text, "\"");
	while ((quote = strchr(value, '"'))) {
		memphis_text_add(text, value, (size_t)(quote + 1 - value));
		memphis_text_put(text, "\"");
		value = quote + 1;
	}
	memphis_text_put(text, value);
	memphis_text_put(text, "\"");
}

static void put_texts(struct memphis_text *text, const char *const *values, size_t count)
{
	for (; count; count--, values++) {
		put_text(text, *values);
		memphis_text_put(text, ",");
	}
}

/* Appends the path of the region, "TimeLoop > Bound", as in the text formats. */
static void add_region_path(const struct memphis_profile *profile, uint32_t row, struct memphis_text *path)
{
	const struct memphis_profile_region *region = &profile->regions[row];

	if (row <= MEMPHIS_REGION_UNKNOWN) {
		memphis_text_put(path, row == MEMPHIS_REGION_OUTSIDE ? "(outside any caliper)"
								     : "(unknown region)");
		return;
	}
	if (region->parent) {
		add_region_path(profile, region->parent, path);
		memphis_text_put(path, " > ");
	}
	memphis_text_put(path, memphis_profile_text(profile, region->name));
}

static void put_group(const struct memphis_rows *rows, uint32_t group, struct memphis_text *text)
{
	const struct memphis_process *process;
	const struct memphis_thread *thread;
	struct memphis_text name = {0};

	switch (rows->view->group) {
	case MEMPHIS_GROUP_NONE:
		return;
	case MEMPHIS_GROUP_REGION:
		add_region_path(rows->profile, group, &name);
		break;
	case MEMPHIS_GROUP_THREAD:
		thread = memphis_profile_thread_of(rows->profile, group, &process);
		if (rows->several_hosts) {
			memphis_process_name(&name, process);
			memphis_text_put(&name, ": ");
		}
		memphis_text_print(&name, "%" PRIu32 ".%" PRIu32, process->pid, thread->tid);
		break;
	case MEMPHIS_GROUP_HOME:
		if (group != MEMPHIS_NODE_UNKNOWN)
			memphis_text_print(&name, "%" PRIu32, group);
		break;
	}
	put_text(text, name.text);
	memphis_text_put(text, ",");
	text->failed |= name.failed;
	memphis_text_close(&name);
}

/* Heatmaps have no further columns for members. A row without a member counts the whole variable. */
static void put_member(const struct memphis_instruction_row *row, struct memphis_text *text)
{
	put_text(text, row->field);
	memphis_text_put(text, ",");
	if (row->field)
		memphis_text_print(text, "%" PRIu32 ",%" PRIu32, row->offset, row->element_bytes);
	else
		memphis_text_put(text, ",");
	memphis_text_print(text, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 LINE_END, row->sum.measure.count,
			   row->sum.stores, row->sum.hitm);
}

/* Appends an estimate with its interval; empty fields if it is not known. */
static void put_estimate(struct memphis_text *text, bool known, const struct memphis_estimate *estimate)
{
	if (known)
		memphis_text_print(text, ",%.0f,%.0f,%.0f", estimate->value, estimate->low, estimate->high);
	else
		memphis_text_put(text, ",,,");
}

static void put_waiting(const struct memphis_rows *rows, struct memphis_text *text,
			const struct memphis_waits *waits)
{
	const struct memphis_estimate waited = memphis_waited(&rows->waiting, waits),
				      gain = memphis_gain(&rows->waiting, waits);

	if (rows->waiting.why_not)
		return;
	put_estimate(text, memphis_waits_count(waits), &waited);
	put_estimate(text, memphis_gain_is_known(waits), &gain);
}

static void put_row(const struct memphis_rows *rows, struct memphis_text *text,
		    const struct memphis_node_row *node, const struct memphis_variable_row *variable,
		    const struct memphis_instruction_row *row)
{
	const char *const of_variable[] = {variable->segment, variable->name, variable->qualified,
					   variable->site, variable->how};
	const char *const of_instruction[] = {row->path, row->function, row->object};
	const struct memphis_sum *sum = &row->sum;

	put_group(rows, node->group, text);
	if (node->node != MEMPHIS_NODE_UNKNOWN)
		memphis_text_print(text, "%" PRIu32, node->node);
	memphis_text_put(text, ",");
	put_texts(text, of_variable, 5);
	if (rows->view->leaf == MEMPHIS_LEAF_FIELD) {
		put_member(row, text);
		return;
	}
	put_texts(text, of_instruction, 3);
	if (row->line)
		memphis_text_print(text, "%u", row->line);
	memphis_text_print(text,
			   ",0x%" PRIx64 ",0x%" PRIx64 ",0x%" PRIx64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
			   ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64,
			   row->pc, sum->measure.low, sum->measure.high, sum->measure.count,
			   sum->measure.accesses, sum->lines * MEMPHIS_LINE_BYTES, sum->stores, sum->hitm,
			   sum->measure.latency_cycles, sum->measure.latency_max_cycles);
	put_waiting(rows, text, &sum->waits);
	if (rows->profile->chain_count) {
		memphis_text_put(text, ",");
		put_text(text, row->via);
	}
	if (memphis_is_estimated(variable))
		memphis_text_print(text, ",%.4f", memphis_certainty(sum));
	else if (rows->estimated.measure.count)
		memphis_text_put(text, ",");
	memphis_text_put(text, LINE_END);
}

void memphis_csv_put(const struct memphis_rows *rows, struct memphis_text *text)
{
	const struct memphis_variable_row *variable;
	const struct memphis_node_row *node;
	size_t i, j, k;

	if (rows->view->group != MEMPHIS_GROUP_NONE)
		memphis_text_put(text, "group,");
	memphis_text_put(text, "node,segment,variable,holder,site,how,");
	memphis_text_put(
		text,
		rows->view->leaf == MEMPHIS_LEAF_FIELD
			? "member,offset,element_bytes,count,stores,hitm" LINE_END
			: "path,function,object,line,pc,low,high,count,accesses,bytes,stores,hitm,latency_cycles,latency_max_cycles");
	if (rows->view->leaf != MEMPHIS_LEAF_FIELD)
		memphis_text_print(
			text, "%s%s%s" LINE_END,
			rows->waiting.why_not
				? ""
				: ",waited_cycles,waited_low,waited_high,gain_cycles,gain_low,gain_high",
			rows->profile->chain_count ? ",via" : "",
			rows->estimated.measure.count ? ",certainty" : "");
	for (i = 0; i < rows->node_count; i++) {
		node = &rows->nodes[i];
		for (j = 0; j < node->variable_count; j++) {
			variable = &node->variables[j];
			for (k = 0; k < variable->instruction_count; k++)
				put_row(rows, text, node, variable, &variable->instructions[k]);
		}
	}
}

int memphis_export_csv(const struct memphis_export *export, const char *path, struct memphis_error *error)
{
	struct memphis_text text = {0};

	memphis_csv_put(export->rows, &text);
	return memphis_outfile_write(path, &text, error);
}
