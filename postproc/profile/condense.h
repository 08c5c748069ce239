/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Condenses the profile of a large job, so that its size hardly grows with the number of threads and findings. Most
 * processes are condensed: they keep a single thread, which is the sum of their threads, and no timeline. Their
 * evidence is added to that of the process with the most samples of the same pattern. All sums remain exact: samples,
 * accounting, times of regions, and totals by process and access.
 *
 * Which processes are condensed depends only on the set of processes, and not on the order in which profiles are
 * merged. A process that is kept in full in a part of the job may be condensed later. A process that is kept in full
 * in the whole job is never condensed in a part of it.
 */
#ifndef MEMPHIS_CONDENSE_H
#define MEMPHIS_CONDENSE_H

#include "profile/profile.h"

#define MEMPHIS_CONDENSED_ABOVE 1024 /* profiles with at most this number of processes are not condensed */

/*
 * Numbers of processes that are kept in full: those with the most latency of accesses to other nodes, with the most
 * samples, with the fewest samples, with the lowest ranks, and a random choice by run id.
 */
#define MEMPHIS_FULL_REMOTE 24
#define MEMPHIS_FULL_MOST   8
#define MEMPHIS_FULL_FEWEST 8
#define MEMPHIS_FULL_RANKS  8
#define MEMPHIS_FULL_RANDOM 16

/*
 * Number of partners of an MPI function in a region that a condensed process keeps. These are the ranks for which it
 * waited longest, or the files with the most bytes. The others are added to one sum.
 */
#define MEMPHIS_CONDENSED_PARTNERS 16

/*
 * Drops heatmaps of a profile with more than MEMPHIS_HEATMAP_PROCESSES processes. For each pattern, keeps only the
 * heatmaps of the process with the most samples of it. The result depends only on the set of processes, as for
 * condensing.
 */
void memphis_profile_drop_heatmaps(struct memphis_profile *profile);

/*
 * Condenses the profile if it is large enough. Does only memphis_profile_drop_heatmaps() if the cells of the profile
 * are separate for each thread. Returns 0 or -ENOMEM.
 */
int memphis_profile_condense(struct memphis_profile *profile);

#endif
