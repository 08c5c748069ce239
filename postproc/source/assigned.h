/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the variable to which a statement assigns the block that it allocates: `tx` in `tx = malloc(n)` and
 * in `allocate(tx(n), ty(n))`. Works on source text only.
 */
#ifndef MEMPHIS_ASSIGNED_H
#define MEMPHIS_ASSIGNED_H

#include <stdbool.h>
#include <stddef.h>

#include "source/source.h"

enum memphis_assigned_kind {
	MEMPHIS_ASSIGNED_NOTHING = 0, /* the statement does not name the block */
	MEMPHIS_ASSIGNED_NAME,        /* the block is assigned to `name` */
	MEMPHIS_ASSIGNED_RETURN,      /* `return f(...)`: the caller assigns the block */
	MEMPHIS_ASSIGNED_DEREF        /* assigned to `*name`: the caller passed the variable's address */
};

struct memphis_assigned {
	enum memphis_assigned_kind kind;
	char name[256];
	/* The statement has several such calls, and `name` contains all names: "x|y"; it may end with "|...". */
	bool several;
};

/*
 * Analyses the C or C++ statement `text`. The block is returned by the call of the function `callee`, or by a
 * call of any allocator if `callee` is NULL. With `by_address`, the function stores the block's address
 * through a pointer instead: the name is then the argument preceded by `&`.
 */
void memphis_assigned_c(const char *text, const char *callee, bool by_address,
			struct memphis_assigned *assigned);

/* Appends the name to the list "x|y" of at most `room` bytes, unless it is there; "..." stands for names without room. */
void memphis_assigned_join(char *list, size_t room, const char *name);

/*
 * Finds the object that a C++ statement declares, assigns to, or calls a member function of. This is for
 * statements in which the allocating call is not visible because a constructor or operator of the standard
 * library makes it: std::string s(n, 'x'); a = b;
 */
void memphis_assigned_object(const char *text, struct memphis_assigned *assigned);

/* Returns true if the C function body contains `return name;`, possibly with a cast. */
bool memphis_assigned_returns(const char *body, size_t bytes, const char *name);

/*
 * Stores the names of the objects allocated by the Fortran statement `text` in `names`, in lower case and
 * without subscripts. If the statement contains ALLOCATE, these are the objects of all its ALLOCATEs, and
 * *is_allocate is true; otherwise the name is the left side of an assignment to a whole variable. Returns the
 * number of names, at most `room`; the names are malloc'ed.
 */
size_t memphis_assigned_fortran(const char *text, bool *is_allocate, char **names, size_t room);

/*
 * Return the statement around a line as a malloc'ed string without comments, or NULL if the file has no such
 * line. The numbers of its first and last line are stored in *first and *last.
 */
char *memphis_statement_c(const struct memphis_source_file *file, unsigned int line, unsigned int *first,
			  unsigned int *last);
char *memphis_statement_fortran(const struct memphis_source_file *file, unsigned int line,
				unsigned int *first, unsigned int *last);

/*
 * Returns true if the suffix of the path is that of a Fortran file. *fixed becomes true for fixed source
 * form.
 */
bool memphis_is_fortran_path(const char *path, bool *fixed);

#endif
