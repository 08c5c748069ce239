// SPDX-License-Identifier: BSD-3-Clause
/* The report as JSON; memphis-json(5) lists the keys. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/layout.h"
#include "output/answer.h"
#include "output/section/parts.h"
#include "name/names.h"
#include "read/stands_for.h"
#include "output/section/waiting.h"
#include "sharing/pairs.h"
#include "view/rows.h"
#include "view/loads_by_source.h"

static void put_frames(struct memphis_json *json, const struct memphis_profile *profile, const char *key,
		       const struct memphis_profile_frame *frames, size_t count)
{
	size_t i;

	memphis_json_open(json, key, '[');
	for (i = 0; i < count; i++) {
		memphis_json_open(json, NULL, '{');
		memphis_json_string(json, "function", memphis_profile_text(profile, frames[i].function));
		memphis_json_string(json, "path", memphis_profile_text(profile, frames[i].path));
		memphis_json_number(json, "line", frames[i].line);
		memphis_json_close(json, '}');
	}
	memphis_json_close(json, ']');
}

static void put_sum(struct memphis_json *json, const struct memphis_report *report,
		    const struct memphis_sum *sum)
{
	memphis_columns_json(json, MEMPHIS_IN_JSON,
			     &(struct memphis_shown){.rows = report->rows, .sum = sum});
	memphis_waits_json(json, report, &sum->waits);
}

static void put_instruction(struct memphis_json *json, const struct memphis_report *report,
			    const struct memphis_leaf_row *row)
{
	const char *file = row->path ? row->path : row->object ? row->object : "?";

	memphis_json_open(json, NULL, '{');
	memphis_json_string(json, "file", memphis_basename(file));
	memphis_json_number(json, "line", row->line);
	memphis_json_bool(json, "approximate", row->approximate);
	memphis_json_hex(json, "pc", row->pc);
	put_sum(json, report, &row->sum);
	memphis_json_string(json, "path", row->path);
	memphis_json_string(json, "function", row->function);
	memphis_json_string(json, "object", row->object);
	memphis_json_string(json, "type", row->instruction.type);
	memphis_json_string(json, "member", row->instruction.member);
	put_frames(json, report->profile, "inlined", row->instruction.inlined,
		   row->instruction.inlined_count);
	memphis_json_string(json, "via", row->instruction.via);
	put_frames(json, report->profile, "library", row->instruction.library,
		   row->instruction.library_count);
	memphis_callers_json(json, report->profile, row);
	memphis_json_close(json, '}');
}

static void put_field(struct memphis_json *json, const struct memphis_report *report,
		      const struct memphis_leaf_row *row)
{
	memphis_json_open(json, NULL, '{');
	memphis_json_string(json, "field", row->field.name);
	memphis_json_number(json, "offset", row->field.offset);
	memphis_json_number(json, "element_bytes", row->field.element_bytes);
	memphis_columns_json(json, MEMPHIS_IN_MEMBERS,
			     &(struct memphis_shown){.rows = report->rows, .sum = &row->sum});
	memphis_json_close(json, '}');
}

/*
 * Returns the reason why a block has no better name. If there is none, returns the most frequent reason why
 * the row's samples have no variable. Returns NULL if there is no reason.
 */
static const char *why_nameless(const struct memphis_variable_row *row)
{
	size_t best = MEMPHIS_ATTRIBUTED, i;

	if (row->why_not)
		return memphis_naming_texts[row->why_not].name;
	for (i = MEMPHIS_ATTRIBUTED + 1; i < MEMPHIS_UNATTRIBUTED_REASONS; i++)
		if (row->reasons[i] && (best == MEMPHIS_ATTRIBUTED || row->reasons[i] > row->reasons[best]))
			best = i;
	return best == MEMPHIS_ATTRIBUTED ? NULL : memphis_unattributed_texts[best].name;
}

static void put_variable(struct memphis_json *json, const struct memphis_report *report,
			 const struct memphis_node_row *node, const struct memphis_variable_row *row)
{
	bool fields = report->view->leaf == MEMPHIS_LEAF_FIELD;
	size_t i;

	memphis_json_open(json, NULL, '{');
	memphis_json_string(json, "segment", row->segment);
	memphis_json_string(json, "name", row->name);
	memphis_json_string(json, "shown", row->shown);
	put_sum(json, report, &row->sum);
	if (report->weights.known)
		memphis_json_real(
			json, "estimated_weight",
			memphis_weight_of_variable(&report->weights, report->rows, node->node, row));
	memphis_json_open(json, "homes", '[');
	for (i = 0; i < report->rows->home_count; i++) {
		if (!row->homes[i])
			continue;
		memphis_json_open(json, NULL, '{');
		memphis_json_node(json, "home", report->rows->homes[i]);
		memphis_json_number(json, "count", row->homes[i]);
		memphis_json_close(json, '}');
	}
	memphis_json_close(json, ']');
	memphis_json_string(json, "site", row->site);
	memphis_output_part(json, "part", report->profile, memphis_hot_part(report->rows, node->node, row));
	memphis_json_string(json, "holder", row->qualified);
	memphis_json_string(json, "object", row->object);
	memphis_json_string(json, "declared", row->declared);
	memphis_json_string(json, "unit", row->unit);
	memphis_json_string(json, "how", memphis_how_names[row->how]);
	if (memphis_is_estimated(row))
		memphis_json_real(json, "certainty", memphis_certainty(&row->sum));
	memphis_json_string(json, "reason", why_nameless(row));
	memphis_json_open(json, "reasons", '{');
	for (i = MEMPHIS_ATTRIBUTED + 1; i < MEMPHIS_UNATTRIBUTED_REASONS; i++)
		if (row->reasons[i])
			memphis_json_number(json, memphis_unattributed_texts[i].name, row->reasons[i]);
	memphis_json_close(json, '}');
	memphis_output_accessed_json(report, json, node, row);
	memphis_json_number(json, fields ? "field_rows" : "instruction_rows", row->leaf_count);
	memphis_json_open(json, fields ? "fields" : "instructions", '[');
	for (i = 0; i < memphis_shown(row->leaf_count, report->view->instructions); i++)
		(fields ? put_field : put_instruction)(json, report, &row->leaves[i]);
	memphis_json_close(json, ']');
	memphis_json_close(json, '}');
}

static void put_nodes(struct memphis_json *json, const struct memphis_report *report,
		      const struct memphis_node_row *node, size_t count)
{
	size_t j;

	memphis_json_open(json, "nodes", '[');
	for (; count; count--, node++) {
		memphis_json_open(json, NULL, '{');
		memphis_json_node(json, "node", node->node);
		memphis_json_number(json, "total", node->total);
		memphis_json_number(json, "variable_rows", node->variable_count);
		memphis_json_open(json, "variables", '[');
		for (j = 0; j < memphis_shown(node->variable_count, report->view->top); j++)
			put_variable(json, report, node, &node->variables[j]);
		memphis_json_close(json, ']');
		memphis_json_close(json, '}');
	}
	memphis_json_close(json, ']');
}

/* "path" lists the names from the outermost region to this one. It is empty if "kind" is "outside" or "unknown". */
static void put_region(struct memphis_json *json, const struct memphis_report *report, uint32_t number)
{
	const struct memphis_regions *regions = &report->regions;
	const struct memphis_region_row *row = &regions->list[number];
	uint32_t depth;

	memphis_json_open(json, NULL, '{');
	memphis_json_string(json, "kind",
			    row->name                          ? "caliper"
			    : number == MEMPHIS_REGION_OUTSIDE ? "outside"
							       : "unknown");
	memphis_json_open(json, "path", '[');
	for (depth = 0; row->name && depth <= row->depth; depth++)
		memphis_json_string(json, NULL, memphis_region_around(regions, row, depth)->name);
	memphis_json_close(json, ']');
	memphis_json_number(json, "selected", row->selected);
	memphis_json_number(json, "selected_inclusive", row->selected_inclusive);
	memphis_json_number(json, "written", row->written);
	memphis_json_number(json, "written_inclusive", row->written_inclusive);
	put_nodes(json, report, row->nodes, row->node_count);
	memphis_json_close(json, '}');
}

static void put_regions(struct memphis_json *json, const struct memphis_report *report)
{
	size_t i;

	memphis_json_open(json, "regions", '[');
	for (i = 0; i < report->regions.shown_count; i++)
		put_region(json, report, report->regions.shown[i]);
	memphis_json_close(json, ']');
}

/* Groups by thread or home node have the same JSON structure as regions. */
static void put_groups(struct memphis_json *json, const struct memphis_report *report)
{
	const struct memphis_rows *rows = report->rows;
	const struct memphis_process *process;
	const struct memphis_thread *thread;
	uint64_t total;
	size_t i, count;

	memphis_json_open(json, "groups", '[');
	for (i = 0; i < rows->node_count; i += count) {
		count = memphis_rows_group(rows, i, &total);
		memphis_json_open(json, NULL, '{');
		if (report->view->group == MEMPHIS_GROUP_HOME) {
			memphis_json_string(json, "kind", "home");
			memphis_json_node(json, "home", rows->nodes[i].group);
		} else {
			thread = memphis_profile_thread_of(report->profile, rows->nodes[i].group, &process);
			memphis_json_string(json, "kind", "thread");
			memphis_json_number(json, "process",
					    (uint64_t)(process - report->profile->processes.list));
			memphis_json_number(json, "pid", process->pid);
			memphis_json_number(json, "tid", thread->tid);
			memphis_json_string(json, "name", memphis_setting(&thread->metadata, "name"));
		}
		memphis_json_number(json, "selected", total);
		put_nodes(json, report, &rows->nodes[i], count);
		memphis_json_close(json, '}');
	}
	memphis_json_close(json, ']');
}

static void put_matrix(struct memphis_json *json, const struct memphis_report *report)
{
	const struct memphis_pair *pair;
	size_t i;

	memphis_json_open(json, "matrix", '[');
	for (i = 0; i < report->rows->pair_count; i++) {
		pair = &report->rows->matrix[i];
		memphis_json_open(json, NULL, '{');
		memphis_json_node(json, "node", pair->node);
		memphis_json_node(json, "home", pair->home);
		put_sum(json, report, &pair->sum);
		if (report->weights.known)
			memphis_json_real(json, "estimated_latency_ratio",
					  memphis_weight_of_pair(&report->weights, pair->node, pair->home));
		memphis_json_close(json, '}');
	}
	memphis_json_close(json, ']');
}

/* Writes the accounting of interrupts. Includes the reasons with 0 samples, so that a reader can check the sum. */
static void put_interrupts(struct memphis_json *json, const struct memphis_accounting *accounting)
{
	char buffer[24];
	unsigned int i;

	memphis_json_number(json, "interrupts", accounting->interrupts);
	memphis_json_number(json, "kept", accounting->kept);
	memphis_json_number(json, "lost", accounting->lost);
	memphis_json_number(json, "throttled", accounting->throttled);
	memphis_json_open(json, "filtered", '{');
	for (i = 0; i < MEMPHIS_REASONS_MAX; i++)
		if (i < MEMPHIS_REASONS || accounting->filtered[i])
			memphis_json_number(json, memphis_reason_label(i, buffer), accounting->filtered[i]);
	memphis_json_close(json, '}');
}

static void put_settings(struct memphis_json *json, const char *name, const struct memphis_settings *settings)
{
	const char *key = NULL, *value;

	memphis_json_open(json, name, '{');
	while (memphis_settings_next(settings, &key, &value))
		memphis_json_string(json, key, value);
	memphis_json_close(json, '}');
}

static void put_homes(struct memphis_json *json, const struct memphis_homes *homes)
{
	memphis_json_open(json, "homes", '{');
	memphis_json_number(json, "told", homes->known);
	memphis_json_number(json, "remote_at_home", homes->remote_at_home);
	memphis_json_number(json, "local_away", homes->local_away);
	memphis_json_close(json, '}');
}

static void put_thread(struct memphis_json *json, size_t number, const struct memphis_process *process,
		       const struct memphis_thread *thread)
{
	memphis_json_open(json, NULL, '{');
	memphis_json_number(json, "process", number);
	memphis_json_number(json, "pid", process->pid);
	memphis_json_number(json, "tid", thread->tid);
	put_interrupts(json, &thread->accounting);
	memphis_json_number(json, "written", thread->read);
	memphis_json_number(json, "selected", thread->selected);
	memphis_json_number(json, "own", thread->own);
	if (thread->others)
		memphis_json_number(json, "others", thread->others);
	put_homes(json, &thread->homes);
	memphis_json_bool(json, "closed", thread->closed);
	memphis_json_bool(json, "balanced", memphis_thread_balances(thread));
	memphis_json_string(json, "path", thread->path);
	put_settings(json, "facts", &thread->metadata);
	memphis_json_close(json, '}');
}

static bool has_details(const struct memphis_report *report, size_t process)
{
	return memphis_job_details(report->job, process) &&
	       memphis_selection_has(report->selection, &report->profile->processes.list[process]);
}

/*
 * Writes two numbers for each event that samples loads by source: the loads estimated from its samples, and
 * the loads that the hardware counted. The object is empty if no such event was sampled.
 */
static void put_loads_by_source(struct memphis_json *json, const struct memphis_report *report)
{
	struct memphis_loads_by_source loads[MEMPHIS_EVENTS];
	unsigned int i;

	memphis_loads_by_source(report->profile, report->selection, loads);
	memphis_json_open(json, "loads_by_source", '{');
	for (i = 0; i < MEMPHIS_EVENTS; i++) {
		if (!loads[i].sampled)
			continue;
		memphis_json_open(json, memphis_event_names[i], '{');
		if (loads[i].selected) {
			memphis_json_number(json, "samples", loads[i].samples);
			memphis_json_number(json, "loads", loads[i].loads);
		}
		memphis_json_number(json, "counted", loads[i].counted);
		memphis_json_close(json, '}');
	}
	memphis_json_close(json, '}');
}

static void put_accounting(struct memphis_json *json, const struct memphis_report *report)
{
	const struct memphis_process *process;
	size_t i, j;

	memphis_json_open(json, "accounting", '{');
	put_interrupts(json, &report->accounting.sum);
	memphis_json_number(json, "enabled_ns", report->accounting.enabled_ns);
	memphis_json_number(json, "starved_ns", report->accounting.starved_ns);
	memphis_json_number(json, "cpu_ns", report->accounting.cpu_ns);
	memphis_json_number(json, "unseen_ns", report->accounting.unseen_ns);
	memphis_json_number(json, "written", report->accounting.written);
	memphis_json_number(json, "own", report->accounting.own);
	put_homes(json, &report->accounting.homes);
	put_loads_by_source(json, report);
	memphis_json_number(json, "selected", report->rows->selected);
	memphis_json_number(json, "attributed", report->rows->attributed);
	if (report->rows->estimated.measure.count) {
		memphis_json_number(json, "estimated", report->rows->estimated.measure.count);
		memphis_json_real(json, "estimated_certainty", memphis_certainty(&report->rows->estimated));
	}
	memphis_json_open(json, "unattributed", '{');
	for (i = MEMPHIS_ATTRIBUTED + 1; i < MEMPHIS_UNATTRIBUTED_REASONS; i++)
		if (report->rows->unattributed[i])
			memphis_json_number(json, memphis_unattributed_texts[i].name,
					    report->rows->unattributed[i]);
	memphis_json_close(json, '}');
	memphis_callers_accounting_json(json, report);
	memphis_json_bool(json, "balanced", !report->accounting.unbalanced);
	memphis_json_open(json, "threads", '[');
	for (i = 0; i < report->profile->processes.count; i++) {
		process = &report->profile->processes.list[i];
		for (j = 0; has_details(report, i) && j < process->thread_count; j++)
			put_thread(json, i, process, &process->threads[j]);
	}
	memphis_json_close(json, ']');
	memphis_json_close(json, '}');
}

static void put_topology(struct memphis_json *json, const struct memphis_process *process)
{
	size_t i;

	memphis_json_open(json, "topology", '[');
	for (i = 0; i < process->node_count; i++) {
		memphis_json_open(json, NULL, '{');
		memphis_json_number(json, "node", process->nodes[i].node);
		memphis_json_number(json, "memory_bytes", process->nodes[i].memory_bytes);
		memphis_json_string(json, "cpus", process->nodes[i].cpus);
		memphis_json_string(json, "distances", process->nodes[i].distances);
		memphis_json_close(json, '}');
	}
	memphis_json_close(json, ']');
}

static void put_process(struct memphis_json *json, const struct memphis_process *process, size_t number)
{
	char run[33];
	size_t i;

	snprintf(run, sizeof(run), "%016" PRIx64 "%016" PRIx64, process->run[0], process->run[1]);
	memphis_json_open(json, NULL, '{');
	memphis_json_number(json, "process", number);
	memphis_json_number(json, "pid", process->pid);
	memphis_json_string(json, "run", run);
	memphis_json_bool(json, "closed", process->closed);
	memphis_json_string(json, "path", process->path);
	put_settings(json, "settings", &process->settings);
	put_settings(json, "losses", &process->losses);
	put_topology(json, process);
	memphis_json_open(json, "regions", '[');
	for (i = 0; i < process->region_count; i++) {
		memphis_json_open(json, NULL, '{');
		memphis_json_number(json, "id", process->regions[i].id);
		memphis_json_number(json, "parent", process->regions[i].parent);
		memphis_json_string(json, "name", process->regions[i].name);
		memphis_json_close(json, '}');
	}
	memphis_json_close(json, ']');
	memphis_json_close(json, '}');
}

static void put_binaries(struct memphis_json *json, const struct memphis_profile *profile)
{
	const struct memphis_object *object;
	const char *build_id;
	size_t i;

	memphis_json_open(json, "binaries", '[');
	for (i = 0; i < profile->object_count; i++) {
		object = &profile->objects[i];
		memphis_json_open(json, NULL, '{');
		memphis_json_string(json, "path", memphis_profile_text(profile, object->path));
		build_id = memphis_profile_text(profile, object->build_id);
		memphis_json_string(json, "build_id",
				    build_id && memphis_is_build_id(build_id) ? build_id : NULL);
		memphis_json_string(json, "state", memphis_binary_state_name(object->state));
		memphis_json_string(json, "found", memphis_profile_text(profile, object->found));
		memphis_json_string(json, "debug", memphis_profile_text(profile, object->debug_path));
		memphis_json_string(json, "debug_missing",
				    memphis_profile_text(profile, object->split_missing));
		memphis_json_bool(json, "unverified", object->unverified);
		memphis_json_close(json, '}');
	}
	memphis_json_close(json, ']');
}

static void put_selection(struct memphis_json *json, const struct memphis_selection *selection)
{
	memphis_json_open(json, "selection", '{');
	memphis_json_string(json, "select", selection->kind->name);
	memphis_json_node(json, "node",
			  selection->node >= 0 ? (uint32_t)selection->node : MEMPHIS_NODE_UNKNOWN);
	memphis_json_known(json, "process", selection->which.text && !selection->which.rank,
			   selection->which.number);
	memphis_json_known(json, "rank", selection->which.rank, selection->which.number);
	memphis_json_string(json, "host", *selection->which.host ? selection->which.host : NULL);
	memphis_json_string(json, "region", selection->region);
	memphis_json_close(json, '}');
}

static void put_notes(struct memphis_json *json, const struct memphis_text *notes)
{
	struct memphis_span rest = {notes->text, notes->bytes}, line;
	struct memphis_text note;

	memphis_json_open(json, "notes", '[');
	while (memphis_next_line(&rest, &line)) {
		memset(&note, 0, sizeof(note));
		memphis_text_add(&note, line.text, line.bytes);
		memphis_json_string(json, NULL, note.failed ? "" : note.text);
		memphis_text_close(&note);
	}
	memphis_json_close(json, ']');
}

void memphis_output_json(const struct memphis_report *report, struct memphis_text *text)
{
	struct memphis_json json = {text, false};
	size_t i;

	memphis_json_open(&json, NULL, '{');
	memphis_answer_json(report, &json);
	if (report->view->group == MEMPHIS_GROUP_REGION)
		put_regions(&json, report);
	else if (report->view->group != MEMPHIS_GROUP_NONE)
		put_groups(&json, report);
	else
		put_nodes(&json, report, report->rows->nodes, report->rows->node_count);
	if (report->view->processes)
		memphis_output_processes_json(report, &json);
	if (report->job)
		memphis_output_job_json(report, &json);
	memphis_output_types_json(report, &json);
	put_matrix(&json, report);
	memphis_waiting_json(&json, report);
	memphis_output_threads_json(report, &json);
	memphis_output_timelines_json(report, &json);
	memphis_output_region_times_json(report, &json);
	memphis_output_mpi_json(report, &json);
	if (report->view->sharing)
		memphis_thread_pairs_json(&json, &report->sharing, report->profile, report->job != NULL);
	memphis_output_counters_json(report, &json);
	memphis_output_limits_json(report, &json);
	memphis_output_heatmaps(&json, report);
	memphis_output_findings(&json, report);
	put_accounting(&json, report);
	if (report->view->explain)
		memphis_explain_json(report, &json);
	put_selection(&json, report->selection);
	memphis_json_open(&json, "processes", '[');
	for (i = 0; i < report->profile->processes.count; i++)
		if (has_details(report, i))
			put_process(&json, &report->profile->processes.list[i], i);
	memphis_json_close(&json, ']');
	put_binaries(&json, report->profile);
	put_notes(&json, &report->notes);
	memphis_json_close(&json, '}');
	memphis_text_put(text, "\n");
}
