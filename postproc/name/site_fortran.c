// SPDX-License-Identifier: BSD-3-Clause
/*
 * Finds the object that a Fortran statement allocates, and its role in the procedure: dummy argument, result,
 * or local variable.
 */
#include "name/site_fortran.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "dwarf/call_arguments.h"

#define OBJECTS_MAX 64 /* maximum number of objects in an ALLOCATE statement */
/* Number of lines before the allocation in which the start of the procedure is searched. */
#define HEADER_LINES 2000

/* Finds the role of the variable in the Fortran procedure that contains the line. */
static enum memphis_fortran_role find_role(const struct memphis_site_frame *frame,
					   const struct memphis_source_file *file, const char *name,
					   unsigned int *position)
{
	enum memphis_fortran_role role = MEMPHIS_FORTRAN_OUTSIDE;
	unsigned int line, first, last;
	const char *start;
	size_t bytes;
	char *text;

	for (line = frame->at->line;
	     role == MEMPHIS_FORTRAN_OUTSIDE && line && frame->at->line - line < HEADER_LINES; line--) {
		start = memphis_source_line(file, line, &bytes);
		if (!start || (!memphis_has_word(start, bytes, "function") &&
			       !memphis_has_word(start, bytes, "subroutine")))
			continue;
		text = memphis_statement_fortran(file, line, &first, &last);
		if (text)
			role = memphis_fortran_role_find(text, memphis_site_function(frame->at), name,
							 position);
		free(text);
	}
	return role;
}

/* Records that a Fortran procedure hands the block with this name to its caller. Returns false if it does not. */
static bool hand_over_fortran(struct memphis_site_walk *walk, const struct memphis_site_frame *frame,
			      const struct memphis_source_file *file, const char *name)
{
	struct memphis_handover *from;
	enum memphis_fortran_role role;
	unsigned int position;
	const char *path;
	char root[64];

	memphis_split_name(name, root, sizeof(root), &path);
	role = find_role(frame, file, root, &position);
	/*
	 * flang passes results as arguments. For functions that flang inlines, the debug information lacks
	 * the arguments, so the source text is used for them.
	 */
	if (role != MEMPHIS_FORTRAN_RESULT && memphis_site_hand_over_object(walk, frame, name))
		return true;
	if (role < MEMPHIS_FORTRAN_RESULT)
		return false;
	if (role == MEMPHIS_FORTRAN_RESULT)
		from = memphis_site_hand_over(walk, frame->at, MEMPHIS_HANDS_RESULT);
	else
		from = memphis_site_hand_over_argument(walk, frame, root, position);
	from->by_reference = role == MEMPHIS_FORTRAN_DUMMY;
	snprintf(from->path, sizeof(from->path), "%s", path);
	return true;
}

/*
 * Finds the object that gets the memory of the variable in a later line of the procedure. Returns a malloc'ed
 * name, or NULL. Local pointers of the procedure do not count.
 */
static char *find_fortran_copy(struct memphis_site_walk *walk, const struct memphis_site_frame *frame,
			       const struct memphis_source_file *file, const char *name)
{
	const char *from, *start;
	unsigned int line = frame->at->line, first, last;
	char *text, *copy = NULL;
	size_t all, bytes;
	bool moves;

	if (!memphis_site_read_body(walk, frame, file, line, &from, &all))
		return NULL;
	while (!copy && (start = memphis_source_line(file, ++line, &bytes)) && start < from + all) {
		moves = memphis_has_word(start, bytes, "move_alloc") ||
			memphis_has_word(start, bytes, "c_f_pointer");
		if (!moves && !memmem(start, bytes, "=>", 2))
			continue;
		text = memphis_statement_fortran(file, line, &first, &last);
		copy = text ? memphis_assigned_find_fortran_copy(text, name) : NULL;
		free(text);
		if (copy && !moves && !hand_over_fortran(walk, frame, file, copy)) {
			free(copy);
			copy = NULL;
		}
	}
	return copy;
}

/*
 * Finds the object that the frame's line allocates. Returns a malloc'ed name, or a list of all objects if it
 * is unclear which one the call allocates. Returns NULL if there is none.
 */
static char *find_allocated_object(struct memphis_site_walk *walk, const struct memphis_site_frame *frame,
				   const char *text, unsigned int first, unsigned int last, bool *is_list)
{
	char *names[OBJECTS_MAX] = {NULL}, *found = NULL, list[sizeof(walk->site->name)] = "";
	bool is_allocate;
	size_t count, i;
	int index = 0;

	count = memphis_assigned_find_fortran(text, &is_allocate, names, OBJECTS_MAX);
	if (count > 1)
		index = memphis_site_find_object(walk, frame, first, last, count);
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

/*
 * Returns true if both names have the same variable and components. Ignores array subscripts, which occur
 * only in names from the source text.
 */
static bool is_same_object(const char *name, const char *other)
{
	while (*name && *other) {
		if (*name == '(' && *other != '(')
			name += strcspn(name, ")") + (strchr(name, ')') != NULL);
		else if (tolower((unsigned char)*name++) != tolower((unsigned char)*other++))
			return false;
	}
	if (*name == '(')
		name += strcspn(name, ")") + (strchr(name, ')') != NULL);
	return !*name && !*other;
}

static bool has_same_root(const char *name, const char *variable)
{
	char root[64];
	const char *path;

	memphis_split_name(name, root, sizeof(root), &path);
	return !strcasecmp(root, variable);
}

/*
 * Finds the actual argument of the call that hands over the block. The source text contains the argument with
 * its components. If deallocations precede the call, the line may belong to another call. So the argument in
 * the text is compared with the argument that the machine code passes, if that can be found. If they differ,
 * the latter is used and *by_code becomes true. If its component is not known, the result is NULL.
 */
static char *find_actual_argument(const struct memphis_site_walk *walk,
				  const struct memphis_site_frame *frame, const char *text, bool *by_code)
{
	char *name, *passed, *actual;
	bool is_known;

	memphis_assigned_find_fortran_call(text, &walk->from, &name);
	if (walk->from.kind != MEMPHIS_HANDS_ARGUMENT || frame->level ||
	    !memphis_passed_variable_find(&walk->join->processes->binaries, frame->binary,
					  frame->return_vaddr, walk->from.position, walk->from.path, &passed,
					  &is_known))
		return name;
	if (asprintf(&actual, "%s%s", passed, *walk->from.path == '*' ? "" : walk->from.path) < 0)
		actual = NULL;
	if (name && actual && (is_known ? is_same_object(name, actual) : has_same_root(name, passed))) {
		free(actual);
		actual = name;
		name = NULL;
	} else if (is_known) {
		*by_code = true;
	} else {
		free(actual);
		actual = NULL;
	}
	free(name);
	free(passed);
	return actual;
}

void memphis_site_name_fortran(struct memphis_site_walk *walk, const struct memphis_site_frame *frame,
			       const struct memphis_source_file *file)
{
	const bool is_place = memphis_site_gives_place(walk);
	char *text, *name = NULL, *copy;
	bool is_list = false, by_code = false;
	unsigned int first, last;

	walk->settled = true;
	if (!*walk->site->name)
		walk->site->why_not = MEMPHIS_NAMING_LINE;
	text = memphis_statement_fortran(file, frame->at->line, &first, &last);
	if (!text)
		return;
	if (walk->levels || walk->from.kind == MEMPHIS_HANDS_ARGUMENT)
		name = find_actual_argument(walk, frame, text, &by_code);
	else
		name = find_allocated_object(walk, frame, text, first, last, &is_list);
	free(text);
	if (!name) {
		memphis_site_drop_name(walk, frame);
		return;
	}
	if (is_place && !by_code)
		memphis_site_keep_place(walk, frame->at);
	if (is_list) {
		memphis_site_take_list(walk, frame, name);
	} else {
		copy = find_fortran_copy(walk, frame, file, name);
		if (copy) {
			free(name);
			name = copy;
		}
		memphis_site_take_name(walk, frame, name);
		if (hand_over_fortran(walk, frame, file, name))
			walk->settled = ++walk->levels == MEMPHIS_SITE_LEVELS_MAX;
	}
	free(name);
}
