/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of functions as C++ programmers write them. */
#ifndef MEMPHIS_DEMANGLE_H
#define MEMPHIS_DEMANGLE_H

#include "base/text.h"

/* malloc'ed; NULL if the symbol is not mangled, or the tool was built without the C++ library. */
char *memphis_demangle(const char *symbol);

#define MEMPHIS_FUNCTION_SHORT 48 /* characters of a name that a line of text has room for */

/*
 * Puts a name into a line of text, shortened, and plain as memphis_text_put_plain() does: a name that is longer than that loses its parameters, and if it is still longer its template arguments and what it returns.
 */
void memphis_put_function(struct memphis_text *text, const char *name);

#endif
