/* SPDX-License-Identifier: BSD-3-Clause */
/* Demangles C++, Fortran and Rust names, and shortens function names. */
#ifndef MEMPHIS_DEMANGLE_H
#define MEMPHIS_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

#define MEMPHIS_OUTLINED \
	" (OpenMP)" /* appended to the name of a function to denote the body of one of its parallel regions */

/*
 * Returns the malloc'ed source name of a function, made from its symbol or its name in the debug information.
 * Returns NULL if the name needs no change, or is NULL.
 * - C++: the demangled name, if the tool was built with the C++ library.
 * - Fortran: "module::procedure".
 * - Rust: see demangle_rust.h.
 * Removes the suffixes that compilers append to clones and parts of functions. Sets *is_outlined, unless it
 * is NULL, to true if the function is the body of a parallel region that the compiler has moved to a
 * function. The result is "" if the name does not contain the name of the original function.
 */
char *memphis_demangle_function(const char *name, bool *is_outlined);

/*
 * Returns the malloc'ed source name of a C++ or C variable, "ns::function::name", made from its symbol.
 * Returns NULL if the symbol needs no change. Removes numbers and suffixes that compilers append. With
 * `signatures`, functions have their parameters. Sets *scope to the length of the part before the last name.
 */
char *memphis_demangle_variable(const char *symbol, bool signatures, size_t *scope);

/*
 * Returns the malloc'ed name of the lambda in the symbol of its operator: "{lambda(int)#1}". Returns NULL if
 * there is none, or if `symbol` is NULL.
 */
char *memphis_demangle_lambda(const char *symbol);

/*
 * Returns the malloc'ed name of a Fortran variable or procedure, "module::procedure::name". Returns NULL if
 * no known compiler mangles names in this way. Sets *scope to the length of the part before the last name.
 */
char *memphis_demangle_fortran(const char *symbol, size_t *scope);

#define MEMPHIS_FUNCTION_SHORT 48 /* longer function names, in characters, are shortened in text output */

/*
 * Appends a function name as plain text (see memphis_text_put_plain()). If it is longer than
 * MEMPHIS_FUNCTION_SHORT, removes the parameters. If it is still too long, removes template arguments and the
 * return type.
 */
void memphis_put_function(struct memphis_text *text, const char *name);

/* Appends the name of a library function without parameters, template arguments and return type: "std::sort". */
void memphis_put_called(struct memphis_text *text, const char *name);

/* Copies the last part of a function's full name to `name` of `size` bytes: "allocate" for "ns::Pool<int>::allocate(long)". */
void memphis_copy_last_name(const char *full, char *name, size_t size);

/*
 * Returns true if the names are the same function. Ignores template arguments, suffixes of clones, and the
 * underscores and letter case that Fortran compilers change.
 */
bool memphis_is_same_function(const char *name, const char *other);

/*
 * Returns true if the function is the body of a parallel region that the compiler has moved to a function.
 * The parameters of such a function are the variables around the region.
 */
bool memphis_is_outlined(const char *name);

/*
 * Returns true if the function with this full name is a constructor: it has the name of its class, as in
 * ns::Array<double>::Array(long).
 */
bool memphis_is_constructor(const char *full, const char *function);

#endif
