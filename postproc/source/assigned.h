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

/* How a function hands a block to its caller. */
enum memphis_handover_kind {
	MEMPHIS_HANDS_RESULT, /* the function returns the block, or an object from which `path` leads to it */
	MEMPHIS_HANDS_ARGUMENT, /* `path` leads to the block from the argument at `position` */
	MEMPHIS_HANDS_OBJECT, /* `path` leads to the block from the object whose member function is called */
	MEMPHIS_HANDS_UNKNOWN /* the function belongs to a library, or has no source */
};

/*
 * A path begins with "", ".member", "->member", "%member" or "[]", which may be followed by others, or is "*": the object to which the
 * argument points. "#1" is the second value of a returned list.
 */
struct memphis_handover {
	enum memphis_handover_kind kind;
	char callee[256];      /* the function that is called; "" is any allocator */
	unsigned int position; /* of the argument, from 0, without the object */
	char keyword[64];      /* name of the parameter */
	bool by_reference;     /* the argument is the object itself, not a pointer to it */
	bool constructor;      /* the member function is a constructor */
	char path[128];
	size_t at; /* offset in the statement at which the call is; 0 if it is unknown: all calls of the function count */
};

enum memphis_assigned_kind {
	MEMPHIS_ASSIGNED_NOTHING = 0, /* the statement does not name the block */
	MEMPHIS_ASSIGNED_NAME,        /* the block is assigned to `name` */
	MEMPHIS_ASSIGNED_RETURN, /* `return f(...)`: the caller gets what `name`, a path, leads to the block from */
	MEMPHIS_ASSIGNED_OBJECT /* the object whose member function has the statement holds the block: `name` is the path to it */
};

struct memphis_assigned {
	enum memphis_assigned_kind kind;
	char name[256]; /* begins with "*" if the block is assigned to what a variable points to */
	bool several; /* the statement has several such calls, and `name` contains all names: "x|y"; it may end with "|..." */
	bool passed_on; /* the block was the argument of another function, whose result has the name */
};

/* Analyses the C or C++ statement `text`, which calls the function that hands over the block. */
void memphis_assigned_c(const char *text, const struct memphis_handover *from,
			struct memphis_assigned *assigned);

/*
 * Finds a later assignment of the variable `name` in the lines of a C function: to a member of another object, `*out = name;` or
 * `self->x = name;`. Calls accept() with the object's name until it returns true. Returns whether it did.
 */
bool memphis_assigned_copy(const char *body, size_t bytes, const char *name,
			   bool (*accept)(void *context, const char *object), void *context);

struct token;

/* Stores the object on the left side of the "=" at index `equals`. */
void memphis_assigned_left_side(const struct token *tokens, size_t equals, struct memphis_assigned *assigned);

/* Returns true if the C code assigns another value to the variable itself: `p = p->next`, `p++`. */
bool memphis_assigned_changes(const char *body, size_t bytes, const char *name);

/* Appends the name to the list "x|y" of at most `size` bytes, unless it is there; "..." stands for names without room. */
void memphis_assigned_join(char *list, size_t size, const char *name);

/*
 * Finds the object that a C++ statement declares, assigns to, or calls a member function of. This is for
 * statements in which the allocating call is not visible because a constructor or operator of the standard
 * library makes it: std::string s(n, 'x'); a = b;
 */
void memphis_assigned_object(const char *text, struct memphis_assigned *assigned);

/*
 * Returns true if the C function body returns the variable, possibly with a cast. *inside becomes true if it returns an address inside the
 * block to which the variable points: `return name + 1;`.
 */
bool memphis_assigned_returns(const char *body, size_t bytes, const char *name, bool *inside);

/*
 * Stores the names of the objects allocated by the Fortran statement `text` in `names`, in lower case and
 * without subscripts. If the statement contains ALLOCATE, these are the objects of all its ALLOCATEs, and
 * *is_allocate is true; otherwise the name is the left side of an assignment to a whole variable. Returns the
 * number of names, at most `capacity`; the names are malloc'ed.
 */
size_t memphis_assigned_fortran(const char *text, bool *is_allocate, char **names, size_t capacity);

/*
 * The same for the Fortran statement that calls the procedure which hands over the block: stores the object, with its path, malloc'ed, in
 * *name; NULL if there is none. The callee of a type-bound procedure may have another name in the statement.
 */
void memphis_assigned_fortran_call(const char *text, const struct memphis_handover *from, char **name);

/*
 * Returns the object that gets the memory of the variable `name` by the Fortran statement: by MOVE_ALLOC, C_F_POINTER or `object => name`;
 * malloc'ed, or NULL.
 */
char *memphis_assigned_fortran_copy(const char *text, const char *name);

/* What a variable is to a Fortran procedure, by the statement that begins the procedure. */
enum memphis_fortran_role {
	MEMPHIS_FORTRAN_OUTSIDE, /* the statement does not begin the procedure */
	MEMPHIS_FORTRAN_LOCAL,
	MEMPHIS_FORTRAN_RESULT,
	MEMPHIS_FORTRAN_DUMMY
};

/* Returns what the variable `name` is; *position becomes that of a dummy argument, from 0. */
enum memphis_fortran_role memphis_fortran_role_find(const char *text, const char *procedure, const char *name,
						    unsigned int *position);

/* Returns true if the line contains the whole word. Ignores case. */
bool memphis_has_word(const char *line, size_t bytes, const char *word);

/*
 * Finds the variable or field that gets the block of the Rust expression at `line` and `column`, from 1; 0 is the line's first expression:
 * `let x = vec![..]`, `m = Model { x: vec![..] }`, `x.push(..)`. Only the path of `from` counts, which leads to the block from the value of the expression.
 */
void memphis_assigned_rust(const struct memphis_source_file *file, unsigned int line, unsigned int column,
			   const struct memphis_handover *from, struct memphis_assigned *assigned);

/* An expression of Python: it begins at `from` in the text of its file, and ends before `to`. */
struct memphis_python_expression {
	const char *from, *to;
};

/*
 * Finds the variable that gets the object of the expression: `a = zeros(n)`, `self.fields['heat'] = ones(n)`,
 * `a, b = zeros(n), ones(n)`. If the expression is an operand, or an attribute of its object is assigned, the
 * result may be another object: `a = zeros(n) + 1`, `a = arange(n).reshape(k, -1)`. The result still counts,
 * unless others() finds an expression in `value` that has allocated memory, other than this one and those
 * inside it.
 */
void memphis_assigned_python(const struct memphis_source_file *file,
			     const struct memphis_python_expression *expression,
			     bool (*others)(void *context, const struct memphis_python_expression *value),
			     void *context, struct memphis_assigned *assigned);

/*
 * Returns true if the Python function around the expression, `function`, returns the variable to which the
 * statement assigns, or an object that shares its memory.
 */
bool memphis_assigned_python_returns(
	const struct memphis_source_file *file, const struct memphis_python_expression *expression,
	const char *function, const char *name,
	bool (*others)(void *context, const struct memphis_python_expression *value), void *context);

/*
 * Return the statement around a line as a malloc'ed string without comments, or NULL if the file has no such
 * line. The numbers of its first and last line are stored in *first and *last. Of several statements on a line of C, only that at `column`, from 1,
 * is returned, or all if it is 0; *at becomes the offset of that column in the string, or 0.
 */
char *memphis_statement_c(const struct memphis_source_file *file, unsigned int line, unsigned int column,
			  unsigned int *first, unsigned int *last, size_t *at);
char *memphis_statement_fortran(const struct memphis_source_file *file, unsigned int line,
				unsigned int *first, unsigned int *last);

/*
 * Returns true if the suffix of the path is that of a Fortran file. *fixed becomes true for fixed source
 * form.
 */
bool memphis_is_fortran_path(const char *path, bool *fixed);

#endif
