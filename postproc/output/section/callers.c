// SPDX-License-Identifier: BSD-3-Clause
/* Callers of samples in libraries, as text and as JSON; memphis-json(5) lists the keys. */
#include "output/section/parts.h"

#include <inttypes.h>

#include "dwarf/demangle.h"

void memphis_put_via(struct memphis_text *text, const struct memphis_leaf_row *row)
{
	if (!row->instruction.via)
		return;
	memphis_text_put(text, " via ");
	memphis_put_called(text, row->instruction.via);
}

void memphis_put_callers(const struct memphis_report *report, struct memphis_text *text)
{
	const uint64_t *callers = report->rows->callers;
	uint64_t all = 0;
	unsigned int i;

	for (i = 0; i <= MEMPHIS_NO_CALLERS_CHECK; i++)
		all += callers[i];
	if (!all)
		return;
	memphis_text_print(text, "callers: %" PRIu64 " of %" PRIu64 " samples in libraries (", callers[0],
			   all);
	memphis_put_share(text, callers[0], all);
	memphis_text_put(text, ") have a line of the program that called them\n");
	for (i = 1; i <= MEMPHIS_NO_CALLERS_CHECK; i++) {
		if (!callers[i])
			continue;
		memphis_text_print(text, "    %s %" PRIu64 " (", memphis_no_callers_texts[i].name,
				   callers[i]);
		memphis_put_share(text, callers[i], all);
		memphis_text_print(text, "): %s; to do: %s\n", memphis_no_callers_texts[i].help,
				   memphis_no_callers_texts[i].advice);
	}
}

void memphis_put_call_node(struct memphis_text *text, const struct memphis_profile *profile, uint32_t object,
			   const struct memphis_profile_frame *frame)
{
	const char *path = memphis_profile_text(profile, frame->path),
		   *function = memphis_profile_text(profile, frame->function);

	if (!path && object != MEMPHIS_NONE)
		path = memphis_profile_text(profile, profile->objects[object].path);
	memphis_text_put_plain(text, path ? memphis_basename(path) : "?");
	if (frame->line)
		memphis_text_print(text, ":%" PRIu32, frame->line);
	if (!function)
		return;
	memphis_text_put(text, " (");
	memphis_put_function(text, function);
	memphis_text_put(text, ")");
}

/* Writes the frames of a call, or of an instruction in inlined library code. Begins with the inlined frame number `from`. */
static void put_call(struct memphis_json *json, const struct memphis_profile *profile, uint32_t number,
		     uint32_t from, bool program)
{
	const struct memphis_instruction *call = &profile->instructions[number];
	const struct memphis_profile_frame *frame;
	const char *object = call->object == MEMPHIS_NONE
				     ? NULL
				     : memphis_profile_text(profile, profile->objects[call->object].path);
	uint32_t i;

	for (i = from; i < call->frame_count; i++) {
		frame = &profile->frames[call->frame + i];
		memphis_json_open(json, NULL, '{');
		memphis_json_string(json, "function", memphis_profile_text(profile, frame->function));
		memphis_json_string(json, "path", memphis_profile_text(profile, frame->path));
		memphis_json_number(json, "line", frame->line);
		memphis_json_string(json, "object", object);
		memphis_json_hex(json, "pc", call->pc);
		memphis_json_bool(json, "inlined", i + 1 < call->frame_count);
		memphis_json_bool(json, "program", program);
		memphis_json_close(json, '}');
	}
}

/* Writes the calls of a chain, the innermost first. */
static void put_chain(struct memphis_json *json, const struct memphis_profile *profile,
		      const struct memphis_row_chain *row)
{
	const struct memphis_chain *chain = row->chain == MEMPHIS_NONE ? NULL : &profile->chains[row->chain];
	uint32_t i;

	memphis_json_open(json, "frames", '[');
	if (row->instruction != MEMPHIS_NONE)
		put_call(json, profile, row->instruction, 1, !chain);
	for (i = 0; chain && i < chain->call_count; i++)
		put_call(json, profile, profile->calls[chain->call + i], 0, i == chain->program);
	memphis_json_close(json, ']');
}

/* Writes the key "callers" of a row. Writes nothing if the files contain no callers. */
void memphis_callers_json(struct memphis_json *json, const struct memphis_profile *profile,
			  const struct memphis_leaf_row *row)
{
	size_t i;

	if (!profile->chain_count && !row->chain_count)
		return;
	if (!row->chain_count) {
		memphis_json_null(json, "callers");
		return;
	}
	memphis_json_open(json, "callers", '{');
	memphis_json_string(json, "via", row->instruction.via);
	memphis_json_open(json, "chains", '[');
	for (i = 0; i < row->chain_count; i++) {
		memphis_json_open(json, NULL, '{');
		memphis_json_number(json, "count", row->chains[i].count);
		put_chain(json, profile, &row->chains[i]);
		memphis_json_close(json, '}');
	}
	memphis_json_close(json, ']');
	memphis_json_close(json, '}');
}

void memphis_callers_accounting_json(struct memphis_json *json, const struct memphis_report *report)
{
	unsigned int i;

	if (!report->profile->chain_count)
		return;
	memphis_json_open(json, "callers", '{');
	for (i = 0; i <= MEMPHIS_NO_CALLERS_CHECK; i++)
		memphis_json_number(json, memphis_no_callers_texts[i].name, report->rows->callers[i]);
	memphis_json_close(json, '}');
}
