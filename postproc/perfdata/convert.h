/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes sample files of a file that perf has recorded. */
#ifndef MEMPHIS_PERFDATA_CONVERT_H
#define MEMPHIS_PERFDATA_CONVERT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Paths of files that only memphis_made_open() opens. */
struct memphis_perfdata {
	char **paths;
	size_t count, room;
};

/* Returns whether the path is that of a recording of perf's, of any byte order and version. */
bool memphis_perfdata_is(const char *path);

/* A process of which there are sample files without samples: those of a recording belong to it. */
struct memphis_perfdata_partner {
	uint64_t run[2];
	uint32_t pid;
	const char *host, *program; /* name and path, or NULL */
	uint64_t start_realtime_ns; /* 0: unknown */
	uint64_t start_ns, stop_ns; /* CLOCK_MONOTONIC; stop_ns is UINT64_MAX if it is unknown */
};

struct memphis_perfdata_partners {
	const struct memphis_perfdata_partner *list;
	size_t count;
};

/*
 * Makes the files of all processes that the recording has samples of; if there are no samples of a program, of those that have any. Of a process with a
 * partner, threads are made that belong to the partner; `partners` may be NULL. Returns 0, or a negative errno with a message in *error: -EINVAL if
 * perf has used another clock. Adds their paths to the list, which must be closed in both cases.
 */
int memphis_perfdata_convert(struct memphis_perfdata *made, const char *path,
			     const struct memphis_perfdata_partners *partners, struct memphis_error *error);

/* Makes a list of the paths in which the files made are in the place of each recording. Returns as memphis_perfdata_convert() does. */
int memphis_perfdata_expand(struct memphis_perfdata *made, char *const *paths, size_t count,
			    struct memphis_error *error);
void memphis_perfdata_close(struct memphis_perfdata *made);

#endif
