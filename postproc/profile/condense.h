/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Condenses the profile of a large job, so that its size hardly grows with the number of threads and of
 * findings. Most processes are condensed: they keep one thread, the sum of all their threads, and no
 * timeline. Their evidence is added to that of the process which shows it most. All sums remain exact:
 * samples, accounting, times of regions, totals by process and access.
 * Which processes are condensed depends only on the set of processes, not on the order in which profiles were
 * merged. A process that is among the first of a part of the job may be condensed later. A process that is
 * among the first of the job is never condensed.
 */
#ifndef MEMPHIS_CONDENSE_H
#define MEMPHIS_CONDENSE_H

#include "profile/profile.h"

#define MEMPHIS_CONDENSED_ABOVE 1024 /* profiles of at most so many processes remain as they are */

/*
 * Numbers of processes that are kept in full: those with most latency of accesses to other nodes, with most samples, with fewest samples,
 * of the lowest ranks, and some taken at random by their run id.
 */
#define MEMPHIS_FULL_REMOTE 24
#define MEMPHIS_FULL_MOST   8
#define MEMPHIS_FULL_FEWEST 8
#define MEMPHIS_FULL_RANKS  8
#define MEMPHIS_FULL_RANDOM 16

/*
 * Number of partners of an MPI function in a region that a condensed process keeps: those for which it waited longest; the others become
 * one sum. Of files, those with most bytes are kept.
 */
#define MEMPHIS_CONDENSED_PARTNERS 16

/*
 * In a profile of more than MEMPHIS_HEATMAP_PROCESSES processes, keeps only the heatmaps that show a pattern in the process with most samples of
 * it. Like condensing, it depends on the set of processes alone.
 */
void memphis_profile_drop_heatmaps(struct memphis_profile *profile);

/* Condenses the profile, unless its cells are separate for each thread. Returns 0 or -ENOMEM. */
int memphis_profile_condense(struct memphis_profile *profile);

#endif
