// SPDX-License-Identifier: BSD-3-Clause
/*
 * Functions that all languages share: they store the place and name of the block, and record how a function
 * hands the block to its caller.
 */
#include "name/site_walk.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "dwarf/demangle.h"
#include "name/call_order.h"

/* Number of lines after the allocation that are read if the last line of the function is unknown. */
#define LINES_AFTER 60

const char *memphis_site_function(const struct memphis_frame *at)
{
	return at->function ? at->function : "?";
}

struct memphis_handover *memphis_site_hand_over(struct memphis_site_walk *walk,
						const struct memphis_frame *at,
						enum memphis_handover_kind kind)
{
	const char *name = memphis_frame_name(at);

	memset(&walk->from, 0, sizeof(walk->from));
	walk->is_allocator = false;
	walk->from.kind = kind;
	snprintf(walk->from.callee, sizeof(walk->from.callee), "%s", memphis_site_function(at));
	snprintf(walk->function, sizeof(walk->function), "%s", name ? name : "?");
	return &walk->from;
}

void memphis_site_keep_place(struct memphis_site_walk *walk, const struct memphis_frame *at)
{
	struct memphis_alloc_site *site = walk->site;
	const char *name = memphis_frame_name(at);
	struct memphis_text function = {0};

	memphis_put_function(&function, name ? name : "?");
	snprintf(site->function, sizeof(site->function), "%s", function.failed ? "?" : function.text);
	memphis_text_close(&function);
	snprintf(site->path, sizeof(site->path), "%s", at->path);
	site->line = at->line;
	if (!*site->inner_path) {
		snprintf(site->inner_path, sizeof(site->inner_path), "%s", at->path);
		site->inner_line = at->line;
	}
}

void memphis_site_take_name(struct memphis_site_walk *walk, const struct memphis_site_frame *frame,
			    const char *name)
{
	snprintf(walk->site->name, sizeof(walk->site->name), "%s", name + (*name == '*'));
	walk->site->why_not = MEMPHIS_NAMING_FOUND;
	walk->site->binary = frame->binary;
	walk->site->vaddr = frame->return_vaddr - 1;
}

void memphis_site_take_list(struct memphis_site_walk *walk, const struct memphis_site_frame *frame,
			    const char *list)
{
	memphis_site_take_name(walk, frame, list);
	walk->site->why_not = MEMPHIS_NAMING_SEVERAL;
}

int memphis_site_find_object(const struct memphis_site_walk *walk, const struct memphis_site_frame *frame,
			     unsigned int first, unsigned int last, size_t objects)
{
	const struct memphis_ordered_call call = {.join = walk->join,
						  .process = walk->process,
						  .binary = frame->binary,
						  .return_vaddr = frame->return_vaddr,
						  .bias = frame->bias,
						  .function_low = frame->location->function_low,
						  .function_high = frame->location->function_high,
						  .path = frame->at->path};

	return memphis_call_order_find(&call, first, last, objects);
}

static void keep_highest_line(void *context, uint64_t from, uint64_t to, unsigned int line)
{
	unsigned int *last = context;

	(void)from;
	(void)to;
	if (line > *last)
		*last = line;
}

void memphis_split_name(const char *name, char *root, size_t size, const char **path)
{
	const char *start = name + (*name == '*');
	size_t bytes = 0;

	while (isalnum((unsigned char)start[bytes]) || start[bytes] == '_')
		bytes++;
	snprintf(root, size, "%.*s", (int)bytes, start);
	*path = start[bytes] || *name != '*' ? start + bytes : "*";
}

bool memphis_site_read_body(const struct memphis_site_walk *walk, const struct memphis_site_frame *frame,
			    const struct memphis_source_file *file, unsigned int first, const char **from,
			    size_t *all)
{
	unsigned int last = frame->at->line + LINES_AFTER, known = 0;
	const char *to;
	size_t bytes;

	if (frame->outermost) {
		/* Use the function's highest line number with code as an estimate of its last line. */
		memphis_symbols_visit_lines(&walk->join->processes->binaries, frame->binary,
					    frame->location->function_low, frame->location->function_high,
					    frame->at->path, keep_highest_line, &known);
		if (known >= frame->at->line)
			last = known;
	}
	if (last > file->line_count)
		last = (unsigned int)file->line_count;
	*from = memphis_source_line(file, first, &bytes);
	to = memphis_source_line(file, last, &bytes);
	*all = *from && to ? (size_t)(to - *from) + bytes : 0;
	return *all;
}

struct memphis_parameter memphis_site_find_parameter(const struct memphis_site_walk *walk,
						     const struct memphis_site_frame *frame, const char *root)
{
	struct memphis_parameter parameter;

	if (memphis_parameter_find(&walk->join->processes->binaries, frame->binary, frame->return_vaddr - 1,
				   frame->level, root, &parameter))
		parameter.kind = MEMPHIS_PARAMETER_NONE;
	return parameter;
}

struct memphis_handover *memphis_site_hand_over_argument(struct memphis_site_walk *walk,
							 const struct memphis_site_frame *frame,
							 const char *keyword, unsigned int position)
{
	struct memphis_handover *from = memphis_site_hand_over(walk, frame->at, MEMPHIS_HANDS_ARGUMENT);

	from->position = position;
	snprintf(from->keyword, sizeof(from->keyword), "%s", keyword);
	return from;
}

bool memphis_site_hand_over_object(struct memphis_site_walk *walk, const struct memphis_site_frame *frame,
				   const char *name)
{
	struct memphis_parameter parameter;
	struct memphis_handover *from;
	const char *path;
	char root[sizeof(from->keyword)];

	if (memphis_is_outlined(memphis_site_function(frame->at)))
		return false;
	memphis_split_name(name, root, sizeof(root), &path);
	parameter = memphis_site_find_parameter(walk, frame, root);
	if (parameter.kind == MEMPHIS_PARAMETER_NONE ||
	    (parameter.kind == MEMPHIS_PARAMETER_VALUE && *path != '*' && strncmp(path, "->", 2) != 0 &&
	     *path != '['))
		return false;
	if (parameter.kind == MEMPHIS_PARAMETER_MEMBER) {
		from = memphis_site_hand_over(walk, frame->at, MEMPHIS_HANDS_OBJECT);
		from->constructor = memphis_is_constructor(memphis_frame_name(frame->at),
							   memphis_site_function(frame->at));
		snprintf(from->path, sizeof(from->path), ".%.*s", (int)sizeof(from->path) - 2,
			 name + (*name == '*'));
		return true;
	}
	from = memphis_site_hand_over_argument(walk, frame, root, parameter.position);
	from->by_reference = parameter.kind == MEMPHIS_PARAMETER_OBJECT;
	snprintf(from->path, sizeof(from->path), "%s", path);
	return true;
}

bool memphis_path_is_whole(const char *path)
{
	return !*path || *path == '*' || *path == '#';
}

/* Returns true if the path denotes a member of a member, such as "->atoms->r". */
static bool is_nested(const char *path)
{
	path += strspn(path, "*.->%");
	return strpbrk(path, ".>%");
}

bool memphis_site_gives_place(struct memphis_site_walk *walk)
{
	const struct memphis_handover *from = &walk->from;

	if (!walk->levels || from->constructor || memphis_path_is_whole(from->path) || *from->path == '[')
		return !walk->has_place;
	walk->has_place |= from->kind == MEMPHIS_HANDS_RESULT ? is_nested(from->path)
							      : from->kind != MEMPHIS_HANDS_UNKNOWN;
	return !walk->has_place && from->kind == MEMPHIS_HANDS_RESULT;
}

void memphis_site_drop_name(struct memphis_site_walk *walk, const struct memphis_site_frame *frame)
{
	if (!walk->levels || walk->from.kind == MEMPHIS_HANDS_OBJECT ||
	    !memphis_path_is_whole(walk->from.path))
		return;
	*walk->site->name = '\0';
	walk->site->why_not = MEMPHIS_NAMING_LINE;
	memphis_site_keep_place(walk, frame->at);
}
