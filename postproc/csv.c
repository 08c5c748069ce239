// SPDX-License-Identifier: BSD-3-Clause
/* The table of nodes, variables and instructions as RFC 4180 has it. */
#include "csv.h"

#include <inttypes.h>
#include <string.h>

#define LINE_END "\r\n"

/* What no field may hold bare (RFC 4180, section 2) is put in quotes, and quotes are doubled. */
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

static void put_row(const struct memphis_rows *rows, struct memphis_text *text,
		    const struct memphis_node_row *node, const struct memphis_variable_row *variable,
		    const struct memphis_instruction_row *row)
{
	const char *const of_variable[] = {variable->segment, variable->name, variable->qualified,
					   variable->site, variable->how};
	const char *const of_instruction[] = {row->path, row->function, row->object};
	const struct memphis_sum *sum = &row->sum;

	if (rows->view->group != MEMPHIS_GROUP_NONE)
		memphis_text_print(text, "%" PRIu32 ",", node->group);
	if (node->node != MEMPHIS_NODE_UNKNOWN)
		memphis_text_print(text, "%" PRIu32, node->node);
	memphis_text_put(text, ",");
	put_texts(text, of_variable, 5);
	put_texts(text, of_instruction, 3);
	if (row->line)
		memphis_text_print(text, "%u", row->line);
	memphis_text_print(text,
			   ",0x%" PRIx64 ",0x%" PRIx64 ",0x%" PRIx64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
			   ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 LINE_END,
			   row->pc, sum->low, sum->high, sum->count, sum->accesses,
			   sum->lines * MEMPHIS_LINE_BYTES, sum->stores, sum->hitm, sum->latency_cycles,
			   sum->latency_max_cycles);
}

void memphis_csv_put(const struct memphis_rows *rows, struct memphis_text *text)
{
	const struct memphis_variable_row *variable;
	const struct memphis_node_row *node;
	size_t i, j, k;

	if (rows->view->group != MEMPHIS_GROUP_NONE)
		memphis_text_put(text, "group,");
	memphis_text_put(text, "node,segment,variable,holder,site,how,path,function,object,line,pc,low,high,"
			       "count,accesses,bytes,stores,hitm,latency_cycles,latency_max_cycles" LINE_END);
	for (i = 0; i < rows->node_count; i++) {
		node = &rows->nodes[i];
		for (j = 0; j < node->variable_count; j++) {
			variable = &node->variables[j];
			for (k = 0; k < variable->instruction_count; k++)
				put_row(rows, text, node, variable, &variable->instructions[k]);
		}
	}
}
