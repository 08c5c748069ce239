/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists the different values that a setting has in all processes, for example hosts, periods or commands. */
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
 * Lists the values of `key` in the selected processes, in the order of the first process with each value. If
 * `selection` is NULL, all processes are used. The caller must free *list. Returns 0 or -ENOMEM.
 */
int memphis_distinct_list(struct memphis_distinct **list, size_t *count,
			  const struct memphis_processes *processes,
			  const struct memphis_selection *selection, const char *key);

#endif
