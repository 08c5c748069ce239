/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the variable that an allocating statement assigns the block to: `tx` in `tx = malloc(n)` and in
 * `allocate(tx(n), ty(n))`. Works on source text only.
 */
#ifndef MEMPHIS_ASSIGNED_H
#define MEMPHIS_ASSIGNED_H

#include <stdbool.h>
#include <stddef.h>

#include "source/source.h"

enum memphis_assigned_kind {
	MEMPHIS_ASSIGNED_NOTHING = 0, /* the statement contains no name for the block */
	MEMPHIS_ASSIGNED_NAME,        /* assigned to `name` */
	MEMPHIS_ASSIGNED_RETURN,      /* `return f(...)`: the caller assigns the result */
	MEMPHIS_ASSIGNED_DEREF        /* assigned to `*name`: the caller passed an address */
};

struct memphis_assigned {
	enum memphis_assigned_kind kind;
	char name[256];
};

/*
 * Analyses the C or C++ statement `text`. `callee` is the function whose call in the statement returns the
 * block; NULL = any allocator. With `by_address`, the name is not the target of the call's result but the
 * argument preceded by `&`.
 */
void memphis_assigned_c(const char *text, const char *callee, bool by_address,
			struct memphis_assigned *assigned);

/*
 * Finds the object that a C++ statement declares, assigns to or calls a member function of, for allocations
 * whose call does not appear in the statement: constructors and operators of the standard library
 * (std::string s(n, 'x'); a = b;).
 */
void memphis_assigned_object(const char *text, struct memphis_assigned *assigned);

/* Returns whether the C text `body` contains `return name;`, possibly with a cast. */
bool memphis_assigned_returns(const char *body, size_t bytes, const char *name);

/*
 * Lists the objects allocated by the Fortran statement `text`, in lower case and without subscripts: the
 * objects of all its ALLOCATEs, or the left side of an assignment to a whole variable (*is_allocate
 * distinguishes these). Returns their number, at most `room`; names are malloc'ed.
 */
size_t memphis_assigned_fortran(const char *text, bool *is_allocate, char **names, size_t room);

/*
 * Return the malloc'ed statement around a line, without comments; NULL = no such line. *first and *last
 * receive the line numbers of the statement.
 */
char *memphis_statement_c(const struct memphis_source_file *file, unsigned int line, unsigned int *first,
			  unsigned int *last);
char *memphis_statement_fortran(const struct memphis_source_file *file, unsigned int line,
				unsigned int *first, unsigned int *last);

/* Returns whether the suffix of the path denotes Fortran; *fixed: fixed source form. */
bool memphis_is_fortran_path(const char *path, bool *fixed);

#endif
