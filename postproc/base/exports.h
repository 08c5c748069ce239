/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds out what a shared library exports, without loading the library. */
#ifndef MEMPHIS_EXPORTS_H
#define MEMPHIS_EXPORTS_H

#include <stddef.h>

/*
 * Returns the smallest index in `names` of a symbol that the library at `path` exports. Returns -1 if it
 * exports none of them, or if the file is not a 64-bit ELF library.
 */
int memphis_exports_which(const char *path, const char *const *names, size_t count);

#endif
