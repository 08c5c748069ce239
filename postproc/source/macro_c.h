/* SPDX-License-Identifier: BSD-3-Clause */
/* Expands C macros that have parameters. The file with the definition must be readable. */
#ifndef MEMPHIS_MACRO_C_H
#define MEMPHIS_MACRO_C_H

#include <stdbool.h>
#include <stddef.h>

#include "source/source.h"

/*
 * Expands the first use in `text` of a macro with parameters that the file defines. Removes brackets in the
 * macro's body that only group a parameter. Of definitions that differ, that which names the function `callee`
 * counts, because the statement has called it; "" names none. Returns the whole text, malloc'ed, or NULL if the
 * text uses no such macro.
 */
char *memphis_macro_expand(const struct memphis_source_file *file, const char *text, const char *callee);

/*
 * Stores the name in the next line `#include "NAME"` after line number *line, and updates *line. Start with
 * *line = 0. Skips names that do not fit into `size` bytes. Returns false if there is no such line.
 */
bool memphis_include_find(const struct memphis_source_file *file, unsigned int *line, char *name,
			  size_t size);

#endif
