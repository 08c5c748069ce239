// SPDX-License-Identifier: BSD-3-Clause
/* The rows of the verdict, as text and as JSON. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "selftest/selftest.h"

struct memphis_selftest_row *memphis_selftest_row(struct memphis_selftest_rows *rows, const char *event,
						  const char *check, const char *phase)
{
	struct memphis_selftest_row *row = memphis_append(rows->list, rows->count, rows->room);

	if (!row) {
		rows->failed = true;
		return NULL;
	}
	snprintf(row->event, sizeof(row->event), "%s", event);
	snprintf(row->check, sizeof(row->check), "%s", check);
	snprintf(row->phase, sizeof(row->phase), "%s", phase);
	row->verdict = MEMPHIS_VERDICT_UNKNOWN;
	row->value = row->limit = NAN;
	return row;
}

void memphis_selftest_rows_close(struct memphis_selftest_rows *rows)
{
	size_t i;

	for (i = 0; i < rows->count; i++) {
		memphis_text_close(&rows->list[i].evidence);
		memphis_text_close(&rows->list[i].remedy);
	}
	free(rows->list);
	memset(rows, 0, sizeof(*rows));
}

static size_t count_verdicts(const struct memphis_selftest_rows *rows, enum memphis_verdict verdict)
{
	size_t i, found = 0;

	for (i = 0; i < rows->count; i++)
		found += rows->list[i].verdict == verdict;
	return found;
}

enum memphis_verdict memphis_selftest_verdict(const struct memphis_selftest_rows *rows, bool strict)
{
	if (count_verdicts(rows, MEMPHIS_VERDICT_FAIL) ||
	    (strict && count_verdicts(rows, MEMPHIS_VERDICT_WARN)))
		return MEMPHIS_VERDICT_FAIL;
	return rows->count && !count_verdicts(rows, MEMPHIS_VERDICT_UNKNOWN) ? MEMPHIS_VERDICT_OK
									     : MEMPHIS_VERDICT_UNKNOWN;
}

static const char *const judgements[] = {
	[MEMPHIS_VERDICT_OK] = "samples are as they should be",
	[MEMPHIS_VERDICT_FAIL] = "samples are not as they should be",
	[MEMPHIS_VERDICT_UNKNOWN] = "could not be tested completely",
};

static bool has_other_nodes(const struct memphis_plan *plan)
{
	size_t i;

	for (i = 0; i < plan->phase_count; i++)
		if (plan->phases[i].place == MEMPHIS_PLACE_OWN_PACKAGE ||
		    plan->phases[i].place == MEMPHIS_PLACE_OTHER_PACKAGE ||
		    plan->phases[i].place == MEMPHIS_PLACE_NO_CPU)
			return true;
	return false;
}

void memphis_selftest_text(const struct memphis_selftest_head *head, const struct memphis_selftest_rows *rows,
			   enum memphis_verdict verdict, struct memphis_text *text)
{
	const struct memphis_selftest_row *row;
	const struct memphis_phase *phase;
	size_t i;

	memphis_text_style(text, MEMPHIS_BOLD);
	memphis_text_print(text, "%s: %s", head->machine->host, judgements[verdict]);
	memphis_text_style(text, MEMPHIS_PLAIN);
	memphis_text_print(text, " (%zu failed, %zu warnings, %zu not known of %zu checks)\n",
			   count_verdicts(rows, MEMPHIS_VERDICT_FAIL),
			   count_verdicts(rows, MEMPHIS_VERDICT_WARN),
			   count_verdicts(rows, MEMPHIS_VERDICT_UNKNOWN), rows->count);
	memphis_processor_put(text, &head->machine->processor);
	memphis_text_print(text, ", by %s (%s, %s)\n", head->offer->by, head->offer->query.pmu,
			   head->offer->query.version);
	memphis_text_print(text,
			   "loads by one instruction on CPU %u, each of the next line of a random order:",
			   head->plan->cpu);
	for (i = 0; i < head->plan->phase_count; i++) {
		phase = &head->plan->phases[i];
		memphis_text_print(text, "%s %s (%s, ", i ? ";" : "", phase->name,
				   memphis_place_names[phase->place]);
		memphis_text_put_large(text, phase->bytes, NULL, "B");
		memphis_text_put(text, ")");
	}
	if (head->plan->skipped)
		memphis_text_print(text, "\nnot tested: %zu node%s whose memory this process may not use",
				   head->plan->skipped, head->plan->skipped == 1 ? "" : "s");
	if (!has_other_nodes(head->plan))
		memphis_text_put(text,
				 "\nremote memory is not tested: there is no other node that could be used");
	memphis_text_put(text, "\n\n");
	for (i = 0; i < rows->count; i++) {
		row = &rows->list[i];
		memphis_text_style(text, row->verdict == MEMPHIS_VERDICT_OK ? MEMPHIS_PLAIN : MEMPHIS_BOLD);
		memphis_text_print(text, "  %-8s", memphis_verdict_names[row->verdict]);
		memphis_text_style(text, MEMPHIS_PLAIN);
		memphis_text_print(text, "%-14s %-11s %-6s ", row->event, row->check, row->phase);
		memphis_text_put_plain(text, row->evidence.bytes ? row->evidence.text : "");
		memphis_text_put(text, "\n");
		if (row->remedy.bytes)
			memphis_text_print(text, "%44sremedy: %s\n", "", row->remedy.text);
	}
}

void memphis_selftest_json(const struct memphis_selftest_head *head, const struct memphis_selftest_rows *rows,
			   enum memphis_verdict verdict, struct memphis_text *text)
{
	static const char *const words[] = {"fit", "", "unfit", "unknown"};
	const struct memphis_processor *processor = &head->machine->processor;
	const struct memphis_plan *plan = head->plan;
	struct memphis_json json = {.text = text};
	const struct memphis_selftest_row *row;
	size_t i;

	memphis_json_open(&json, NULL, '{');
	memphis_json_string(&json, "host", head->machine->host);
	memphis_json_string(&json, "verdict", words[verdict]);
	memphis_json_string(&json, "model", processor->name);
	memphis_json_number(&json, "cpu_family", processor->part.family);
	memphis_json_number(&json, "cpu_model", processor->part.model);
	memphis_json_string(&json, "backend", head->offer->by);
	memphis_json_string(&json, "pmu", head->offer->query.pmu);
	memphis_json_string(&json, "version", head->offer->query.version);
	memphis_json_number(&json, "cpu", plan->cpu);
	memphis_json_open(&json, "buffers", '[');
	for (i = 0; i < plan->phase_count; i++) {
		memphis_json_open(&json, NULL, '{');
		memphis_json_string(&json, "name", plan->phases[i].name);
		memphis_json_string(&json, "place", memphis_place_names[plan->phases[i].place]);
		memphis_json_number(&json, "node", plan->phases[i].node);
		memphis_json_number(&json, "bytes", plan->phases[i].bytes);
		memphis_json_number(&json, "loads", plan->phases[i].loads);
		memphis_json_close(&json, '}');
	}
	memphis_json_close(&json, ']');
	memphis_json_number(&json, "nodes_not_tested", plan->skipped);
	memphis_json_open(&json, "checks", '[');
	for (i = 0; i < rows->count; i++) {
		row = &rows->list[i];
		memphis_json_open(&json, NULL, '{');
		memphis_json_string(&json, "event", row->event);
		memphis_json_string(&json, "name", row->check);
		memphis_json_string(&json, "buffer", *row->phase ? row->phase : NULL);
		memphis_json_string(&json, "verdict", memphis_verdict_names[row->verdict]);
		memphis_json_real(&json, "value", row->value);
		memphis_json_real(&json, "limit", row->limit);
		memphis_json_string(&json, "evidence", row->evidence.text);
		memphis_json_string(&json, "remedy", row->remedy.text);
		memphis_json_close(&json, '}');
	}
	memphis_json_close(&json, ']');
	memphis_json_close(&json, '}');
	memphis_text_put(text, "\n");
}
