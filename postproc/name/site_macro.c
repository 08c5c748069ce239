// SPDX-License-Identifier: BSD-3-Clause
/* Expands macros. ALLOCATE(x->field, n) assigns to x->field if the body of the macro does so. */
#include "name/site_macro.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "source/macro_c.h"

#define EXPANSIONS_MAX 4  /* maximum number of macro expansions in one statement */
#define DEPTH_MAX      3  /* maximum nesting of included files */
#define INCLUDES_MAX   24 /* maximum number of includes of one file */
#define FILES_MAX      64 /* maximum number of files that are searched for one statement */
#define PATH_MAX_BYTES 1024

/* Usual directories of a project's headers, relative to the directory of the source file. */
static const char *const directories[] = {"", "include/", "../", "../include/"};

static char *expand_by_file(const struct memphis_site_walk *walk, const struct memphis_site_frame *frame,
			    const char *path, const char *text, unsigned int depth, unsigned int *files);

/* Expands the text with macros from a header. The file at `path` includes this header as `name`. */
static char *expand_by_header(const struct memphis_site_walk *walk, const struct memphis_site_frame *frame,
			      const char *path, const char *name, const char *text, unsigned int depth,
			      unsigned int *files)
{
	const char *compiled = memphis_symbols_find_file(&walk->join->processes->binaries, frame->binary,
							 frame->return_vaddr - 1, name);
	char *expanded = NULL, header[PATH_MAX_BYTES];
	size_t i;

	if (compiled)
		return expand_by_file(walk, frame, compiled, text, depth + 1, files);
	for (i = 0; i < sizeof(directories) / sizeof(*directories) && !expanded; i++)
		if (snprintf(header, sizeof(header), "%.*s%s%s", (int)(memphis_basename(path) - path), path,
			     directories[i], name) < (int)sizeof(header))
			expanded = expand_by_file(walk, frame, header, text, depth + 1, files);
	return expanded;
}

/*
 * Expands the text with macros that are defined in the file or in files that it includes. Returns NULL if
 * there are no such macros, or if the file was changed after the build.
 */
static char *expand_by_file(const struct memphis_site_walk *walk, const struct memphis_site_frame *frame,
			    const char *path, const char *text, unsigned int depth, unsigned int *files)
{
	const struct memphis_source_file *file =
		(*files)++ < FILES_MAX ? memphis_source_file(walk->sources, path) : NULL;
	char names[INCLUDES_MAX][128], *expanded;
	unsigned int line = 0;
	size_t count = 0, i;

	if (!file || file->changed_ns > frame->binary->changed_ns)
		return NULL;
	expanded = memphis_macro_expand(file, text, walk->from.callee);
	if (depth == DEPTH_MAX)
		return expanded;
	/* Collect all includes first, because `file` becomes invalid when another file is read. */
	while (!expanded && count < INCLUDES_MAX &&
	       memphis_include_find(file, &line, names[count], sizeof(names[count])))
		count++;
	for (i = 0; i < count && !expanded; i++)
		expanded = expand_by_header(walk, frame, path, names[i], text, depth, files);
	return expanded;
}

/*
 * Finds the variable to which each statement of the expanded text assigns the block. Joins different names in
 * their order. Finds no name if the statements are alternatives.
 */
static void analyse_expansion(const struct memphis_site_walk *walk, char *text,
			      struct memphis_assigned *assigned)
{
	const bool branches = strstr(text, "else") || strchr(text, '?');
	struct memphis_handover from = walk->from;
	struct memphis_assigned one;
	char *rest = NULL, *part;

	from.at = 0;
	for (part = strtok_r(text, ";{}", &rest); part; part = strtok_r(NULL, ";{}", &rest)) {
		memphis_assigned_find_c(part, &from, &one);
		if (one.kind == MEMPHIS_ASSIGNED_NOTHING)
			continue;
		if (assigned->kind == MEMPHIS_ASSIGNED_NOTHING) {
			*assigned = one;
		} else if (strcmp(assigned->name, one.name) != 0) {
			if (branches || one.kind != MEMPHIS_ASSIGNED_NAME || assigned->kind != one.kind) {
				memset(assigned, 0, sizeof(*assigned));
				return;
			}
			memphis_assigned_join(assigned->name, sizeof(assigned->name), one.name);
			assigned->several = true;
		}
	}
}

/* Returns true if each name begins with a word that occurs in the statement. Other names are variables inside the macro. */
static bool are_names_of_statement(const char *text, const char *names)
{
	char all[sizeof(((struct memphis_assigned *)0)->name)], root[64], *rest = NULL, *name;
	const char *path;

	snprintf(all, sizeof(all), "%s", names);
	for (name = strtok_r(all, "|", &rest); name; name = strtok_r(NULL, "|", &rest)) {
		memphis_split_name(name, root, sizeof(root), &path);
		if (!memphis_has_word(text, strlen(text), root))
			return false;
	}
	return true;
}

void memphis_site_find_assigned_in_macro(const struct memphis_site_walk *walk,
					 const struct memphis_site_frame *frame, const char *text,
					 struct memphis_assigned *assigned)
{
	char *expanded, *parts, *next;
	unsigned int files = 0, i;

	memset(assigned, 0, sizeof(*assigned));
	expanded = expand_by_file(walk, frame, frame->at->path, text, 0, &files);
	for (i = 0; expanded && i < EXPANSIONS_MAX; i++) {
		parts = strdup(expanded);
		if (parts)
			analyse_expansion(walk, parts, assigned);
		free(parts);
		if (!parts || assigned->kind != MEMPHIS_ASSIGNED_NOTHING)
			break;
		next = expand_by_file(walk, frame, frame->at->path, expanded, 0, &files);
		free(expanded);
		expanded = next;
	}
	free(expanded);
	if (assigned->kind == MEMPHIS_ASSIGNED_NAME && !are_names_of_statement(text, assigned->name))
		memset(assigned, 0, sizeof(*assigned));
}
