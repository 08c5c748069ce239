// SPDX-License-Identifier: BSD-3-Clause
/*
 * Finds the Python line that names a block. Walks from the innermost to the outermost Python line of the
 * allocation's call stack. If the function of a line returns the block, the walk continues with the line of
 * the call. Lines in libraries that allocate on behalf of their callers do not name blocks.
 */
#include "name/python_site.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "name/system_libraries.h"
#include "read/python_lines.h"
#include "source/assigned.h"

#define LEVELS_MAX 16 /* maximum number of functions that hand the block to their callers */

struct walk {
	struct memphis_join *join;
	struct memphis_sources *sources;
	const struct memphis_process *process;
	size_t number; /* index of the process */
	uint32_t stack;
	struct memphis_alloc_site *site;
	bool is_lost; /* a function does not return the block, or it is unknown whether it does */
	bool settled;
	unsigned int levels; /* number of functions that handed over the block */
	/* The line that is being visited. */
	const struct memphis_python_line *line;
	const struct memphis_source_file *file;
	struct memphis_python_expression expression;
};

static const char *string_of_number(const struct walk *walk, uint32_t number)
{
	return memphis_strings_get(&walk->process->log->names, number);
}

/* Sets *word to word number `at` of the stack. Returns false if the stack has fewer words. */
static bool read_word(const struct memphis_process *process, uint32_t stack, size_t at, uint64_t *word)
{
	if ((at + 1) * 8 > memphis_strings_bytes(&process->log->stacks, stack))
		return false;
	memcpy(word, memphis_strings_get(&process->log->stacks, stack) + at * 8, 8);
	return true;
}

/*
 * Returns true for files of Python's own library, and of packages that allocate arrays for their callers.
 * Other installed packages do not count, because the program itself may be one.
 */
static bool is_library_file(const char *path)
{
	static const char *const packages[] = {"numpy/", "scipy/", "pandas/", "xarray/",
					       "dask/",  "numba/", "h5py/",   "netCDF4/"};
	static const char *const parts[] = {"/numpy/core/",     "/numpy/_core/", "/numpy/lib/",
					    "/numpy/linalg/",   "/numpy/fft/",   "/numpy/ma/",
					    "/numpy/matrixlib/"};
	static const char installed[] = "-packages/";
	const char *package = strstr(path, installed);
	size_t i;

	/* Parts of numpy are recognized in any directory. */
	for (i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (strstr(path, parts[i]))
			return true;
	if (!package)
		return strstr(path, "/lib/python3") || strstr(path, "/lib64/python3");
	package += sizeof(installed) - 1;
	for (i = 0; i < sizeof(packages) / sizeof(*packages); i++)
		if (!strncmp(package, packages[i], strlen(packages[i])))
			return true;
	return false;
}

/* Returns true for code that numpy generates. It only calls a numpy function and returns the result. */
static bool is_numpy_wrapper(const char *path)
{
	return !strcmp(path, "<__array_function__ internals>");
}

/* Returns the source file of the line, or NULL. A relative path starts in the program's working directory. */
static const struct memphis_source_file *find_file(const struct walk *walk, const char *path)
{
	const char *directory = memphis_setting(&walk->process->settings, "directory");
	const struct memphis_source_file *file;
	struct memphis_text full = {0};

	if (*path == '/' || !directory)
		return memphis_source_file(walk->sources, path);
	memphis_text_print(&full, "%s/%s", directory, path);
	file = full.failed ? NULL : memphis_source_file(walk->sources, full.text);
	memphis_text_close(&full);
	return file;
}

/* Finds the text of the expression that the recorded line refers to. Returns false if the file has no such text. */
static bool find_expression(const struct memphis_source_file *file, const struct memphis_python_line *line,
			    struct memphis_python_expression *expression)
{
	size_t bytes, end_bytes;
	const char *from = memphis_source_line(file, line->line, &bytes);
	const char *to = memphis_source_line(file, line->end_line, &end_bytes);

	if (!from || !to || line->column >= bytes || line->end_column > end_bytes)
		return false;
	*expression = (struct memphis_python_expression){from + line->column, to + line->end_column};
	return expression->from < expression->to;
}

/* Returns true if the stack contains the word. */
static bool has_word(const struct memphis_process *process, uint32_t stack, uint64_t word)
{
	uint64_t other;
	size_t at;

	for (at = 0; read_word(process, stack, at, &other); at++)
		if (other == word)
			return true;
	return false;
}

/* Returns the file name of the object that called the allocator (the innermost frame of the stack), or "". */
static const char *find_caller(const struct walk *walk, uint32_t stack)
{
	const struct memphis_process *process = walk->process;
	const uint64_t time_ns =
		stack < process->log->stack_time_count ? process->log->stack_times_ns[stack] : 0;
	uint64_t pc, vaddr, from_ns, to_ns;
	uint32_t code = MEMPHIS_NO_BINARY;

	if (read_word(process, stack, 0, &pc) && MEMPHIS_PC_KIND(pc) != MEMPHIS_PC_PYTHON)
		code = memphis_maps_code(&process->log->maps, pc - 1, time_ns, &vaddr, &from_ns, &to_ns);
	return code == MEMPHIS_NO_BINARY ? ""
					 : memphis_basename(walk->join->processes->binaries.list[code]->path);
}

/*
 * Returns true if blocks with this stack are contents of Python or numpy objects. This is also assumed if the
 * sample files list no such block. Returns false for small blocks, and for memory that another library, such
 * as BLAS or the dynamic loader, has allocated in the meantime.
 */
static bool contains_objects(const struct walk *walk, uint32_t stack)
{
	const struct memphis_blocks *blocks = &walk->join->list[walk->number].blocks;
	bool any = false;
	size_t i;

	if (!memphis_is_python(find_caller(walk, stack)))
		return false;
	for (i = 0; i < blocks->group_count; i++) {
		if (blocks->groups[i].stack != stack)
			continue;
		if (!blocks->groups[i].small)
			return true;
		any = true;
	}
	return !any;
}

/*
 * Returns true if another expression within `value` has allocated memory. The walk's own expression,
 * expressions inside it, and expressions in its call stack do not count.
 */
static bool has_other_allocation(void *context, const struct memphis_python_expression *value)
{
	const struct walk *walk = context;
	const struct memphis_process *process = walk->process;
	struct memphis_python_expression other;
	uint64_t word;
	size_t number;
	uint32_t stack;

	for (number = 1; number < process->log->python_line_count; number++) {
		word = MEMPHIS_PC_PYTHON | number;
		if (process->log->python_lines[number].path != walk->line->path ||
		    !find_expression(walk->file, &process->log->python_lines[number], &other) ||
		    other.from < value->from || other.to > value->to ||
		    (other.from >= walk->expression.from && other.to <= walk->expression.to) ||
		    has_word(process, walk->stack, word))
			continue;
		for (stack = 1; stack < process->log->stacks.count; stack++)
			if (has_word(process, stack, word) && contains_objects(walk, stack))
				return true;
	}
	return false;
}

/*
 * Copies the name of the function that contains the line: "C.f" for the comprehension
 * "C.f.<locals>.<listcomp>". If `is_short` is set, copies the name without its enclosing scopes: "f".
 */
static void copy_function_name(const struct walk *walk, char *to, size_t size, bool is_short)
{
	static const char *const parts[] = {".<locals>.<listcomp>", ".<locals>.<dictcomp>",
					    ".<locals>.<setcomp>", ".<locals>.<genexpr>",
					    ".<locals>.<lambda>"};
	const char *name = string_of_number(walk, walk->line->function), *dot;
	size_t bytes = strlen(name), length, i;

	/* Comprehensions may be nested. */
	for (i = 0; i < sizeof(parts) / sizeof(*parts);) {
		length = strlen(parts[i]);
		if (bytes > length && !memcmp(name + bytes - length, parts[i], length)) {
			bytes -= length;
			i = 0;
		} else {
			i++;
		}
	}
	dot = is_short ? memrchr(name, '.', bytes) : NULL;
	if (dot) {
		bytes -= (size_t)(dot + 1 - name);
		name = dot + 1;
	}
	snprintf(to, size, "%.*s", (int)bytes, name);
}

static void keep_place(struct walk *walk)
{
	struct memphis_alloc_site *site = walk->site;
	const char *path = string_of_number(walk, walk->line->path);

	/* Code at the top level of a file has no function name. Use the name of the file. */
	if (*string_of_number(walk, walk->line->function) == '<')
		snprintf(site->function, sizeof(site->function), "%s", memphis_basename(path));
	else
		copy_function_name(walk, site->function, sizeof(site->function), false);
	snprintf(site->path, sizeof(site->path), "%s", path);
	site->line = walk->line->line;
	if (*site->inner_path)
		return;
	snprintf(site->inner_path, sizeof(site->inner_path), "%s", path);
	site->inner_line = walk->line->line;
}

static void lose_track(struct walk *walk, enum memphis_no_name why_not)
{
	walk->is_lost = true;
	if (!*walk->site->name)
		walk->site->why_not = why_not;
}

/* Continues with the caller, which gets the block as the function's result. */
static void hand_over_result(struct walk *walk)
{
	walk->is_lost = ++walk->levels == LEVELS_MAX;
}

/*
 * Removes the name, because the caller does not assign the block to a variable. The line of the caller
 * distinguishes the blocks.
 */
static void remove_name(struct walk *walk)
{
	*walk->site->name = '\0';
	lose_track(walk, MEMPHIS_NAMING_LINE);
}

static void use_assigned_name(struct walk *walk, const struct memphis_assigned *assigned, bool is_own)
{
	char function[sizeof(walk->site->function)];
	bool is_handed;

	if (assigned->kind == MEMPHIS_ASSIGNED_RETURN) {
		hand_over_result(walk);
		return;
	}
	if (assigned->kind == MEMPHIS_ASSIGNED_NOTHING) {
		remove_name(walk);
		return;
	}
	copy_function_name(walk, function, sizeof(function), true);
	is_handed = memphis_assigned_python_returns(walk->file, &walk->expression, function, assigned->name,
						    has_other_allocation, walk);
	if (is_own) {
		snprintf(walk->site->name, sizeof(walk->site->name), "%s", assigned->name);
		walk->site->why_not = MEMPHIS_NAMING_FOUND;
	}
	if (is_handed)
		hand_over_result(walk);
	else if (is_own)
		walk->settled = true;
	else
		remove_name(walk);
}

/* Visits a line. `is_own` is false for lines in libraries. */
static void visit_line(struct walk *walk, bool is_own)
{
	const char *path = string_of_number(walk, walk->line->path);
	struct memphis_assigned assigned;

	if (is_own && (!walk->is_lost || !walk->site->line))
		keep_place(walk);
	/* If the program keeps the block at this line, outer lines give no further information. */
	walk->settled = is_own && walk->is_lost;
	if (walk->is_lost)
		return;
	walk->file = find_file(walk, path);
	if (!walk->file) {
		lose_track(walk, MEMPHIS_NAMING_SOURCE);
	} else if (walk->file->changed_ns >
		   memphis_setting_number(&walk->process->settings, "start_realtime_ns", UINT64_MAX)) {
		lose_track(walk, MEMPHIS_NAMING_CHANGED);
	} else if (!find_expression(walk->file, walk->line, &walk->expression)) {
		lose_track(walk, MEMPHIS_NAMING_LINE);
	} else {
		memphis_assigned_find_python(walk->file, &walk->expression, has_other_allocation, walk,
					     &assigned);
		use_assigned_name(walk, &assigned, is_own);
	}
	walk->settled |= is_own && walk->is_lost;
}

void memphis_python_site_find(struct memphis_join *join, struct memphis_sources *sources, size_t process,
			      uint32_t stack, bool is_map, struct memphis_alloc_site *site)
{
	struct walk walk = {.join = join,
			    .sources = sources,
			    .process = join->list[process].process,
			    .number = process,
			    .stack = stack,
			    .site = site};
	const char *caller = find_caller(&walk, stack), *path;
	uint64_t word;
	size_t at;

	/* The interpreter maps memory for many small objects. No single name is right for it. */
	if (is_map && memphis_is_interpreter(caller)) {
		site->why_not = MEMPHIS_NAMING_ALLOCATOR;
		return;
	}
	for (at = 0; !walk.settled && read_word(walk.process, stack, at, &word); at++) {
		if (MEMPHIS_PC_KIND(word) != MEMPHIS_PC_PYTHON)
			continue;
		walk.line = memphis_python_line_of(walk.process, word);
		if (!walk.line)
			return;
		if (!memphis_is_python(caller))
			lose_track(&walk, MEMPHIS_NAMING_LINE);
		path = string_of_number(&walk, walk.line->path);
		/* Code without a file: modules inside the interpreter, exec(), or generated code. */
		if (*path == '<' && !is_numpy_wrapper(path))
			lose_track(&walk, MEMPHIS_NAMING_SOURCE);
		else if (*path != '<')
			visit_line(&walk, !is_library_file(path));
	}
}
