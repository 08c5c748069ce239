/* SPDX-License-Identifier: BSD-3-Clause */
/* Converts a file that perf recorded to sample files. */
#ifndef MEMPHIS_PERFDATA_CONVERT_H
#define MEMPHIS_PERFDATA_CONVERT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Paths of the sample files that a conversion has made. They are in no directory: memphis_made_find() returns the file of a path. */
struct memphis_perfdata {
	char **paths;
	size_t count, room;
};

/* Returns true if the path is a recording of perf, of any byte order and version. */
bool memphis_perfdata_is(const char *path);

/*
 * A process that Memphis recorded without samples while perf recorded the samples. The threads of the perf
 * recording are then added to this process.
 */
struct memphis_perfdata_partner {
	uint64_t run[2];
	uint32_t pid;
	const char *host, *program; /* host name and path of the program, or NULL if unknown */
	uint64_t start_realtime_ns; /* 0 if unknown */
	uint64_t start_ns, stop_ns; /* CLOCK_MONOTONIC; stop_ns is UINT64_MAX if unknown */
};

struct memphis_perfdata_partners {
	const struct memphis_perfdata_partner *list;
	size_t count;
};

/*
 * Converts the recording at `path` to sample files. Which processes get files:
 * - If processes have partners: only these. Their threads are assigned to the partners.
 * - Otherwise, the processes that have samples of the program which were not filtered out.
 * - If there are none: all processes with samples, except the kernel (PID 0).
 * `partners` may be NULL. Appends the paths of the files to the list, which the caller must close in all
 * cases. Returns 0, or a negative errno with a message in *error: -EINVAL if perf used another clock than the
 * partners.
 */
int memphis_perfdata_convert(struct memphis_perfdata *made, const char *path,
			     const struct memphis_perfdata_partners *partners, struct memphis_error *error);

/*
 * Copies the list of paths, and replaces each recording of perf by the files made from it. Returns the same
 * values as memphis_perfdata_convert().
 */
int memphis_perfdata_expand(struct memphis_perfdata *made, char *const *paths, size_t count,
			    struct memphis_error *error);
void memphis_perfdata_close(struct memphis_perfdata *made);

#endif
