/* SPDX-License-Identifier: BSD-3-Clause */
/* Chooses the leading variables of a process, which are the ones that get a heatmap. */
#ifndef MEMPHIS_LEADERS_H
#define MEMPHIS_LEADERS_H

#include "heatmap/second_pass.h"

#define MEMPHIS_HEATMAPS 16 /* per process and kind of samples: the variables with most selected samples */

struct memphis_leader {
	uint32_t variable; /* row of the profile */
	uint32_t kinds;    /* bit n: the variable leads among samples of kind n of the second pass */
	uint64_t count;    /* number of samples of any kind */
	uint64_t selected; /* number of samples of the lowest-numbered kind for which it leads */
};

/*
 * Lists the leading variables: first the variables that lead in kind 0, sorted by number of samples, then the remaining ones of kind 1, and
 * so on. *leaders is malloc'ed. Returns 0 or -ENOMEM.
 */
int memphis_leaders_find(const struct memphis_second_pass *pass, struct memphis_leader **leaders,
			 size_t *count);

#endif
