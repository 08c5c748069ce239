/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Downloads executables and debug information from the servers listed in DEBUGINFOD_URLS. No server is
 * contacted if that environment variable is unset or empty.
 */
#ifndef MEMPHIS_DEBUGINFOD_H
#define MEMPHIS_DEBUGINFOD_H

enum memphis_debuginfod_what { MEMPHIS_DEBUGINFOD_EXECUTABLE, MEMPHIS_DEBUGINFOD_DEBUG_INFORMATION };

/*
 * Downloads the file with this build-id (hex) into the debuginfod cache that all tools share. Returns the
 * malloc'ed path of the file, or NULL if it is not available.
 */
char *memphis_debuginfod(enum memphis_debuginfod_what what, const char *build_id);

#endif
