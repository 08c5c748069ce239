/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs and their debug information from the servers that DEBUGINFOD_URLS names; without it nobody is asked. */
#ifndef MEMPHIS_DEBUGINFOD_H
#define MEMPHIS_DEBUGINFOD_H

enum memphis_debuginfod_what { MEMPHIS_DEBUGINFOD_EXECUTABLE, MEMPHIS_DEBUGINFOD_DEBUG_INFORMATION };

/* The path of the file with that build-id (hex), malloc'ed, in the cache that all tools share; NULL = there is none. */
char *memphis_debuginfod(enum memphis_debuginfod_what what, const char *build_id);

#endif
