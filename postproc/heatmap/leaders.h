/* SPDX-License-Identifier: BSD-3-Clause */
/* Chooses the leading variables of a process, which are the ones that are examined for findings. */
#ifndef MEMPHIS_LEADERS_H
#define MEMPHIS_LEADERS_H

#include "heatmap/second_pass.h"

#define MEMPHIS_HEATMAPS 16 /* per process: the leading variables whose heatmaps are kept */

/*
 * Leading variables of a kind of samples are the MEMPHIS_HEATMAPS variables with most of these samples, and every variable with at least the
 * share of them that a finding needs. A variable with this share in all processes together has it in at least one process, so that no
 * finding is missed.
 */
struct memphis_leader {
	uint32_t variable; /* row of the profile */
	uint32_t kinds;    /* bit n: the variable leads among samples of kind n of the second pass */
	uint64_t count;    /* number of samples of any kind */
	uint64_t selected; /* number of samples of the lowest-numbered kind for which it leads */
	bool kept;         /* the heatmap is kept: one of the MEMPHIS_HEATMAPS first ones in kind 0 */
};

/*
 * Lists the leading variables: first the variables that lead in kind 0, sorted by number of samples, then the remaining ones of kind 1, and
 * so on. *leaders is malloc'ed. Returns 0 or -ENOMEM.
 */
int memphis_leaders_find(const struct memphis_second_pass *pass, struct memphis_leader **leaders,
			 size_t *count);

#endif
