/* SPDX-License-Identifier: BSD-3-Clause */
/* The leading variables of all shown processes together. */
#ifndef MEMPHIS_LIVE_VARIABLES_H
#define MEMPHIS_LIVE_VARIABLES_H

#include "top/live.h"

struct memphis_top_variable {
	const char *name; /* with its segment: "[heap]:tx" */
	double share;     /* share of the variable in the loads from remote memory of all processes */
	size_t processes; /* number of processes in which it is a leader */
};

struct memphis_top_variables {
	struct memphis_top_variable *list; /* sorted by share, the largest first */
	size_t count, room;
	size_t processes; /* number of processes that have leaders */
	struct memphis_strings names;
};

/* Builds the list. Returns 0 or -ENOMEM. The variables must be closed in both cases. */
int memphis_top_variables_make(struct memphis_top_variables *variables, const struct memphis_live *live);
void memphis_top_variables_close(struct memphis_top_variables *variables);

#endif
