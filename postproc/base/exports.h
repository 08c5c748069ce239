/* SPDX-License-Identifier: BSD-3-Clause */
/* What a shared library exports, without loading it. */
#ifndef MEMPHIS_EXPORTS_H
#define MEMPHIS_EXPORTS_H

#include <stddef.h>

/* Returns the index of the first of the names that the library defines for others, or -1 if it has none, or is no library of this machine. */
int memphis_exports_which(const char *path, const char *const *names, size_t count);

#endif
