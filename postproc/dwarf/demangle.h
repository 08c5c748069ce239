/* SPDX-License-Identifier: BSD-3-Clause */
/* Demangling of names of C++, Fortran and Rust; shortening of function names. */
#ifndef MEMPHIS_DEMANGLE_H
#define MEMPHIS_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

#define MEMPHIS_OUTLINED \
	" (OpenMP)" /* behind the name of a function: the body of one of its parallel regions */

/*
 * Returns the name of a function as its source has it, malloc'ed, from a symbol or a name of debug information; NULL if it is to be used as it is,
 * or is NULL. C++: demangled, if the tool was built with the C++ library. Fortran: "module::procedure". Rust: see demangle_rust.h. What compilers append to the names of
 * clones and parts of a function is removed. *is_outlined, unless NULL, becomes true if it is the body of a parallel region, which
 * the compiler has made a function; if its name does not tell of which function, the result is "".
 */
char *memphis_demangle_function(const char *name, bool *is_outlined);

/*
 * Returns the name of a variable of C++ or C as its source has it, "ns::function::name", malloc'ed, from its symbol; NULL if it is to be
 * used as it is. Numbers and parts of variables, which compilers append, are removed. With `signatures`, functions have their parameters.
 * *scope becomes the length of all that precedes the last name.
 */
char *memphis_demangle_variable(const char *symbol, bool signatures, size_t *scope);

/* Returns the lambda in the demangled name of its operator, malloc'ed: "{lambda(int)#1}"; NULL if it has none, or if `symbol` is NULL. */
char *memphis_demangle_lambda(const char *symbol);

/*
 * Returns the name of a Fortran variable or procedure, "module::procedure::name", malloc'ed; NULL if the symbol is not mangled in
 * one of the known ways. *scope becomes the length of all that precedes the last name.
 */
char *memphis_demangle_fortran(const char *symbol, size_t *scope);

#define MEMPHIS_FUNCTION_SHORT 48 /* longest function name, in characters, that text output prints in full */

/*
 * Appends a function name as plain text (see memphis_text_put_plain()). A name longer than
 * MEMPHIS_FUNCTION_SHORT is printed without its parameters and, if it is still too long, without template
 * arguments and return type.
 */
void memphis_put_function(struct memphis_text *text, const char *name);

/* Appends the name of a function of a library, without parameters, template arguments and return type: "std::sort". */
void memphis_put_called(struct memphis_text *text, const char *name);

/* Copies the last name of a function's full name, "allocate" of "ns::Pool<int>::allocate(long)", to `name` of `size` bytes. */
void memphis_copy_last_name(const char *full, char *name, size_t size);

/*
 * Returns true if the names are equal except for template arguments, suffixes of clones, and what Fortran
 * compilers add or change.
 */
bool memphis_is_same_function(const char *name, const char *other);

/* Returns true for the name of the body of a parallel region, of which the compiler has made a function: its parameters are variables around the region. */
bool memphis_is_outlined(const char *name);

/* Returns true if the function with this full name is a constructor: it has the name of its class, ns::Array<double>::Array(long). */
bool memphis_is_constructor(const char *full, const char *function);

#endif
