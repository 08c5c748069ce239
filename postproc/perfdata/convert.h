/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes sample files of a file that perf has recorded. */
#ifndef MEMPHIS_PERFDATA_CONVERT_H
#define MEMPHIS_PERFDATA_CONVERT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Paths of files that only memphis_made_open() opens. */
struct memphis_perfdata {
	char **paths;
	size_t count, room;
};

/* Returns whether the path is that of a recording of perf's, of any byte order and version. */
bool memphis_perfdata_is(const char *path);

/*
 * Makes the files of all processes that the recording has samples of; if there are no samples of a program, of those that have any. Returns 0, or a
 * negative errno with a message in *error. Adds their paths to the list, which must be closed in both cases.
 */
int memphis_perfdata_convert(struct memphis_perfdata *made, const char *path, struct memphis_error *error);

/* Makes a list of the paths in which the files made are in the place of each recording. Returns as memphis_perfdata_convert() does. */
int memphis_perfdata_expand(struct memphis_perfdata *made, char *const *paths, size_t count,
			    struct memphis_error *error);
void memphis_perfdata_close(struct memphis_perfdata *made);

#endif
