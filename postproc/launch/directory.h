/* SPDX-License-Identifier: BSD-3-Clause */
/* The directory of the sample files: its absolute name, and a test that files can be written there. */
#ifndef MEMPHIS_LAUNCH_DIRECTORY_H
#define MEMPHIS_LAUNCH_DIRECTORY_H

#include "base/error.h"

/* size of a name, in bytes; the library accepts no longer ones */
#define MEMPHIS_OUTPUT_BYTES 1024

/*
 * Makes the pattern of a directory absolute: the processes that the program starts may have other working directories. Returns 0 or a
 * negative errno.
 */
int memphis_directory_resolve(char absolute[MEMPHIS_OUTPUT_BYTES], const char *pattern,
			      struct memphis_error *error);

/*
 * Makes the directory with its parents, and tests it with a file, which is removed. If the pattern contains the process (%p), the directory
 * above those of the processes is made and tested. Returns 0 or a negative errno.
 */
int memphis_directory_try(const char *pattern, struct memphis_error *error);

/* Makes the name of this launch: letters and digits, which the library puts into the names of its files. */
#define MEMPHIS_LAUNCH_BYTES 9
void memphis_launch_name(char name[MEMPHIS_LAUNCH_BYTES]);

#endif
