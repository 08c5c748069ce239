/* SPDX-License-Identifier: BSD-3-Clause */
/* The leading variables of a process: the ones that get a heatmap. */
#ifndef MEMPHIS_LEADERS_H
#define MEMPHIS_LEADERS_H

#include "heatmap/second_pass.h"

#define MEMPHIS_HEATMAPS 16 /* per process and kind of samples: the variables with most selected samples */

struct memphis_leader {
	uint32_t variable;
	uint32_t kinds; /* 1 << n: it is one of the leading variables among samples of kind n of the look */
	uint64_t count; /* samples of any kind */
	uint64_t selected;
};

/* The leading variables of each kind, first those of the one that is selected, in order; *leaders is malloc'ed. 0 or -ENOMEM. */
int memphis_leaders_find(const struct memphis_second_pass *pass, struct memphis_leader **leaders,
			 size_t *count);

#endif
