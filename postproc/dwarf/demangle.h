/* SPDX-License-Identifier: BSD-3-Clause */
/* Demangling and shortening of C++ function names. */
#ifndef MEMPHIS_DEMANGLE_H
#define MEMPHIS_DEMANGLE_H

#include "base/text.h"

/*
 * Returns the demangled name, malloc'ed; NULL if the symbol is not mangled or the tool was built without the
 * C++ library.
 */
char *memphis_demangle(const char *symbol);

#define MEMPHIS_FUNCTION_SHORT 48 /* longest function name, in characters, that text output prints in full */

/*
 * Appends a function name as plain text (see memphis_text_put_plain()). A name longer than
 * MEMPHIS_FUNCTION_SHORT is printed without its parameters and, if it is still too long, without template
 * arguments and return type.
 */
void memphis_put_function(struct memphis_text *text, const char *name);

#endif
