/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of a live view as text: nodes, processes and leading variables. */
#ifndef MEMPHIS_LIVE_TABLE_H
#define MEMPHIS_LIVE_TABLE_H

#include "top/live.h"

struct memphis_top_order {
	const char *name, *help;
	/* sort key, descending; NULL: by rank and pid */
	double (*key)(const struct memphis_live_process *process);
};

extern const struct memphis_top_order memphis_top_orders[]; /* the default first; ends with a NULL name */

struct memphis_top_view {
	size_t width, height; /* of the screen; 0: all rows, and no keys */
	const struct memphis_top_order *order;
	bool paused, naming; /* naming: names have not been searched for yet */
	const char *waiting; /* what the view waits for while there is no process */
};

/* Appends the tables; lines are not cut. Returns 0 or -ENOMEM. */
int memphis_top_put(const struct memphis_top_view *view, const struct memphis_live *live,
		    struct memphis_text *text);

#endif
