/* SPDX-License-Identifier: BSD-3-Clause */
/* Demangling of names of C++ and Fortran; shortening of function names. */
#ifndef MEMPHIS_DEMANGLE_H
#define MEMPHIS_DEMANGLE_H

#include "base/text.h"

/*
 * Returns the demangled name, malloc'ed; NULL if the symbol is not mangled or the tool was built without the
 * C++ library.
 */
char *memphis_demangle(const char *symbol);

/*
 * Returns the name of a Fortran variable or procedure, "module::procedure::name", malloc'ed; NULL if the symbol is not mangled in
 * one of the known ways. *scope becomes the length of all that precedes the last name.
 */
char *memphis_demangle_fortran(const char *symbol, size_t *scope);

/*
 * Returns the name of a procedure, malloc'ed, if the compiler shows its mangled name to the user; NULL if the name is to be used as
 * it is, or is NULL. LLVM's flang does so for the bodies of parallel regions, and version 19 for the main program.
 */
char *memphis_demangle_procedure(const char *name);

/* Appends the name of a procedure as the compiler's user knows it, "?" for NULL. */
void memphis_put_procedure(struct memphis_text *text, const char *name);

#define MEMPHIS_FUNCTION_SHORT 48 /* longest function name, in characters, that text output prints in full */

/*
 * Appends a function name as plain text (see memphis_text_put_plain()). A name longer than
 * MEMPHIS_FUNCTION_SHORT is printed without its parameters and, if it is still too long, without template
 * arguments and return type.
 */
void memphis_put_function(struct memphis_text *text, const char *name);

#endif
