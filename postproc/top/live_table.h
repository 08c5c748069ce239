/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of a live view as text: nodes, processes and leading variables. */
#ifndef MEMPHIS_LIVE_TABLE_H
#define MEMPHIS_LIVE_TABLE_H

#include "top/live.h"

struct memphis_top_order {
	const char *name, *help;
	/* Returns the sort key of a process; the largest comes first. NULL: sort by rank and pid. */
	double (*key)(const struct memphis_live_process *process);
};

/* the first is the default; the last has the name NULL */
extern const struct memphis_top_order memphis_top_orders[];

struct memphis_top_view {
	size_t width,
		height; /* size of the screen; height 0: all rows of nodes and processes, at most 10 variables, no keys */
	const struct memphis_top_order *order;
	bool paused, naming; /* naming: names have not been searched for yet */
	const char *waiting; /* text that is shown while there is no process */
};

/* Appends the tables. Does not cut lines that are too long. Returns 0 or -ENOMEM. */
int memphis_top_put(const struct memphis_top_view *view, const struct memphis_live *live,
		    struct memphis_text *text);

#endif
