/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a statement that allocates calls the result: `tx` in `tx = malloc(n)` and in `allocate(tx(n), ty(n))`.
 * Works on text alone.
 */
#ifndef MEMPHIS_ASSIGNED_H
#define MEMPHIS_ASSIGNED_H

#include <stdbool.h>
#include <stddef.h>

#include "source/source.h"

enum memphis_assigned_kind {
	MEMPHIS_ASSIGNED_NOTHING = 0, /* the statement names nothing */
	MEMPHIS_ASSIGNED_NAME,        /* to `name` */
	MEMPHIS_ASSIGNED_RETURN,      /* `return f(...)`: the caller names it */
	MEMPHIS_ASSIGNED_DEREF        /* to `*name`: the caller passed an address */
};

struct memphis_assigned {
	enum memphis_assigned_kind kind;
	char name[256];
};

/*
 * The C or C++ statement `text`. `callee`: the function whose call on it returns the block, NULL = some allocator.
 * `by_address`: not the call's result but what `&` is put before among its arguments.
 */
void memphis_assigned_c(const char *text, const char *callee, bool by_address,
			struct memphis_assigned *assigned);

/*
 * The object that a C++ statement declares, assigns to or calls a member of, when the call that allocated is not on it:
 * constructors and operators of the standard library under other names (std::string s(n, 'x'); a = b;).
 */
void memphis_assigned_object(const char *text, struct memphis_assigned *assigned);

/* Does the C text `body` say `return name;`, perhaps with a cast? */
bool memphis_assigned_returns(const char *body, size_t bytes, const char *name);

/*
 * The objects of the Fortran statement `text`, lower case, without subscripts: those of all its
 * ALLOCATEs, or the left
 * side of an assignment to a whole variable (*is_allocate tells). Each malloc'ed; returns how many, at most `room`.
 */
size_t memphis_assigned_fortran(const char *text, bool *is_allocate, char **names, size_t room);

/* The whole statement around a line, comments removed, malloc'ed; NULL = no such line. *first, *last: its lines. */
char *memphis_statement_c(const struct memphis_source_file *file, unsigned int line, unsigned int *first,
			  unsigned int *last);
char *memphis_statement_fortran(const struct memphis_source_file *file, unsigned int line,
				unsigned int *first, unsigned int *last);

/* Is this path Fortran source by its suffix? *fixed: of the old fixed form. */
bool memphis_is_fortran_path(const char *path, bool *fixed);

#endif
