// SPDX-License-Identifier: BSD-3-Clause
/* The comparison of runs as text and as JSON. */
#include "output/compare.h"

#include <inttypes.h>
#include <math.h>

#include "base/json.h"

static const char *const per_names[MEMPHIS_PERS] = {"run", "second", "operation"};

static size_t shown(size_t count, size_t limit)
{
	return limit && limit < count ? limit : count;
}

static void put_percent(struct memphis_text *text, double ratio)
{
	double percent = 100 * (ratio - 1);

	if (isinf(ratio))
		memphis_text_put(text, "any");
	else
		memphis_text_print(text, "%+.1f", fabs(percent) < 0.05 ? 0 : percent);
}

static void put_change(struct memphis_text *text, const struct memphis_change *change)
{
	if (isnan(change->ratio)) {
		memphis_text_put(text, " (can't be compared)");
		return;
	}
	memphis_text_put(text, " (");
	if (isinf(change->ratio)) {
		memphis_text_put(text, "new");
	} else {
		put_percent(text, change->ratio);
		memphis_text_put(text, " %, 95 % sure: ");
		put_percent(text, change->low);
		memphis_text_put(text, " to ");
		put_percent(text, change->high);
	}
	memphis_text_put(text, change->noise ? "; within the noise)" : ")");
}

static void put_counts(struct memphis_text *text, const struct memphis_compare *compare,
		       const uint64_t *counts, const struct memphis_change *changes)
{
	size_t i;

	memphis_text_print(text, "%" PRIu64, counts[0]);
	for (i = 1; i < compare->side_count; i++) {
		memphis_text_print(text, " -> %" PRIu64, counts[i]);
		if (counts[0] || counts[i])
			put_change(text, &changes[i]);
	}
	memphis_text_put(text, "\n");
}

static void put_line(struct memphis_text *text, const struct memphis_compare *compare,
		     const struct memphis_compare_line *line)
{
	memphis_text_put(text, "    ");
	memphis_text_put_plain(text, line->file);
	memphis_text_print(text, ":%u ", line->line);
	put_counts(text, compare, line->counts, line->changes);
}

static void put_variable(struct memphis_text *text, const struct memphis_compare *compare,
			 const struct memphis_compare_variable *variable, size_t number, size_t lines)
{
	size_t i;

	memphis_text_print(text, "%03zu) [", number);
	memphis_text_put_plain(text, variable->segment);
	memphis_text_put(text, "]:");
	memphis_text_put_plain(text, variable->name);
	memphis_text_put(text, " ");
	put_counts(text, compare, variable->counts, variable->changes);
	for (i = 0; i < shown(variable->line_count, lines); i++)
		put_line(text, compare, &variable->lines[i]);
	if (i < variable->line_count)
		memphis_text_put(text, "    ...\n");
}

static void put_node(struct memphis_text *text, const struct memphis_compare *compare,
		     const struct memphis_compare_node *node, size_t top, size_t lines)
{
	size_t i;

	memphis_text_style(text, MEMPHIS_BOLD);
	if (node->node == MEMPHIS_NODE_UNKNOWN)
		memphis_text_put(text, "NODE: ?");
	else
		memphis_text_print(text, "NODE: %" PRIu32, node->node);
	memphis_text_style(text, MEMPHIS_PLAIN);
	memphis_text_put(text, " total: ");
	put_counts(text, compare, node->counts, node->changes);
	for (i = 0; i < shown(node->variable_count, top); i++)
		put_variable(text, compare, &node->variables[i], i, lines);
	if (i < node->variable_count)
		memphis_text_put(text, "...\n");
	memphis_text_put(text, "\n");
}

static void put_sides(struct memphis_text *text, const struct memphis_compare *compare)
{
	const struct memphis_side *side, *first = &compare->sides[0];
	size_t i;

	for (i = 0; i < compare->side_count; i++) {
		side = &compare->sides[i];
		memphis_text_print(text, "run %zu: ", i);
		memphis_text_put_plain(text, side->name);
		memphis_text_print(text, ": %" PRIu64 " samples", compare->counts[i]);
		if (side->weight > 1)
			memphis_text_print(text, ", each of %.0f accesses", side->weight);
		if (side->seconds > 0) {
			memphis_text_print(text, ", %.3f s", side->seconds);
			if (i && first->seconds > 0)
				memphis_text_print(text, " (%+.1f %%)",
						   100 * (side->seconds / first->seconds - 1));
		}
		if (side->operations > 0) {
			memphis_text_print(text, ", %.4g operations", side->operations);
			if (i && first->operations > 0)
				memphis_text_print(text, " (%+.1f %%)",
						   100 * (side->operations / first->operations - 1));
		}
		memphis_text_put(text, "\n");
	}
}

/* Counts can change because one run kept samples that the other one dropped. */
static void put_kept(struct memphis_text *text, const struct memphis_compare *compare)
{
	size_t which, i;

	for (which = 0; which < MEMPHIS_KEPT; which++) {
		if (memphis_compare_kept_alike(compare, which))
			continue;
		memphis_text_print(text, "note: the runs kept different samples: %s ",
				   memphis_kept[which].key);
		for (i = 0; i < compare->side_count; i++) {
			memphis_text_put(text, i ? " -> " : "");
			memphis_text_put_plain(text, memphis_side_kept(&compare->sides[i], which));
		}
		memphis_text_put(text, "; compare only what all of them kept (--select)\n");
	}
}

void memphis_output_compare_text(const struct memphis_compare *compare, const char *selection, size_t top,
				 size_t lines, struct memphis_text *text)
{
	size_t i;

	put_sides(text, compare);
	memphis_text_put(text, "\n");
	for (i = 0; i < compare->node_count; i++)
		put_node(text, compare, &compare->nodes[i], top, lines);
	memphis_text_print(text, "all %s, per %s: ", selection, per_names[compare->per]);
	put_counts(text, compare, compare->counts, compare->changes);
	memphis_output_compare_counters_text(compare, text);
	put_kept(text, compare);
	memphis_text_put(
		text, "note: intervals and noise cover sampling alone, not other differences between runs\n");
}

static void put_json_counts(struct memphis_json *json, const struct memphis_compare *compare,
			    const uint64_t *counts, const struct memphis_change *changes)
{
	size_t i;

	memphis_json_open(json, "counts", '[');
	for (i = 0; i < compare->side_count; i++)
		memphis_json_number(json, NULL, counts[i]);
	memphis_json_close(json, ']');
	memphis_json_open(json, "changes", '[');
	for (i = 1; i < compare->side_count; i++) {
		memphis_json_open(json, NULL, '{');
		memphis_json_real(json, "ratio", changes[i].ratio);
		memphis_json_real(json, "ratio_low", changes[i].low);
		memphis_json_real(json, "ratio_high", changes[i].high);
		memphis_json_real(json, "p", changes[i].p);
		memphis_json_bool(json, "noise", changes[i].noise);
		memphis_json_close(json, '}');
	}
	memphis_json_close(json, ']');
}

static void put_json_variable(struct memphis_json *json, const struct memphis_compare *compare,
			      const struct memphis_compare_variable *variable, size_t lines)
{
	size_t i;

	memphis_json_open(json, NULL, '{');
	memphis_json_string(json, "segment", variable->segment);
	memphis_json_string(json, "name", variable->name);
	put_json_counts(json, compare, variable->counts, variable->changes);
	memphis_json_open(json, "lines", '[');
	for (i = 0; i < shown(variable->line_count, lines); i++) {
		memphis_json_open(json, NULL, '{');
		memphis_json_string(json, "file", variable->lines[i].file);
		memphis_json_number(json, "line", variable->lines[i].line);
		memphis_json_string(json, "function", variable->lines[i].function);
		put_json_counts(json, compare, variable->lines[i].counts, variable->lines[i].changes);
		memphis_json_close(json, '}');
	}
	memphis_json_close(json, ']');
	memphis_json_close(json, '}');
}

void memphis_output_compare_json(const struct memphis_compare *compare, const char *selection, size_t top,
				 size_t lines, struct memphis_text *text)
{
	struct memphis_json json = {text, false};
	const struct memphis_compare_node *node;
	size_t i, j;

	memphis_json_open(&json, NULL, '{');
	memphis_json_string(&json, "select", selection);
	memphis_json_string(&json, "per", per_names[compare->per]);
	memphis_json_open(&json, "runs", '[');
	for (i = 0; i < compare->side_count; i++) {
		memphis_json_open(&json, NULL, '{');
		memphis_json_string(&json, "name", compare->sides[i].name);
		memphis_json_real(&json, "seconds", compare->sides[i].seconds);
		memphis_json_real(&json, "operations", compare->sides[i].operations);
		memphis_json_real(&json, "accesses_per_sample", compare->sides[i].weight);
		for (j = 0; j < MEMPHIS_KEPT; j++)
			memphis_json_string(&json, memphis_kept[j].key,
					    memphis_side_kept(&compare->sides[i], j));
		memphis_json_close(&json, '}');
	}
	memphis_json_close(&json, ']');
	put_json_counts(&json, compare, compare->counts, compare->changes);
	memphis_json_open(&json, "nodes", '[');
	for (i = 0; i < compare->node_count; i++) {
		node = &compare->nodes[i];
		memphis_json_open(&json, NULL, '{');
		if (node->node == MEMPHIS_NODE_UNKNOWN)
			memphis_json_null(&json, "node");
		else
			memphis_json_number(&json, "node", node->node);
		put_json_counts(&json, compare, node->counts, node->changes);
		memphis_json_open(&json, "variables", '[');
		for (j = 0; j < shown(node->variable_count, top); j++)
			put_json_variable(&json, compare, &node->variables[j], lines);
		memphis_json_close(&json, ']');
		memphis_json_close(&json, '}');
	}
	memphis_json_close(&json, ']');
	memphis_output_compare_counters_json(compare, &json);
	memphis_json_close(&json, '}');
	memphis_text_put(text, "\n");
}
