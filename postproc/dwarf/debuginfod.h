/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Downloads of executables and debug information from the servers in DEBUGINFOD_URLS; no server is contacted
 * while the variable is unset or empty.
 */
#ifndef MEMPHIS_DEBUGINFOD_H
#define MEMPHIS_DEBUGINFOD_H

enum memphis_debuginfod_what { MEMPHIS_DEBUGINFOD_EXECUTABLE, MEMPHIS_DEBUGINFOD_DEBUG_INFORMATION };

/*
 * Returns the malloc'ed path, in the debuginfod cache shared by all tools, of the file with this build-id
 * (hex); NULL if there is none.
 */
char *memphis_debuginfod(enum memphis_debuginfod_what what, const char *build_id);

#endif
