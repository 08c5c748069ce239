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
	/*
	 * The function returns the block, or an object through which the block is reached: `path` leads from
	 * the returned object to the block.
	 */
	MEMPHIS_HANDS_RESULT,
	/* The function stores the block through an argument: `path` leads from the argument at `position` to the block. */
	MEMPHIS_HANDS_ARGUMENT,
	/*
	 * The function stores the block in the object whose member function is called: `path` leads from this
	 * object to the block.
	 */
	MEMPHIS_HANDS_OBJECT,
	MEMPHIS_HANDS_UNKNOWN /* the function belongs to a library, or has no source */
};

/*
 * A path describes how to get from an object to the block. It is empty, or a sequence of ".member",
 * "->member", "%member" and "[]". Two special paths: "*" is the variable to which a pointer argument points,
 * and "#1" is the second value of a returned list.
 */
struct memphis_handover {
	enum memphis_handover_kind kind;
	char callee[256]; /* name of the called function; "" means any allocator */
	/* Position of the argument, from 0. The object of a member function does not count. */
	unsigned int position;
	char keyword[64];  /* name of the parameter */
	bool by_reference; /* the argument is the object itself, not a pointer to it */
	bool constructor;  /* the member function is a constructor */
	char path[128];
	/* Offset of the call in the statement. It is 0 if it is unknown, so that all calls of the function count. */
	size_t at;
};

enum memphis_assigned_kind {
	MEMPHIS_ASSIGNED_NOTHING = 0, /* the statement does not assign the block */
	MEMPHIS_ASSIGNED_NAME,        /* the block is assigned to `name` */
	/* `return f(...)`: the caller gets the block. `name` is the path from the returned value to the block. */
	MEMPHIS_ASSIGNED_RETURN,
	/*
	 * The block is stored in the object whose member function contains the statement. `name` is the path
	 * from the object to the block.
	 */
	MEMPHIS_ASSIGNED_OBJECT
};

struct memphis_assigned {
	enum memphis_assigned_kind kind;
	char name[256]; /* begins with "*" if the statement assigns the block to the target of a pointer */
	/*
	 * The block may belong to several objects: the statement has several calls of the function, or it is
	 * unclear which object the call belongs to. `name` lists them, "x|y", and may end with "|...".
	 */
	bool several;
	/* The block is an argument of another function, and `name` gets the result of that function. */
	bool passed_on;
};

/* Analyses a C or C++ statement that calls the function in *from, which hands over the block. */
void memphis_assigned_find_c(const char *text, const struct memphis_handover *from,
			     struct memphis_assigned *assigned);

/*
 * Finds a later statement of a C function that copies the variable `name` to another object, such as
 * `*out = name;` or `self->x = name;`. Calls accept() with the name of each such object until accept()
 * returns true. Returns whether it did.
 */
bool memphis_assigned_find_copy(const char *body, size_t bytes, const char *name,
				bool (*accept)(void *context, const char *object), void *context);

struct token;

/* Stores the name of the object on the left side of the "=" at index `equals`. */
void memphis_assigned_find_left_side(const struct token *tokens, size_t equals,
				     struct memphis_assigned *assigned);

/*
 * Returns true if the body of a member function swaps its object with the variable, as `swap(temp)`,
 * `this->swap(temp)` and `std::swap(*this, temp)` do.
 */
bool memphis_assigned_swaps(const char *body, size_t bytes, const char *name);

/* Returns true if the C code assigns a new value to the variable itself, as in `p = p->next` or `p++`. */
bool memphis_assigned_changes(const char *body, size_t bytes, const char *name);

/*
 * Appends the name to the list "x|y" unless the list has it. The list has room for `size` bytes. If names do
 * not fit, "..." takes their place.
 */
void memphis_assigned_join(char *list, size_t size, const char *name);

/*
 * Finds the object that a C++ statement declares, assigns to, or calls a member function of. Used if the
 * allocating call is not visible in the statement, because a constructor or operator of the standard library
 * makes it: std::string s(n, 'x'); a = b;
 */
void memphis_assigned_find_object(const char *text, struct memphis_assigned *assigned);

/*
 * Returns true if the body of a C function returns the variable, possibly with a cast. Sets *inside to true
 * if it returns an address inside the block to which the variable points: `return name + 1;`.
 */
bool memphis_assigned_returns(const char *body, size_t bytes, const char *name, bool *inside);

/*
 * Finds the objects that the Fortran statement `text` allocates. If the statement contains ALLOCATE, these
 * are the objects of all its ALLOCATEs, and *is_allocate is true. Otherwise it is the left side of an
 * assignment to a whole variable. Stores malloc'ed names, in lower case and without subscripts. Returns the
 * number of names, at most `capacity`.
 */
size_t memphis_assigned_find_fortran(const char *text, bool *is_allocate, char **names, size_t capacity);

/*
 * Finds the object that gets the block in a Fortran statement that calls the procedure in *from. Stores its
 * malloc'ed name with its path in *name, or NULL if there is none. The statement may use another name for the
 * procedure if it is a type-bound procedure or called by a generic name.
 */
void memphis_assigned_find_fortran_call(const char *text, const struct memphis_handover *from, char **name);

/*
 * Finds the object that gets the memory of the variable `name` in the Fortran statement, by MOVE_ALLOC,
 * C_F_POINTER or `object => name`. Returns its malloc'ed name, or NULL.
 */
char *memphis_assigned_find_fortran_copy(const char *text, const char *name);

/* The role of a variable in a Fortran procedure, read from the statement that begins the procedure. */
enum memphis_fortran_role {
	MEMPHIS_FORTRAN_OUTSIDE, /* the statement does not begin the procedure */
	MEMPHIS_FORTRAN_LOCAL,
	MEMPHIS_FORTRAN_RESULT,
	MEMPHIS_FORTRAN_DUMMY
};

/* Returns the role of the variable `name`. For a dummy argument, sets *position to its position, from 0. */
enum memphis_fortran_role memphis_fortran_role_find(const char *text, const char *procedure, const char *name,
						    unsigned int *position);

/* Returns true if the line contains the whole word. Ignores case. */
bool memphis_has_word(const char *line, size_t bytes, const char *word);

/*
 * Finds the variable or field that gets the block of a Rust expression: `let x = vec![..]`,
 * `m = Model { x: vec![..] }`, `x.push(..)`. The expression is at `line` and `column`, from 1. Column 0 means
 * the first expression of the line. Of `from`, only the path is used. It leads from the value of the
 * expression to the block.
 */
void memphis_assigned_find_rust(const struct memphis_source_file *file, unsigned int line,
				unsigned int column, const struct memphis_handover *from,
				struct memphis_assigned *assigned);

/* A Python expression in the text of a file: the characters in [from, to). */
struct memphis_python_expression {
	const char *from, *to;
};

/*
 * Finds the variable that gets the object of a Python expression: `a = zeros(n)`,
 * `self.fields['heat'] = ones(n)`, `a, b = zeros(n), ones(n)`. If the expression is an operand, or the
 * statement assigns an attribute or method result of its object, this may be another object:
 * `a = zeros(n) + 1`, `a = arange(n).reshape(k, -1)`. The variable is still used, unless others() returns
 * true: some other expression in `value` has allocated memory. Expressions inside this one do not count.
 */
void memphis_assigned_find_python(const struct memphis_source_file *file,
				  const struct memphis_python_expression *expression,
				  bool (*others)(void *context,
						 const struct memphis_python_expression *value),
				  void *context, struct memphis_assigned *assigned);

/*
 * Returns true if the Python function returns the variable to which the statement assigns, or an object that
 * shares its memory. `function` is the name of the function that contains the expression.
 */
bool memphis_assigned_python_returns(
	const struct memphis_source_file *file, const struct memphis_python_expression *expression,
	const char *function, const char *name,
	bool (*others)(void *context, const struct memphis_python_expression *value), void *context);

/*
 * Return the statement around a line as a malloc'ed string without comments, or NULL if the file has no such
 * line. Store the numbers of its first and last line in *first and *last.
 *
 * A line of C may have several statements. memphis_statement_c() then returns only the statement at `column`
 * (from 1), or all if `column` is 0. It sets *at to the offset of that column in the string, or to 0.
 */
char *memphis_statement_c(const struct memphis_source_file *file, unsigned int line, unsigned int column,
			  unsigned int *first, unsigned int *last, size_t *at);
char *memphis_statement_fortran(const struct memphis_source_file *file, unsigned int line,
				unsigned int *first, unsigned int *last);

/* Returns true if the path has the suffix of a Fortran file. Sets *fixed to true if the suffix means fixed source form. */
bool memphis_is_fortran_path(const char *path, bool *fixed);

#endif
