/* SPDX-License-Identifier: BSD-3-Clause */
/* The directory of the sample files: makes its path absolute, and tests whether files can be written there. */
#ifndef MEMPHIS_LAUNCH_DIRECTORY_H
#define MEMPHIS_LAUNCH_DIRECTORY_H

#include "base/error.h"

/* maximum size of a directory name in bytes; the library accepts no longer names */
#define MEMPHIS_OUTPUT_BYTES 1024

/*
 * Makes the pattern of a directory absolute, because the processes that the program starts may have other
 * working directories. Returns 0 or a negative errno.
 */
int memphis_directory_resolve(char absolute[MEMPHIS_OUTPUT_BYTES], const char *pattern,
			      struct memphis_error *error);

/*
 * Creates the directory and its parents, and tests it by writing a file, which is removed again. If the
 * pattern contains the process (%p), creates and tests the parent directory of the processes' directories.
 * Returns 0 or a negative errno.
 */
int memphis_directory_try(const char *pattern, struct memphis_error *error);

/* Chooses a name for this launch. It consists of letters and digits. The library includes it in the names of its files. */
#define MEMPHIS_LAUNCH_BYTES 9
void memphis_launch_name(char name[MEMPHIS_LAUNCH_BYTES]);

#endif
