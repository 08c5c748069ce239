/* SPDX-License-Identifier: BSD-3-Clause */
/* Expands macros of C that have parameters, if the file that defines them can be read. */
#ifndef MEMPHIS_MACRO_C_H
#define MEMPHIS_MACRO_C_H

#include <stdbool.h>
#include <stddef.h>

#include "source/source.h"

/*
 * Expands the first use in `text` of a macro with parameters that the file defines; of the brackets around parameters in its body, those are left out that
 * only group. Returns the whole text, malloc'ed; NULL if there is no such use.
 */
char *memphis_macro_expand(const struct memphis_source_file *file, const char *text);

/*
 * Stores the name in the next line `#include "NAME"` of the file after the line *line, which is updated; begin with 0. Returns false if there is none. Longer
 * names are left out.
 */
bool memphis_include_find(const struct memphis_source_file *file, unsigned int *line, char *name,
			  size_t size);

#endif
