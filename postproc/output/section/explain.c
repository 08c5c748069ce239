// SPDX-License-Identifier: BSD-3-Clause
/* The option --explain: for each reason why samples have no variable, advice and examples of such samples. */
#include "output/section/parts.h"

#include <inttypes.h>

#include "name/names.h"
#include "read/process_name.h"

static const struct memphis_profile_frame *first_frame(const struct memphis_profile *profile,
						       const struct memphis_instruction *instruction)
{
	return &profile->frames[instruction->frame];
}

static const char *object_path(const struct memphis_profile *profile,
			       const struct memphis_instruction *instruction)
{
	if (instruction->object == MEMPHIS_NONE)
		return NULL;
	return memphis_profile_text(profile, profile->objects[instruction->object].path);
}

static void put_example(const struct memphis_profile *profile, struct memphis_text *text,
			const struct memphis_example *example)
{
	const struct memphis_instruction *instruction = &profile->instructions[example->code];
	const struct memphis_profile_frame *frame = first_frame(profile, instruction);
	const char *path = memphis_profile_text(profile, frame->path), *name;
	const struct memphis_process *process;

	name = memphis_setting(&memphis_profile_thread_of(profile, example->thread, &process)->metadata,
			       "name");
	if (!path)
		path = object_path(profile, instruction);
	memphis_text_print_plain(
		text,
		"        0x%" PRIx64 " in [%s] by %s:%" PRIu32 ":0x%" PRIx64 ", thread %" PRIu32 ".%" PRIu32,
		example->address,
		memphis_profile_text(profile, profile->variables[example->variable].segment),
		path ? memphis_basename(path) : "?", frame->line, example->pc, example->pid, example->tid);
	if (name)
		memphis_text_print_plain(text, " %s", name);
	if (memphis_processes_of_hosts(&profile->processes)) {
		memphis_text_put(text, " (");
		memphis_process_name(text, process);
		memphis_text_put(text, ")");
	}
	memphis_text_print(text, ", after %.6f s\n", (double)example->since_ns / 1e9);
}

void memphis_explain_text(const struct memphis_report *report, struct memphis_text *text, unsigned int reason)
{
	const struct memphis_examples *examples = &report->profile->examples;
	unsigned int i;

	memphis_text_print(text, "        to do: %s\n", memphis_unattributed_texts[reason].advice);
	for (i = 0; i < examples->count[reason]; i++)
		put_example(report->profile, text, &examples->list[reason][i]);
}

uint64_t memphis_explain_names(const struct memphis_report *report, enum memphis_no_name reason)
{
	const struct memphis_rows *rows = report->rows;
	const struct memphis_variable_row *row;
	uint64_t count = 0;
	size_t i, j;

	for (i = 0; i < rows->node_count; i++)
		for (j = 0; j < rows->nodes[i].variable_count; j++) {
			row = &rows->nodes[i].variables[j];
			if (row->why_not == reason)
				count += row->sum.measure.count;
		}
	return count;
}

static void put_json_example(const struct memphis_profile *profile, struct memphis_json *json,
			     const struct memphis_example *example)
{
	const struct memphis_instruction *instruction = &profile->instructions[example->code];
	const struct memphis_profile_frame *frame = first_frame(profile, instruction);

	memphis_json_open(json, NULL, '{');
	memphis_json_hex(json, "address", example->address);
	memphis_json_string(json, "segment",
			    memphis_profile_text(profile, profile->variables[example->variable].segment));
	memphis_json_string(json, "path", memphis_profile_text(profile, frame->path));
	memphis_json_number(json, "line", frame->line);
	memphis_json_string(json, "function", memphis_profile_text(profile, frame->function));
	memphis_json_string(json, "object", object_path(profile, instruction));
	memphis_json_hex(json, "pc", example->pc);
	memphis_json_number(json, "pid", example->pid);
	memphis_json_number(json, "tid", example->tid);
	memphis_json_number(json, "since_ns", example->since_ns);
	memphis_json_close(json, '}');
}

static void put_json_reason(struct memphis_json *json, const struct memphis_reason_text *reason,
			    uint64_t count)
{
	memphis_json_string(json, "reason", reason->name);
	memphis_json_number(json, "count", count);
	memphis_json_string(json, "help", reason->help);
	memphis_json_string(json, "advice", reason->advice);
}

void memphis_explain_json(const struct memphis_report *report, struct memphis_json *json)
{
	const struct memphis_examples *examples = &report->profile->examples;
	uint64_t count;
	unsigned int i, j;

	memphis_json_open(json, "explained", '[');
	for (i = MEMPHIS_ATTRIBUTED + 1; i < MEMPHIS_UNATTRIBUTED_REASONS; i++) {
		if (!report->rows->unattributed[i])
			continue;
		memphis_json_open(json, NULL, '{');
		put_json_reason(json, &memphis_unattributed_texts[i], report->rows->unattributed[i]);
		memphis_json_open(json, "examples", '[');
		for (j = 0; j < examples->count[i]; j++)
			put_json_example(report->profile, json, &examples->list[i][j]);
		memphis_json_close(json, ']');
		memphis_json_close(json, '}');
	}
	memphis_json_close(json, ']');
	memphis_json_open(json, "explained_names", '[');
	for (i = MEMPHIS_NAMING_FOUND + 1; i < MEMPHIS_NAMING_REASONS; i++) {
		count = memphis_explain_names(report, i);
		if (!count)
			continue;
		memphis_json_open(json, NULL, '{');
		put_json_reason(json, &memphis_naming_texts[i], count);
		memphis_json_close(json, '}');
	}
	memphis_json_close(json, ']');
}
