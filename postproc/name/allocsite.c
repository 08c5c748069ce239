// SPDX-License-Identifier: BSD-3-Clause
/*
 * Finds the source line that names a block. Walks from the innermost to the outermost frame of the
 * allocation's call stack. The walk continues with the line of the call as long as each function hands the
 * block to its caller. A function does this if it returns the block, stores it through an argument, or stores
 * it in the object whose member function it is. The block then gets the caller's name: `self%a` in
 * `init(self)` becomes `ocean%a` in `call init(ocean)`. The walk skips frames in system headers, in libraries
 * that allocate on behalf of their callers, and in code without line information or source.
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
#include "name/site_fortran.h"
#include "name/site_macro.h"
#include "name/site_walk.h"
#include "name/system_libraries.h"
#include "name/value_flow.h"
#include "source/assigned.h"

/* Library functions that store the address of the block through an argument, and the position of this argument. */
static const struct {
	const char *function;
	unsigned int position;
} storing_functions[] = {
	{"MPI_Win_allocate", 4}, {"MPI_Win_allocate_shared", 4},
	{"MPI_Alloc_mem", 2},    {"asprintf", 0},
	{"vasprintf", 0},        {"getline", 0},
	{"getdelim", 0},
};

/*
 * Continues with the caller of a library that allocates on behalf of its callers. The source calls
 * MPI_Alloc_mem() even if the frame is in PMPI_Alloc_mem(), so the P of MPI's profiling interface is removed.
 */
static void continue_behind_library(struct memphis_site_walk *walk, const struct memphis_frame *at)
{
	struct memphis_handover *from = memphis_site_hand_over(walk, at, MEMPHIS_HANDS_RESULT);
	const char *function = memphis_site_function(at);

	snprintf(from->callee, sizeof(from->callee), "%s", function + !strncmp(function, "PMPI_", 5));
}

/* Checks whether the called library function stores the block's address through an argument, and if so, through which. */
static void find_output_argument(struct memphis_site_walk *walk)
{
	struct memphis_handover *from = &walk->from;
	size_t i;

	/* C++ has a getline() with other arguments. */
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

/*
 * Replaces the list "x|y", which has a name for each call on the lines, by the name for the frame's call.
 * Keeps the list if it is unclear which call it is.
 */
static void choose_name_of_call(const struct memphis_site_walk *walk, const struct memphis_site_frame *frame,
				unsigned int first, unsigned int last, struct memphis_assigned *assigned)
{
	size_t count = 1, bytes;
	const char *name;
	int index;

	for (name = assigned->name; *name; name++)
		count += *name == '|';
	index = memphis_site_find_object(walk, frame, first, last, count);
	if (index < 0 || strstr(assigned->name, "..."))
		return;
	for (name = assigned->name; index; name++)
		index -= *name == '|';
	bytes = strcspn(name, "|");
	memmove(assigned->name, name, bytes);
	assigned->name[bytes] = '\0';
	assigned->several = false;
}

struct copy_search {
	struct memphis_site_walk *walk;
	const struct memphis_site_frame *frame;
};

static bool accept_copy(void *context, const char *object)
{
	struct copy_search *search = context;

	if (!memphis_site_hand_over_object(search->walk, search->frame, object))
		return false;
	memphis_site_take_name(search->walk, search->frame, object);
	return true;
}

/* Records that a C or C++ function hands the block with this name to its caller. Returns false if it does not. */
static bool hand_over_c(struct memphis_site_walk *walk, const struct memphis_site_frame *frame,
			const struct memphis_source_file *file, unsigned int first, const char *name)
{
	struct copy_search search = {walk, frame};
	struct memphis_handover *from;
	const char *path, *body;
	char root[64];
	size_t bytes;
	bool inside;

	memphis_split_name(name, root, sizeof(root), &path);
	if (!memphis_site_read_body(walk, frame, file, first, &body, &bytes))
		return false;
	/* If the function changes a pointer, as to walk along a list, it does not point to the argument's object any more. */
	if (*root &&
	    (memphis_site_find_parameter(walk, frame, root).kind != MEMPHIS_PARAMETER_VALUE ||
	     !memphis_assigned_changes(body, bytes, root)) &&
	    memphis_site_hand_over_object(walk, frame, name))
		return true;
	if (memphis_assigned_returns(body, bytes, root, &inside)) {
		from = memphis_site_hand_over(walk, frame->at, MEMPHIS_HANDS_RESULT);
		walk->site->inside |= inside;
		snprintf(from->path, sizeof(from->path), "%s", path);
		return true;
	}
	if (*path == '.' && memphis_assigned_swaps(body, bytes, root)) {
		from = memphis_site_hand_over(walk, frame->at, MEMPHIS_HANDS_OBJECT);
		snprintf(from->path, sizeof(from->path), "%s", path);
		memphis_site_take_name(walk, frame, from->path + 1);
		return true;
	}
	return !*path && memphis_assigned_find_copy(body, bytes, name, accept_copy, &search);
}

/*
 * Returns true if the variable is a number. Then the variable holds the result of a function that got the
 * block as an argument, not the block.
 */
static bool is_numeric_variable(const struct memphis_site_walk *walk, const struct memphis_site_frame *frame,
				const char *name)
{
	return memphis_number_has_name(&walk->join->processes->binaries, frame->binary,
				       frame->return_vaddr - 1, name);
}

static void use_assigned_name(struct memphis_site_walk *walk, const struct memphis_site_frame *frame,
			      const struct memphis_source_file *file, unsigned int first,
			      struct memphis_assigned *assigned)
{
	const char *name = assigned->name;
	struct memphis_handover *from;
	const bool is_place = memphis_site_gives_place(walk);

	/*
	 * If the call is recursive, and the block is only a part of what was handed over, stop. Exception:
	 * another constructor of the class was called for the same object.
	 */
	if (walk->is_recursive && !memphis_path_is_whole(walk->from.path) &&
	    !(assigned->kind == MEMPHIS_ASSIGNED_OBJECT && !strcmp(name, walk->from.path)))
		return;
	switch (assigned->kind) {
	case MEMPHIS_ASSIGNED_NOTHING:
		memphis_site_drop_name(walk, frame);
		return;
	case MEMPHIS_ASSIGNED_RETURN:
		from = memphis_site_hand_over(walk, frame->at, MEMPHIS_HANDS_RESULT);
		snprintf(from->path, sizeof(from->path), "%.*s", (int)sizeof(from->path) - 1, name);
		break;
	case MEMPHIS_ASSIGNED_OBJECT:
		/* An empty name is the object itself: the call initializes a base class, or delegates to another constructor. */
		name += strspn(name, ".->");
		if (*name && memphis_site_hand_over_object(walk, frame, name)) {
			memphis_site_take_name(walk, frame, name);
			if (is_place)
				memphis_site_keep_place(walk, frame->at);
		} else {
			const bool constructor = memphis_is_constructor(memphis_frame_name(frame->at),
									memphis_site_function(frame->at));

			from = memphis_site_hand_over(walk, frame->at, MEMPHIS_HANDS_OBJECT);
			from->constructor = constructor;
		}
		break;
	case MEMPHIS_ASSIGNED_NAME:
		if (is_place)
			memphis_site_keep_place(walk, frame->at);
		if (assigned->several) {
			memphis_site_take_list(walk, frame, name);
			return;
		}
		memphis_site_take_name(walk, frame, name);
		if (!hand_over_c(walk, frame, file, first, name))
			return;
		break;
	}
	walk->levels++;
	walk->settled = walk->levels == MEMPHIS_SITE_LEVELS_MAX;
}

/*
 * Chooses from the list ".a.data|.b.data" the member whose class has the constructor that was called. Clears
 * the result if not exactly one member is of that class.
 */
static void choose_class_member(const struct memphis_site_walk *walk, const struct memphis_site_frame *frame,
				struct memphis_assigned *assigned)
{
	char list[sizeof(assigned->name)], *rest = NULL, *item, root[64];
	const char *path;
	size_t found = 0;

	memcpy(list, assigned->name, sizeof(list));
	assigned->several = false;
	for (item = strtok_r(list, "|", &rest); item; item = strtok_r(NULL, "|", &rest)) {
		memphis_split_name(item + 1, root, sizeof(root), &path);
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

/*
 * Analyses the statement. If it does not contain the function that handed over the block, tries other names:
 * a macro may hide the allocator, and an indirect call has no function name.
 */
static void analyse_c_statement(struct memphis_site_walk *walk, const char *text,
				struct memphis_assigned *assigned)
{
	memphis_assigned_find_c(text, &walk->from, assigned);
	if (assigned->kind == MEMPHIS_ASSIGNED_NOTHING && walk->is_allocator) {
		*walk->from.callee = '\0';
		memphis_assigned_find_c(text, &walk->from, assigned);
	}
	if (assigned->kind == MEMPHIS_ASSIGNED_NOTHING && walk->is_only_call) {
		snprintf(walk->from.callee, sizeof(walk->from.callee), "operator()");
		memphis_assigned_find_c(text, &walk->from, assigned);
	}
}

static void name_from_c(struct memphis_site_walk *walk, const struct memphis_site_frame *frame,
			const struct memphis_source_file *file)
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
	analyse_c_statement(walk, text, &assigned);
	if (assigned.kind == MEMPHIS_ASSIGNED_NOTHING) {
		memphis_site_find_assigned_in_macro(walk, frame, text, &assigned);
		/* Looking up the macro has read headers, so the pointer to the file may be invalid. */
		file = memphis_source_file(walk->sources, frame->at->path);
	}
	free(text);
	if (!file)
		return;
	/* The order of the calls is less reliable than the data flow in the machine code. */
	walk->site->unsure |= assigned.several;
	if (assigned.several && assigned.kind == MEMPHIS_ASSIGNED_OBJECT)
		choose_class_member(walk, frame, &assigned);
	else if (assigned.several)
		choose_name_of_call(walk, frame, first, last, &assigned);
	if (assigned.kind == MEMPHIS_ASSIGNED_NAME && assigned.passed_on && !assigned.several &&
	    is_numeric_variable(walk, frame, assigned.name))
		memset(&assigned, 0, sizeof(assigned));
	use_assigned_name(walk, frame, file, first, &assigned);
}

static void name_from_rust(struct memphis_site_walk *walk, const struct memphis_site_frame *frame,
			   const struct memphis_source_file *file)
{
	struct memphis_assigned assigned;
	struct memphis_handover *from;

	walk->settled = true;
	if (!*walk->site->name)
		walk->site->why_not = MEMPHIS_NAMING_LINE;
	memphis_assigned_find_rust(file, frame->at->line, frame->at->column, &walk->from, &assigned);
	if (assigned.kind == MEMPHIS_ASSIGNED_NOTHING)
		memphis_site_drop_name(walk, frame);
	if (assigned.kind == MEMPHIS_ASSIGNED_NAME) {
		memphis_site_keep_place(walk, frame->at);
		memphis_site_take_name(walk, frame, assigned.name);
	}
	if (assigned.kind == MEMPHIS_ASSIGNED_RETURN) {
		from = memphis_site_hand_over(walk, frame->at, MEMPHIS_HANDS_RESULT);
		snprintf(from->path, sizeof(from->path), "%.*s", (int)sizeof(from->path) - 1, assigned.name);
		walk->settled = ++walk->levels == MEMPHIS_SITE_LEVELS_MAX;
	}
}

/*
 * Continues with the caller if the line returns or ignores the result of memphis_pool_alloc(). The function
 * of that line is then part of the pool's own code. Its line remains the place of the block only if no caller
 * has a line.
 */
static void continue_behind_pool(struct memphis_site_walk *walk, const struct memphis_site_frame *frame)
{
	if (walk->in_pool && (!walk->settled || !*walk->site->name)) {
		if (walk->settled)
			memphis_site_hand_over(walk, frame->at, MEMPHIS_HANDS_RESULT);
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

/*
 * Continues with the caller if the source of the frame is missing or has changed since the build. A name can
 * then come only from the next frame whose file is available.
 */
static void continue_without_source(struct memphis_site_walk *walk, const struct memphis_site_frame *frame,
				    enum memphis_no_name why_not)
{
	static const struct memphis_flow_visitor visitor = {NULL, ignore_step, ignore_store};
	const bool constructor =
		memphis_is_constructor(memphis_frame_name(frame->at), memphis_site_function(frame->at));

	if (!*walk->site->name)
		walk->site->why_not = why_not;
	memphis_site_hand_over(walk, frame->at, constructor ? MEMPHIS_HANDS_OBJECT : MEMPHIS_HANDS_UNKNOWN)
		->constructor = constructor;
	/* If the function is no constructor and does not return the block, its callers' lines cannot tell who owns the block. */
	walk->is_lost |=
		frame->outermost && !constructor &&
		memphis_value_flow(&walk->join->processes->binaries, frame->binary, frame->return_vaddr,
				   frame->location->function_low, frame->location->function_high,
				   &visitor) != MEMPHIS_FLOW_RETURNED;
}

/*
 * Returns true if the source differs from the compiled one. Compares the digest in the debug information. If
 * there is none, compares the modification times of the source and the binary.
 */
static bool is_source_changed(const struct memphis_site_walk *walk, const struct memphis_site_frame *frame,
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

/* Returns true if the frame's line is the first one of the function at this level. */
static bool is_first_line(const struct memphis_site_walk *walk, const struct memphis_site_frame *frame,
			  size_t level)
{
	return memphis_function_begins_at(&walk->join->processes->binaries, frame->binary,
					  frame->return_vaddr - 1, level, frame->at->path, frame->at->line);
}

/* Returns true if the call creates a thread's copy of a static variable. The line then only uses the variable. */
static bool is_thread_copy(const struct memphis_site_walk *walk)
{
	static const char *const functions[] = {"__kmpc_threadprivate", "__kmpc_threadprivate_cached",
						"__emutls_get_address"};
	size_t i;

	for (i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		if (!walk->levels && !strcmp(walk->from.callee, functions[i]))
			return true;
	return false;
}

/* Returns true if the frame's statement calls the function that contains it. */
static bool calls_itself(const struct memphis_site_frame *frame, const struct memphis_source_file *file)
{
	unsigned int first, last;
	size_t at;
	bool fixed;
	char *text =
		memphis_is_fortran_path(frame->at->path, &fixed)
			? memphis_statement_fortran(file, frame->at->line, &first, &last)
			: memphis_statement_c(file, frame->at->line, frame->at->column, &first, &last, &at);
	const bool calls = !text || memphis_has_word(text, strlen(text), memphis_site_function(frame->at));

	free(text);
	return calls;
}

/*
 * Returns true if the function calls a part of itself that the compiler has split off. The line of such a
 * call is the first line of the function, or the line of a condition. It does not contain a call of the
 * function.
 */
static bool is_call_of_split_part(const struct memphis_site_walk *walk,
				  const struct memphis_site_frame *frame,
				  const struct memphis_source_file *file, const char *name)
{
	return walk->levels && name && !strcmp(walk->function, name) &&
	       (is_first_line(walk, frame, frame->level) || !calls_itself(frame, file));
}

/*
 * Returns true if the debug information gives the first line of an inlined function as the line of its call.
 * Then a split-off part of the function was inlined, and the line in the caller is unknown.
 */
static bool is_call_line_lost(const struct memphis_site_walk *walk, const struct memphis_site_frame *frame)
{
	return walk->levels && frame->level && is_first_line(walk, frame, frame->level - 1);
}

/* Names the block by the frame's line. The line is in a file of the program. */
static void visit_line(struct memphis_site_walk *walk, const struct memphis_site_frame *frame)
{
	const struct memphis_source_file *file = memphis_source_file(walk->sources, frame->at->path);
	const char *name = memphis_frame_name(frame->at), *dot = strrchr(frame->at->path, '.');
	bool fixed;

	if (!walk->site->line || (file && walk->passed_place)) {
		*walk->site->inner_path = '\0';
		memphis_site_keep_place(walk, frame->at);
		walk->passed_place = !file;
	}
	/* In a source file that was changed after the build, the line numbers do not match any more. */
	if (file && is_source_changed(walk, frame, file)) {
		continue_without_source(walk, frame, MEMPHIS_NAMING_CHANGED);
		return;
	}
	if (!file) {
		continue_without_source(walk, frame, MEMPHIS_NAMING_SOURCE);
		return;
	}
	walk->settled = walk->is_lost || is_thread_copy(walk);
	if (walk->settled) {
		if (!walk->is_lost)
			walk->site->why_not = MEMPHIS_NAMING_LINE;
		return;
	}
	if (is_call_of_split_part(walk, frame, file, name))
		return;
	if (is_call_line_lost(walk, frame)) {
		*walk->site->name = '\0';
		walk->site->why_not = MEMPHIS_NAMING_LINE;
		walk->settled = true;
		return;
	}
	find_output_argument(walk);
	walk->is_recursive = walk->levels && name && !strcmp(walk->function, name);
	/*
	 * Each level of a recursive function may store its block in another object. A single name cannot
	 * distinguish them, unless the function returns the block.
	 */
	if (walk->is_recursive && walk->from.kind == MEMPHIS_HANDS_ARGUMENT) {
		walk->settled = true;
		return;
	}
	if (memphis_is_fortran_path(frame->at->path, &fixed))
		memphis_site_name_fortran(walk, frame, file);
	else if (dot && !strcmp(dot, ".rs"))
		name_from_rust(walk, frame, file);
	else
		name_from_c(walk, frame, file);
	continue_behind_pool(walk, frame);
}

/*
 * Visits a frame without line information. Stores the return address as text, "function+0x1f" or
 * "program+0x1234", which names the block if no outer frame has a line. Prefers the innermost frame of the
 * program to frames of libraries.
 */
static void visit_code(struct memphis_site_walk *walk, const struct memphis_site_frame *frame)
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
	if (is_program && walk->levels && *site->name && memphis_path_is_whole(walk->from.path)) {
		*site->name = '\0';
		site->line = 0;
		site->why_not = MEMPHIS_NAMING_NO_LINE;
	}
}

/* Continues with the caller of a function that belongs to the language's library or has no line information. */
static void continue_behind_runtime(struct memphis_site_walk *walk, const struct memphis_frame *at)
{
	const bool points = at->function && !strncmp(at->function, "make_", 5);
	char path[sizeof(walk->from.path)] = "";

	/*
	 * Keep the path, because library functions construct objects for their callers. make_unique() and
	 * make_shared() return a pointer to the object, so "." becomes "->".
	 */
	if (walk->from.kind != MEMPHIS_HANDS_ARGUMENT)
		snprintf(path, sizeof(path), "%s%.*s", points && *walk->from.path == '.' ? "->" : "",
			 (int)sizeof(path) - 3, walk->from.path + (points && *walk->from.path == '.'));
	memphis_site_hand_over(walk, at, MEMPHIS_HANDS_UNKNOWN);
	memcpy(walk->from.path, path, sizeof(path));
}

/*
 * Returns true if no outer frame can name the block. For frames of the Python interpreter, the Python lines
 * name the block instead. A mapping made by an allocator contains blocks of many callers.
 */
static bool ends_search(struct memphis_site_walk *walk, const struct memphis_site_frame *frame)
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

static void visit_frame(struct memphis_site_walk *walk, const struct memphis_site_frame *frame)
{
	const char *path = frame->at->path, *name = memphis_basename(frame->binary->path);

	if (memphis_is_allocating_library(name)) {
		continue_behind_library(walk, frame->at);
	} else if (ends_search(walk, frame)) {
		walk->settled = true;
	} else if (path && frame->at->line && !memphis_is_system_source(path) &&
		   !memphis_is_system_library(name)) {
		visit_line(walk, frame);
	} else {
		if (!path && frame->outermost)
			visit_code(walk, frame);
		walk->has_passed |= path != NULL;
		continue_behind_runtime(walk, frame->at);
	}
}

/*
 * Visits the functions that contain the call, beginning with the innermost inlined function. Returns 0 or
 * -ENOMEM.
 */
static int visit_functions(struct memphis_site_walk *walk, struct memphis_binary *binary,
			   uint64_t return_vaddr, uint64_t bias)
{
	struct memphis_location location;
	struct memphis_site_frame frame = {
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
 * Compares the function that the call instruction names with the function that handed over the block. If they
 * differ, the named function has called the latter by a jump at its end (a tail call), and has no frame. The
 * walk then visits the named function, too. `vaddr` is its address in the binary, or 0 if it is unknown.
 */
static int continue_with_callee(struct memphis_site_walk *walk, struct memphis_binary *binary,
				const char *name, uint64_t vaddr)
{
	struct memphis_handover *from = &walk->from;
	uint64_t behind;

	if (*from->callee && memphis_is_same_function(name, from->callee))
		return 0;
	behind = vaddr && *from->callee ? memphis_tail_call_find(&walk->join->processes->binaries, binary,
								 vaddr, from->callee)
					: 0;
	if (behind)
		return visit_functions(walk, binary, behind, 0);
	walk->is_allocator = !*from->callee;
	/* There may be unknown functions of the language's library between two functions of the program. Accept the new name. */
	if (!walk->levels || from->kind == MEMPHIS_HANDS_RESULT || from->kind == MEMPHIS_HANDS_UNKNOWN) {
		snprintf(from->callee, sizeof(from->callee), "%s", name);
		return 0;
	}
	/* It is unknown through which argument or object of the named function the block was handed over. */
	if (memphis_path_is_whole(from->path)) {
		*walk->site->name = '\0';
		walk->site->why_not = MEMPHIS_NAMING_LINE;
		walk->is_lost = walk->passed_place = true;
	} else {
		walk->settled = true;
	}
	return 0;
}

/* Finds the function that the call instruction before the return address names, and continues with it. Returns 0 or -ENOMEM. */
static int find_called_function(struct memphis_site_walk *walk, struct memphis_binary *binary,
				uint64_t return_vaddr)
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
		rc = continue_with_callee(walk, binary, name, vaddr);
	return rc;
}

/*
 * Returns true if the stack may be incomplete, because its depth is the limit of the recording. In a thread
 * with many different stacks, later stacks have a lower limit.
 */
static bool is_depth_limit(const struct memphis_process *process, size_t depth)
{
	const uint64_t many = memphis_setting_number(&process->settings, "stacks_many", UINT64_MAX);

	return depth == memphis_setting_number(&process->settings, "stack_depth", 0) ||
	       (process->log->stacks.count >= many &&
		depth == memphis_setting_number(&process->settings, "stack_depth_many", 0));
}

/*
 * Handles a stack that may be cut off before the callers that hold the block. Removes the name, because it
 * may be that of a function's local variable, and states the reason. Frames without lines do not count,
 * because they give no information about their callers.
 */
static void note_cut_stack(const struct memphis_site_walk *walk, size_t depth)
{
	const struct memphis_process *process = walk->join->list[walk->process].process;
	struct memphis_alloc_site *site = walk->site;

	if (walk->settled || !is_depth_limit(process, depth) ||
	    !(site->line ? walk->levels : walk->has_passed))
		return;
	*site->name = '\0';
	site->why_not = MEMPHIS_NAMING_CUT;
}

int memphis_alloc_site_find(struct memphis_join *join, struct memphis_sources *sources, size_t process,
			    uint32_t stack, enum memphis_block_table table, struct memphis_alloc_site *site)
{
	const struct memphis_process *owner = join->list[process].process;
	size_t depth = memphis_strings_bytes(&owner->log->stacks, stack) / 8, i;
	struct memphis_site_walk walk = {.join = join,
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
	time_ns = stack < owner->log->stack_time_count ? owner->log->stack_times_ns[stack] : 0;
	for (i = 0; i < depth && !walk.settled && !rc; i++) {
		memcpy(&pc, memphis_strings_get(&owner->log->stacks, stack) + i * 8, 8);
		if (MEMPHIS_PC_KIND(pc) == MEMPHIS_PC_PYTHON)
			break;
		code = memphis_maps_code(&owner->log->maps, pc - 1, time_ns, &vaddr, &from_ns, &to_ns);
		binary = code == MEMPHIS_NO_BINARY ? NULL : join->processes->binaries.list[code];
		if (!binary || !binary->elf) {
			memphis_site_hand_over(&walk, &unknown, MEMPHIS_HANDS_UNKNOWN);
			if (binary && binary->state != MEMPHIS_BINARY_JIT)
				visit_code(&walk, &(struct memphis_site_frame){.binary = binary,
									       .at = &unknown,
									       .return_vaddr = vaddr + 1});
			continue;
		}
		rc = find_called_function(&walk, binary, vaddr + 1);
		if (!rc)
			rc = visit_functions(&walk, binary, vaddr + 1, pc - (vaddr + 1));
	}
	if (!rc)
		note_cut_stack(&walk, i);
	/* No C frame has a line. Use the Python lines, which are outside all C frames between Python and the allocator. */
	if (!rc && !site->line && site->why_not != MEMPHIS_NAMING_ALLOCATOR)
		memphis_python_site_find(join, sources, process, stack, walk.is_map, site);
	return rc;
}
