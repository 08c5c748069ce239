// SPDX-License-Identifier: BSD-3-Clause
/*
 * Finds the source line that names a block, by walking from the innermost to the outermost frame of the
 * allocation's call stack. If the function of the line hands the block to its caller - it returns it, stores it through an argument, or in the
 * object whose member function it is - the walk continues with the line of the call, where the block has the caller's name: of `self%a` in `init(self)`,
 * `call init(ocean)` makes `ocean%a`. Skips frames in system headers, in libraries that
 * allocate on behalf of their callers, and in code without line information or source.
 */
#include "name/allocsite.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "dwarf/demangle.h"
#include "dwarf/loader.h"
#include "dwarf/parameters.h"
#include "dwarf/pointer_variables.h"
#include "dwarf/source_digests.h"
#include "dwarf/symbols.h"
#include "name/calls.h"
#include "name/python_site.h"
#include "name/system_libraries.h"
#include "name/value_flow.h"
#include "source/assigned.h"

#define OBJECTS_MAX  64   /* maximum number of objects in an ALLOCATE statement */
#define LEVELS_MAX   16   /* maximum number of functions through which a block is handed */
#define LINES_AFTER  60   /* lines of a function after the allocation, if its last line is unknown */
#define HEADER_LINES 2000 /* lines before the allocation in which a Fortran function begins */

struct walk {
	struct memphis_join *join;
	struct memphis_sources *sources;
	struct memphis_alloc_site *site;
	struct memphis_handover from; /* how the frame visited last handed over the block */
	char function[256];           /* full name of that frame's function */
	unsigned int levels;          /* number of frames with source that handed it over */
	bool is_recursive;            /* the function called itself */
	bool is_only_call;            /* the name of the function at the call is unknown */
	bool is_allocator;            /* the call is that of the allocator, which a macro may hide */
	size_t process;
	bool has_code;     /* a frame of the program without a line was visited */
	bool is_lost;      /* a function without source kept the block */
	bool settled;      /* the name is final: do not look at further frames */
	bool is_map;       /* the memory was mapped, not allocated */
	bool in_pool;      /* of a part of a pool, no frame was visited yet */
	bool passed_place; /* the place is one to pass over: of a pool's own code, or in a file that is missing */
};

/* A function in the call stack, possibly inlined. */
struct frame {
	struct memphis_binary *binary;
	const struct memphis_location *location;
	const struct memphis_frame *at;
	size_t level; /* number of functions that are inlined into this one */
	uint64_t return_vaddr;
	uint64_t bias;
	bool outermost; /* not inlined: this function contains the call instruction */
};

/* Functions of libraries that store the block's address through an argument. */
static const struct {
	const char *function;
	unsigned int position;
} storing_functions[] = {
	{"MPI_Win_allocate", 4}, {"MPI_Win_allocate_shared", 4},
	{"MPI_Alloc_mem", 2},    {"asprintf", 0},
	{"vasprintf", 0},        {"getline", 0},
	{"getdelim", 0},
};

static const char *unqualified(const struct memphis_frame *at)
{
	return at->function ? at->function : "?";
}

/* Begins to hand over the block of the frame's function to its caller. */
static struct memphis_handover *hand_over(struct walk *walk, const struct memphis_frame *at,
					  enum memphis_handover_kind kind)
{
	const char *name = memphis_frame_name(at);

	memset(&walk->from, 0, sizeof(walk->from));
	walk->is_allocator = false;
	walk->from.kind = kind;
	snprintf(walk->from.callee, sizeof(walk->from.callee), "%s", unqualified(at));
	snprintf(walk->function, sizeof(walk->function), "%s", name ? name : "?");
	return &walk->from;
}

/*
 * Continues with the caller of a function in such a library. Names from MPI's profiling interface lose their
 * P, as the caller's source does not have it.
 */
static void pass_library(struct walk *walk, const struct memphis_frame *at)
{
	struct memphis_handover *from = hand_over(walk, at, MEMPHIS_HANDS_RESULT);
	const char *function = unqualified(at);

	snprintf(from->callee, sizeof(from->callee), "%s", function + !strncmp(function, "PMPI_", 5));
}

/* Notes through which argument the library's function that the line calls stores the block's address. */
static void find_stored(struct walk *walk)
{
	struct memphis_handover *from = &walk->from;
	size_t i;

	/* getline() of C++ has other arguments. */
	if (walk->levels || strstr(walk->function, "::"))
		return;
	for (i = 0; i < sizeof(storing_functions) / sizeof(*storing_functions); i++) {
		if (strcmp(from->callee, storing_functions[i].function) != 0)
			continue;
		from->kind = MEMPHIS_HANDS_ARGUMENT;
		from->position = storing_functions[i].position;
		snprintf(from->path, sizeof(from->path), "*");
	}
}

static void keep_place(struct walk *walk, const struct memphis_frame *at)
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

/* Takes the name, which is looked up in the scope of the frame; "*p" is called p. */
static void take_name(struct walk *walk, const struct frame *frame, const char *name)
{
	snprintf(walk->site->name, sizeof(walk->site->name), "%s", name + (*name == '*'));
	walk->site->why_not = MEMPHIS_NAMING_FOUND;
	walk->site->binary = frame->binary;
	walk->site->vaddr = frame->return_vaddr - 1;
}

/* Takes the names of all objects that the line allocates, because it is unclear which of them the call allocates. */
static void take_list(struct walk *walk, const struct frame *frame, const char *list)
{
	take_name(walk, frame, list);
	walk->site->why_not = MEMPHIS_NAMING_SEVERAL;
}

/* Returns true if a recorded call stack has this call as its innermost frame. */
static bool was_seen(const struct walk *walk, uint64_t return_pc)
{
	const struct memphis_strings *stacks = &walk->join->list[walk->process].process->stacks;
	uint64_t pc;
	size_t i;

	for (i = 1; i < stacks->count; i++) {
		if (memphis_strings_bytes(stacks, (uint32_t)i) < 8)
			continue;
		memcpy(&pc, memphis_strings_get(stacks, (uint32_t)i), 8);
		if (pc == return_pc)
			return true;
	}
	return false;
}

/* Removes the calls that no recorded allocation came from. */
static void keep_seen(const struct walk *walk, struct memphis_calls *calls, uint64_t bias)
{
	size_t i, kept = 0;

	for (i = 0; i < calls->count; i++)
		if (was_seen(walk, calls->returns[i] + bias))
			calls->returns[kept++] = calls->returns[i];
	calls->count = kept;
}

/* Returns the index of the call that returns to `vaddr`, or -1. */
static int index_of(const struct memphis_calls *calls, uint64_t vaddr)
{
	size_t i;

	for (i = 0; i < calls->count; i++)
		if (calls->returns[i] == vaddr)
			return (int)i;
	return -1;
}

/*
 * Returns the index of the object that the frame's call allocates, or -1 if it is ambiguous. ALLOCATE(a, b,
 * c) calls the allocator once per object, in this order. If the optimizer has duplicated the calls for
 * special cases, only calls from which an allocation was recorded count, and there must be one for each
 * object.
 */
static int object_of_call(const struct walk *walk, const struct frame *frame, unsigned int first,
			  unsigned int last, size_t objects)
{
	struct memphis_calls calls;

	if (!memphis_calls_find_like(&walk->join->processes->binaries, frame->binary, frame->return_vaddr,
				     frame->location->function_low, frame->location->function_high,
				     frame->at->path, first, last, &calls))
		return -1;
	if (calls.count != objects)
		keep_seen(walk, &calls, frame->bias);
	return calls.count == objects ? index_of(&calls, frame->return_vaddr) : -1;
}

/* Chooses the name of the frame's call from the list "x|y" of all calls on the lines; keeps the list if that is ambiguous. */
static void choose_name(const struct walk *walk, const struct frame *frame, unsigned int first,
			unsigned int last, struct memphis_assigned *assigned)
{
	size_t count = 1, bytes;
	const char *name;
	int index;

	for (name = assigned->name; *name; name++)
		count += *name == '|';
	index = object_of_call(walk, frame, first, last, count);
	if (index < 0 || strstr(assigned->name, "..."))
		return;
	for (name = assigned->name; index; name++)
		index -= *name == '|';
	bytes = strcspn(name, "|");
	memmove(assigned->name, name, bytes);
	assigned->name[bytes] = '\0';
	assigned->several = false;
}

static void raise_line(void *context, uint64_t from, uint64_t to, unsigned int line)
{
	unsigned int *last = context;

	(void)from;
	(void)to;
	if (line > *last)
		*last = line;
}

/* Returns the first part of the name, "self" of "self%a" and "p" of "*p"; *path becomes what follows. */
static void split_name(const char *name, char *root, size_t room, const char **path)
{
	const char *start = name + (*name == '*');
	size_t bytes = 0;

	while (isalnum((unsigned char)start[bytes]) || start[bytes] == '_')
		bytes++;
	snprintf(root, room, "%.*s", (int)bytes, start);
	*path = start[bytes] || *name != '*' ? start + bytes : "*";
}

/* Sets the text of the function from the allocating line on. Returns false if it is not known. */
static bool read_body(const struct walk *walk, const struct frame *frame,
		      const struct memphis_source_file *file, unsigned int first, const char **from,
		      size_t *all)
{
	unsigned int last = frame->at->line + LINES_AFTER, known = 0;
	const char *to;
	size_t bytes;

	if (frame->outermost) {
		/* The last line with code is an estimate of the function's last one. */
		memphis_symbols_visit_lines(&walk->join->processes->binaries, frame->binary,
					    frame->location->function_low, frame->location->function_high,
					    frame->at->path, raise_line, &known);
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

static struct memphis_parameter find_parameter(const struct walk *walk, const struct frame *frame,
					       const char *root)
{
	struct memphis_parameter parameter;

	if (memphis_parameter_find(&walk->join->processes->binaries, frame->binary, frame->return_vaddr - 1,
				   frame->level, root, &parameter))
		parameter.kind = MEMPHIS_PARAMETER_NONE;
	return parameter;
}

/*
 * Hands over the object with this name if the function gets it from its caller, or has it in the object whose member function it is. Returns false if it
 * is the function's own.
 */
static bool hand_over_object(struct walk *walk, const struct frame *frame, const char *name)
{
	struct memphis_parameter parameter;
	struct memphis_handover *from;
	const char *path;
	char root[sizeof(from->keyword)];

	split_name(name, root, sizeof(root), &path);
	parameter = find_parameter(walk, frame, root);
	if (parameter.kind == MEMPHIS_PARAMETER_NONE ||
	    (parameter.kind == MEMPHIS_PARAMETER_VALUE && *path != '*' && strncmp(path, "->", 2) != 0 &&
	     *path != '['))
		return false;
	if (parameter.kind == MEMPHIS_PARAMETER_MEMBER) {
		from = hand_over(walk, frame->at, MEMPHIS_HANDS_OBJECT);
		from->constructor =
			memphis_is_constructor(memphis_frame_name(frame->at), unqualified(frame->at));
		snprintf(from->path, sizeof(from->path), ".%.*s", (int)sizeof(from->path) - 2,
			 name + (*name == '*'));
		return true;
	}
	from = hand_over(walk, frame->at, MEMPHIS_HANDS_ARGUMENT);
	from->position = parameter.position;
	from->by_reference = parameter.kind == MEMPHIS_PARAMETER_OBJECT;
	snprintf(from->keyword, sizeof(from->keyword), "%s", root);
	snprintf(from->path, sizeof(from->path), "%s", path);
	return true;
}

struct copy_search {
	struct walk *walk;
	const struct frame *frame;
};

static bool accept_copy(void *context, const char *object)
{
	struct copy_search *search = context;

	if (!hand_over_object(search->walk, search->frame, object))
		return false;
	take_name(search->walk, search->frame, object);
	return true;
}

/* Hands over the block of C code that has this name. Returns false if the caller does not get it. */
static bool hand_over_c(struct walk *walk, const struct frame *frame, const struct memphis_source_file *file,
			unsigned int first, const char *name)
{
	struct copy_search search = {walk, frame};
	struct memphis_handover *from;
	const char *path, *body;
	char root[64];
	size_t bytes;
	bool inside;

	split_name(name, root, sizeof(root), &path);
	if (!read_body(walk, frame, file, first, &body, &bytes))
		return false;
	/* A pointer that walks along a list is not the argument any more. */
	if (*root &&
	    (find_parameter(walk, frame, root).kind != MEMPHIS_PARAMETER_VALUE ||
	     !memphis_assigned_changes(body, bytes, root)) &&
	    hand_over_object(walk, frame, name))
		return true;
	if (memphis_assigned_returns(body, bytes, root, &inside)) {
		from = hand_over(walk, frame->at, MEMPHIS_HANDS_RESULT);
		walk->site->inside |= inside;
		snprintf(from->path, sizeof(from->path), "%s", path);
		return true;
	}
	return !*path && memphis_assigned_copy(body, bytes, name, accept_copy, &search);
}

/* Returns true if the variable that has the name is a number: the result of a call that got the block is something else. */
static bool is_number(const struct walk *walk, const struct frame *frame, const char *name)
{
	return memphis_number_has_name(&walk->join->processes->binaries, frame->binary,
				       frame->return_vaddr - 1, name);
}

/* Returns true if the path leads to the whole of what is handed over, not to a member of it. */
static bool is_whole(const char *path)
{
	return !*path || *path == '*' || *path == '#';
}

/*
 * Returns true if the report is to give the frame's line as the place of the allocation. It is the line where the block gets its name; but if a function
 * other than a constructor allocates a member of its caller's object, it is the line in that function.
 */
static bool gives_place(const struct walk *walk)
{
	const struct memphis_handover *from = &walk->from;

	return !walk->levels || from->kind == MEMPHIS_HANDS_RESULT || from->constructor ||
	       is_whole(from->path) || *from->path == '[';
}

/* The caller gives the block that it gets no name: its line tells such blocks apart. */
static void drop_name(struct walk *walk, const struct frame *frame)
{
	if (!walk->levels || walk->from.kind == MEMPHIS_HANDS_OBJECT || !is_whole(walk->from.path))
		return;
	*walk->site->name = '\0';
	walk->site->why_not = MEMPHIS_NAMING_LINE;
	keep_place(walk, frame->at);
}

static void take_assigned(struct walk *walk, const struct frame *frame,
			  const struct memphis_source_file *file, unsigned int first,
			  struct memphis_assigned *assigned)
{
	const char *name = assigned->name;
	struct memphis_handover *from;
	const bool is_place = gives_place(walk);

	/* Another constructor of the class may have been called for the same object. */
	if (walk->is_recursive && !is_whole(walk->from.path) &&
	    !(assigned->kind == MEMPHIS_ASSIGNED_OBJECT && !strcmp(name, walk->from.path)))
		return;
	switch (assigned->kind) {
	case MEMPHIS_ASSIGNED_NOTHING:
		drop_name(walk, frame);
		return;
	case MEMPHIS_ASSIGNED_RETURN:
		from = hand_over(walk, frame->at, MEMPHIS_HANDS_RESULT);
		snprintf(from->path, sizeof(from->path), "%.*s", (int)sizeof(from->path) - 1, name);
		break;
	case MEMPHIS_ASSIGNED_OBJECT:
		/* The initializer of a base class, or of another constructor, names the object itself. */
		name += strspn(name, ".->");
		if (*name && hand_over_object(walk, frame, name)) {
			take_name(walk, frame, name);
			if (is_place)
				keep_place(walk, frame->at);
		} else {
			const bool constructor =
				memphis_is_constructor(memphis_frame_name(frame->at), unqualified(frame->at));

			from = hand_over(walk, frame->at, MEMPHIS_HANDS_OBJECT);
			from->constructor = constructor;
		}
		break;
	case MEMPHIS_ASSIGNED_NAME:
		if (is_place)
			keep_place(walk, frame->at);
		if (assigned->several) {
			take_list(walk, frame, name);
			return;
		}
		take_name(walk, frame, name);
		if (!hand_over_c(walk, frame, file, first, name))
			return;
		break;
	}
	walk->levels++;
	walk->settled = walk->levels == LEVELS_MAX;
}

/* Chooses the only member of the class whose constructor was called from the list ".a.data|.b.data"; none if there are several. */
static void choose_member(const struct walk *walk, const struct frame *frame,
			  struct memphis_assigned *assigned)
{
	char list[sizeof(assigned->name)], *rest = NULL, *item, root[64];
	const char *path;
	size_t found = 0;

	memcpy(list, assigned->name, sizeof(list));
	assigned->several = false;
	for (item = strtok_r(list, "|", &rest); item; item = strtok_r(NULL, "|", &rest)) {
		split_name(item + 1, root, sizeof(root), &path);
		if (!memphis_member_is_of_class(&walk->join->processes->binaries, frame->binary,
						frame->return_vaddr - 1, frame->level, root,
						walk->from.callee))
			continue;
		found++;
		snprintf(assigned->name, sizeof(assigned->name), "%s", item);
	}
	if (found != 1)
		memset(assigned, 0, sizeof(*assigned));
}

/* Analyses the statement. Tries other names of the function that hands over the block: a macro or a function pointer may hide it. */
static void analyse_c(struct walk *walk, const char *text, struct memphis_assigned *assigned)
{
	memphis_assigned_c(text, &walk->from, assigned);
	if (assigned->kind == MEMPHIS_ASSIGNED_NOTHING && walk->is_allocator) {
		*walk->from.callee = '\0';
		memphis_assigned_c(text, &walk->from, assigned);
	}
	if (assigned->kind == MEMPHIS_ASSIGNED_NOTHING && walk->is_only_call) {
		snprintf(walk->from.callee, sizeof(walk->from.callee), "operator()");
		memphis_assigned_c(text, &walk->from, assigned);
	}
}

static void name_from_c(struct walk *walk, const struct frame *frame, const struct memphis_source_file *file)
{
	struct memphis_assigned assigned;
	unsigned int first, last;
	char *text =
		memphis_statement_c(file, frame->at->line, frame->at->column, &first, &last, &walk->from.at);

	walk->settled = true;
	if (!*walk->site->name)
		walk->site->why_not = MEMPHIS_NAMING_LINE;
	if (!text)
		return;
	analyse_c(walk, text, &assigned);
	free(text);
	/* The order of the calls is not as certain as what the machine code does with the block. */
	walk->site->unsure |= assigned.several;
	if (assigned.several && assigned.kind == MEMPHIS_ASSIGNED_OBJECT)
		choose_member(walk, frame, &assigned);
	else if (assigned.several)
		choose_name(walk, frame, first, last, &assigned);
	if (assigned.kind == MEMPHIS_ASSIGNED_NAME && assigned.passed_on && !assigned.several &&
	    is_number(walk, frame, assigned.name))
		memset(&assigned, 0, sizeof(assigned));
	take_assigned(walk, frame, file, first, &assigned);
}

static void name_from_rust(struct walk *walk, const struct frame *frame,
			   const struct memphis_source_file *file)
{
	struct memphis_assigned assigned;
	struct memphis_handover *from;

	walk->settled = true;
	if (!*walk->site->name)
		walk->site->why_not = MEMPHIS_NAMING_LINE;
	memphis_assigned_rust(file, frame->at->line, frame->at->column, &walk->from, &assigned);
	if (assigned.kind == MEMPHIS_ASSIGNED_NOTHING)
		drop_name(walk, frame);
	if (assigned.kind == MEMPHIS_ASSIGNED_NAME) {
		keep_place(walk, frame->at);
		take_name(walk, frame, assigned.name);
	}
	if (assigned.kind == MEMPHIS_ASSIGNED_RETURN) {
		from = hand_over(walk, frame->at, MEMPHIS_HANDS_RESULT);
		snprintf(from->path, sizeof(from->path), "%.*s", (int)sizeof(from->path) - 1, assigned.name);
		walk->settled = ++walk->levels == LEVELS_MAX;
	}
}

/* Returns true if the variable is the result of the Fortran function around the line. */
static bool is_result(const struct frame *frame, const struct memphis_source_file *file, const char *name)
{
	unsigned int line, first, last;
	const char *start;
	size_t bytes;
	bool found, begins;
	char *text;

	for (line = frame->at->line; line && frame->at->line - line < HEADER_LINES; line--) {
		start = memphis_source_line(file, line, &bytes);
		if (!start || !memphis_has_word(start, bytes, "function"))
			continue;
		text = memphis_statement_fortran(file, line, &first, &last);
		found = text && memphis_is_fortran_result(text, unqualified(frame->at), name, &begins);
		free(text);
		if (found || begins)
			return found;
	}
	return false;
}

/* Hands over the block of a Fortran procedure that has this name. Returns false if the caller does not get it. */
static bool hand_over_fortran(struct walk *walk, const struct frame *frame,
			      const struct memphis_source_file *file, const char *name)
{
	struct memphis_handover *from;
	const char *path;
	char root[64];

	split_name(name, root, sizeof(root), &path);
	/* flang passes results as arguments. */
	if (!is_result(frame, file, root))
		return hand_over_object(walk, frame, name);
	from = hand_over(walk, frame->at, MEMPHIS_HANDS_RESULT);
	snprintf(from->path, sizeof(from->path), "%s", path);
	return true;
}

/*
 * Finds the object that gets the memory of the variable in a later line of the procedure; malloc'ed, or NULL. A pointer of the procedure's own that also points to it
 * does not count.
 */
static char *find_fortran_copy(struct walk *walk, const struct frame *frame,
			       const struct memphis_source_file *file, const char *name)
{
	const char *from, *start;
	unsigned int line = frame->at->line, first, last;
	char *text, *copy = NULL;
	size_t all, bytes;
	bool moves;

	if (!read_body(walk, frame, file, line, &from, &all))
		return NULL;
	while (!copy && (start = memphis_source_line(file, ++line, &bytes)) && start < from + all) {
		moves = memphis_has_word(start, bytes, "move_alloc") ||
			memphis_has_word(start, bytes, "c_f_pointer");
		if (!moves && !memmem(start, bytes, "=>", 2))
			continue;
		text = memphis_statement_fortran(file, line, &first, &last);
		copy = text ? memphis_assigned_fortran_copy(text, name) : NULL;
		free(text);
		if (copy && !moves && !hand_over_fortran(walk, frame, file, copy)) {
			free(copy);
			copy = NULL;
		}
	}
	return copy;
}

/* Finds the object that the frame's line allocates; a list of all, if it is ambiguous. Returns NULL if there is none. The result is malloc'ed. */
static char *find_allocated(struct walk *walk, const struct frame *frame, const char *text,
			    unsigned int first, unsigned int last, bool *is_list)
{
	char *names[OBJECTS_MAX] = {NULL}, *found = NULL, list[sizeof(walk->site->name)] = "";
	bool is_allocate;
	size_t count, i;
	int index = 0;

	count = memphis_assigned_fortran(text, &is_allocate, names, OBJECTS_MAX);
	if (count > 1)
		index = object_of_call(walk, frame, first, last, count);
	walk->site->unsure = count > 1;
	for (i = 0; i < count; i++) {
		memphis_assigned_join(list, sizeof(list), names[i]);
		if ((int)i == index)
			found = names[i];
		else
			free(names[i]);
	}
	*is_list = count && index < 0;
	return *is_list ? strdup(list) : found;
}

static void name_from_fortran(struct walk *walk, const struct frame *frame,
			      const struct memphis_source_file *file)
{
	const bool is_place = gives_place(walk);
	char *text, *name = NULL, *copy;
	unsigned int first, last;
	bool is_list = false;

	walk->settled = true;
	if (!*walk->site->name)
		walk->site->why_not = MEMPHIS_NAMING_LINE;
	text = memphis_statement_fortran(file, frame->at->line, &first, &last);
	if (!text)
		return;
	if (walk->levels || walk->from.kind == MEMPHIS_HANDS_ARGUMENT)
		memphis_assigned_fortran_call(text, &walk->from, &name);
	else
		name = find_allocated(walk, frame, text, first, last, &is_list);
	free(text);
	if (!name) {
		drop_name(walk, frame);
		return;
	}
	if (is_place)
		keep_place(walk, frame->at);
	if (is_list) {
		take_list(walk, frame, name);
	} else {
		copy = find_fortran_copy(walk, frame, file, name);
		if (copy) {
			free(name);
			name = copy;
		}
		take_name(walk, frame, name);
		if (hand_over_fortran(walk, frame, file, name))
			walk->settled = ++walk->levels == LEVELS_MAX;
	}
	free(name);
}

/*
 * Continues with the caller if the line returns or ignores the result of memphis_pool_alloc(): its function is then a part of the pool's own
 * code. The place of the line counts only if no caller has one.
 */
static void pass_pool(struct walk *walk, const struct frame *frame)
{
	if (walk->in_pool && (!walk->settled || !*walk->site->name)) {
		if (walk->settled)
			hand_over(walk, frame->at, MEMPHIS_HANDS_RESULT);
		walk->settled = false;
		walk->passed_place = true;
		*walk->site->name = '\0';
	}
	walk->in_pool = false;
}

static bool ignore_step(void *context, const struct memphis_flow_step *step)
{
	(void)context;
	(void)step;
	return false;
}

static void ignore_store(void *context, uint64_t vaddr, uint64_t slot)
{
	(void)context;
	(void)vaddr;
	(void)slot;
}

/* Continues with the caller of code whose source is not here, or not that of the build: only the next line whose file is here can give a name. */
static void pass_missing(struct walk *walk, const struct frame *frame, enum memphis_no_name why_not)
{
	static const struct memphis_flow_visitor visitor = {NULL, ignore_step, ignore_store};
	const bool constructor =
		memphis_is_constructor(memphis_frame_name(frame->at), unqualified(frame->at));

	if (!*walk->site->name)
		walk->site->why_not = why_not;
	hand_over(walk, frame->at, constructor ? MEMPHIS_HANDS_OBJECT : MEMPHIS_HANDS_UNKNOWN)->constructor =
		constructor;
	/* A block that a function does not return, and no constructor allocates, can be anything to its caller. */
	walk->is_lost |=
		frame->outermost && !constructor &&
		memphis_value_flow(&walk->join->processes->binaries, frame->binary, frame->return_vaddr,
				   frame->location->function_low, frame->location->function_high,
				   &visitor) != MEMPHIS_FLOW_RETURNED;
}

/* Returns true if the source is not the one that was compiled: by its contents, if the compiler has noted them, else by its time. */
static bool is_changed(const struct walk *walk, const struct frame *frame,
		       const struct memphis_source_file *file)
{
	const uint8_t *known =
		memphis_source_digest_find(&walk->join->processes->binaries, frame->binary, frame->at->path);
	uint8_t digest[MEMPHIS_MD5_BYTES];

	if (!known)
		return file->changed_ns > frame->binary->changed_ns;
	memphis_md5(file->text, file->bytes, digest);
	return memcmp(digest, known, sizeof(digest)) != 0;
}

/* Names the block by the frame's line, which is in a file of the program. */
static void visit_line(struct walk *walk, const struct frame *frame)
{
	const struct memphis_source_file *file = memphis_source_file(walk->sources, frame->at->path);
	const char *name = memphis_frame_name(frame->at), *dot = strrchr(frame->at->path, '.');
	bool fixed;

	if (!walk->site->line || (file && walk->passed_place)) {
		*walk->site->inner_path = '\0';
		keep_place(walk, frame->at);
		walk->passed_place = !file;
	}
	/* A source that was changed after the build has other lines. */
	if (file && is_changed(walk, frame, file)) {
		pass_missing(walk, frame, MEMPHIS_NAMING_CHANGED);
		return;
	}
	if (!file) {
		pass_missing(walk, frame, MEMPHIS_NAMING_SOURCE);
		return;
	}
	if (walk->is_lost) {
		walk->settled = true;
		return;
	}
	find_stored(walk);
	walk->is_recursive = walk->levels && name && !strcmp(walk->function, name);
	/* A function that calls itself hands over objects that one name can't tell apart, unless it returns the block. */
	if (walk->is_recursive && walk->from.kind == MEMPHIS_HANDS_ARGUMENT) {
		walk->settled = true;
		return;
	}
	if (memphis_is_fortran_path(frame->at->path, &fixed))
		name_from_fortran(walk, frame, file);
	else if (dot && !strcmp(dot, ".rs"))
		name_from_rust(walk, frame, file);
	else
		name_from_c(walk, frame, file);
	pass_pool(walk, frame);
}

/*
 * Visits a frame without line information. Keeps its return address as text, "function+0x1f" or "program+0x1234", which names the block if no frame further
 * out has a line. The first frame of the program is kept; if the program has none, the first one of a library.
 */
static void visit_code(struct walk *walk, const struct frame *frame)
{
	const struct memphis_process *process = walk->join->list[walk->process].process;
	const char *executable = memphis_setting(&process->settings, "executable");
	const bool is_program = executable && !strcmp(frame->binary->path, executable);
	const char *name = memphis_frame_name(frame->at), *file = memphis_basename(frame->binary->path);
	struct memphis_alloc_site *site = walk->site;
	struct memphis_text function = {0};

	if (memphis_is_system_library(file) || (name && memphis_is_library_function(name)) ||
	    walk->has_code || (*site->code && !is_program))
		return;
	walk->has_code = is_program;
	if (name) {
		memphis_put_function(&function, name);
		snprintf(site->code, sizeof(site->code), "%s+0x%llx", function.failed ? "?" : function.text,
			 (unsigned long long)(frame->return_vaddr - frame->location->function_low));
		memphis_text_close(&function);
	} else {
		snprintf(site->code, sizeof(site->code), "%s+0x%llx", file,
			 (unsigned long long)frame->return_vaddr);
	}
	if (is_program && walk->levels && *site->name && is_whole(walk->from.path)) {
		*site->name = '\0';
		site->line = 0;
		site->why_not = MEMPHIS_NAMING_NO_LINE;
	}
}

/* Continues with the caller of a function of the language's library, or without line information. */
static void pass_system(struct walk *walk, const struct memphis_frame *at)
{
	const bool points = at->function && !strncmp(at->function, "make_", 5);
	char path[sizeof(walk->from.path)] = "";

	/* Functions of the library build objects in the place of their callers; the result of make_unique() points to the object. */
	if (walk->from.kind != MEMPHIS_HANDS_ARGUMENT)
		snprintf(path, sizeof(path), "%s%.*s", points && *walk->from.path == '.' ? "->" : "",
			 (int)sizeof(path) - 3, walk->from.path + (points && *walk->from.path == '.'));
	hand_over(walk, at, MEMPHIS_HANDS_UNKNOWN);
	memcpy(walk->from.path, path, sizeof(path));
}

/*
 * Returns true for a frame beyond which no line names the block: one of Python, whose callers are lines of Python; or of an allocator that has
 * mapped the memory, which holds blocks of many callers.
 */
static bool ends_search(struct walk *walk, const struct frame *frame)
{
	const char *name = memphis_basename(frame->binary->path);

	if (walk->is_map && memphis_is_allocator(name, memphis_frame_name(frame->at))) {
		*walk->site->name = '\0';
		walk->site->line = 0;
		walk->site->why_not = MEMPHIS_NAMING_ALLOCATOR;
		return true;
	}
	if (!memphis_is_python(name))
		return false;
	if (!*walk->site->name && !walk->site->line)
		walk->site->why_not = MEMPHIS_NAMING_PYTHON;
	return true;
}

static void visit_frame(struct walk *walk, const struct frame *frame)
{
	const char *path = frame->at->path, *name = memphis_basename(frame->binary->path);

	if (memphis_is_allocating_library(name)) {
		pass_library(walk, frame->at);
	} else if (ends_search(walk, frame)) {
		walk->settled = true;
	} else if (path && frame->at->line && !memphis_is_system_source(path) &&
		   !memphis_is_system_library(name)) {
		visit_line(walk, frame);
	} else {
		if (!path && frame->outermost)
			visit_code(walk, frame);
		pass_system(walk, frame->at);
	}
}

/* Visits the functions whose code is before the return address: those that are inlined first. Returns 0 or -ENOMEM. */
static int visit_functions(struct walk *walk, struct memphis_binary *binary, uint64_t return_vaddr,
			   uint64_t bias)
{
	struct memphis_location location;
	struct frame frame = {
		.binary = binary, .location = &location, .return_vaddr = return_vaddr, .bias = bias};

	if (memphis_symbols_find(&walk->join->processes->binaries, binary, return_vaddr - 1, &location))
		return -ENOMEM;
	for (; frame.level < location.count && !walk->settled; frame.level++) {
		frame.at = &location.frames[frame.level];
		frame.outermost = frame.level + 1 == location.count;
		visit_frame(walk, &frame);
	}
	return 0;
}

/*
 * Continues with the function that the call instruction names in the place of the one that handed over the block, which was called by a jump at the end of
 * the former, and left it without a frame. `vaddr` is the function's address in the binary, or 0.
 */
static int take_callee(struct walk *walk, struct memphis_binary *binary, const char *name, uint64_t vaddr)
{
	struct memphis_handover *from = &walk->from;
	uint64_t behind;

	if (*from->callee && memphis_is_same_function(name, from->callee))
		return 0;
	behind = vaddr && walk->levels ? memphis_tail_call_find(&walk->join->processes->binaries, binary,
								vaddr, from->callee)
				       : 0;
	if (behind)
		return visit_functions(walk, binary, behind, 0);
	walk->is_allocator = !*from->callee;
	if (!walk->levels || from->kind == MEMPHIS_HANDS_RESULT) {
		snprintf(from->callee, sizeof(from->callee), "%s", name);
		return 0;
	}
	/* Which of that function's arguments or objects it is, is unknown. */
	if (is_whole(from->path)) {
		*walk->site->name = '\0';
		walk->site->why_not = MEMPHIS_NAMING_LINE;
		walk->is_lost = walk->passed_place = true;
	} else {
		walk->settled = true;
	}
	return 0;
}

/* Finds the name of the function that the call instruction before the return address names. Returns 0 or -ENOMEM. */
static int find_callee(struct walk *walk, struct memphis_binary *binary, uint64_t return_vaddr)
{
	struct memphis_binaries *binaries = &walk->join->processes->binaries;
	struct memphis_location target;
	uint8_t code[MEMPHIS_CALL_BYTES];
	char *import, name[sizeof(walk->from.callee)] = "";
	uint64_t vaddr = 0;
	int32_t distance;
	bool direct;
	int rc = 0;

	walk->is_only_call = false;
	if (memphis_binary_read(binary, return_vaddr - sizeof(code), code, sizeof(code)) != sizeof(code) ||
	    !memphis_call_before(code, sizeof(code), false, &direct))
		return 0;
	import = memphis_import_find_by_call(binary, return_vaddr - (direct ? 5 : 6));
	if (import) {
		memphis_copy_last_name(import, name, sizeof(name));
	} else if (direct) {
		memcpy(&distance, code + sizeof(code) - 4, sizeof(distance));
		vaddr = return_vaddr + (uint64_t)(int64_t)distance;
		if (!memphis_symbols_find(binaries, binary, vaddr, &target) && target.function_low == vaddr &&
		    target.frames[target.count - 1].function)
			memphis_copy_last_name(target.frames[target.count - 1].function, name, sizeof(name));
	}
	walk->is_only_call = !import && !direct;
	free(import);
	if (*name)
		rc = take_callee(walk, binary, name, vaddr);
	return rc;
}

int memphis_alloc_site_find(struct memphis_join *join, struct memphis_sources *sources, size_t process,
			    uint32_t stack, enum memphis_block_table table, struct memphis_alloc_site *site)
{
	const struct memphis_process *owner = join->list[process].process;
	size_t depth = memphis_strings_bytes(&owner->stacks, stack) / 8, i;
	struct walk walk = {.join = join,
			    .sources = sources,
			    .site = site,
			    .process = process,
			    .in_pool = table >= MEMPHIS_BLOCKS_PART,
			    .is_map = table == MEMPHIS_BLOCKS_MAP};
	uint64_t pc, vaddr, from_ns, to_ns, time_ns;
	static const struct memphis_frame unknown;
	struct memphis_binary *binary;
	uint32_t code;
	int rc = 0;

	memset(site, 0, sizeof(*site));
	site->why_not = depth ? MEMPHIS_NAMING_NO_LINE : MEMPHIS_NAMING_NO_STACK;
	time_ns = stack < owner->stack_time_count ? owner->stack_times_ns[stack] : 0;
	for (i = 0; i < depth && !walk.settled && !rc; i++) {
		memcpy(&pc, memphis_strings_get(&owner->stacks, stack) + i * 8, 8);
		if (MEMPHIS_PC_KIND(pc) == MEMPHIS_PC_PYTHON)
			break;
		code = memphis_maps_code(&owner->maps, pc - 1, time_ns, &vaddr, &from_ns, &to_ns);
		binary = code == MEMPHIS_NO_BINARY ? NULL : join->processes->binaries.list[code];
		if (!binary || !binary->elf) {
			hand_over(&walk, &unknown, MEMPHIS_HANDS_UNKNOWN);
			if (binary && binary->state != MEMPHIS_BINARY_JIT)
				visit_code(&walk, &(struct frame){.binary = binary,
								  .at = &unknown,
								  .return_vaddr = vaddr + 1});
			continue;
		}
		rc = find_callee(&walk, binary, vaddr + 1);
		if (!rc)
			rc = visit_functions(&walk, binary, vaddr + 1, pc - (vaddr + 1));
	}
	/* Lines of Python are further out than all functions of C between them and the allocator. */
	if (!rc && !site->line && site->why_not != MEMPHIS_NAMING_ALLOCATOR)
		memphis_python_site_find(join, sources, process, stack, walk.is_map, site);
	return rc;
}
