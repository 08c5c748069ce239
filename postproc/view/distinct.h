/* SPDX-License-Identifier: BSD-3-Clause */
/* The distinct values of a setting over all processes: hosts, periods, commands. */
#ifndef MEMPHIS_DISTINCT_H
#define MEMPHIS_DISTINCT_H

#include "profile/selection.h"
#include "read/process.h"

struct memphis_distinct {
	const char *text;
	size_t process; /* the first process with this value */
	size_t count;   /* number of processes with this value */
};

/*
 * Lists the values of `key` in the selected processes (NULL: in all), in the order of the first process with each value. *list is malloc'ed.
 * Returns 0 or -ENOMEM.
 */
int memphis_distinct_list(struct memphis_distinct **list, size_t *count,
			  const struct memphis_processes *processes,
			  const struct memphis_selection *selection, const char *key);

#endif
