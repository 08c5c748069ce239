/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Chooses the parts of a parallel job that fit on a page. Every process is in a cell of a grid of hosts and ranks. A
 * few processes are shown in detail: those that differ most from the median, some typical ones, and the first ones.
 */
#ifndef MEMPHIS_JOB_H
#define MEMPHIS_JOB_H

#include "profile/selection.h"
#include "view/outliers.h"

#define MEMPHIS_JOB_DETAILED 32   /* maximum number of processes that are shown in detail */
#define MEMPHIS_JOB_THREADS  2048 /* fewer are shown if they have more threads than this */
/* Maximum number of cells in the grid. In a larger job, each cell represents several ranks. */
#define MEMPHIS_JOB_CELLS 4096

/* A cell of the grid: consecutive ranks of one host, or of consecutive hosts if there are more hosts than cells. */
struct memphis_job_cell {
	uint32_t host, last_host; /* indices in `hosts` */
	uint64_t first, last;     /* ranks; if the processes have no ranks, positions in the job */
	uint64_t count, away;     /* sums, as in struct memphis_process_row */
	uint32_t processes, outliers;
};

struct memphis_job {
	size_t processes, threads;
	bool *detailed; /* by process of the profile; NULL: all processes are shown in detail */
	size_t detailed_count;
	const char **hosts; /* sorted */
	size_t host_count;
	struct memphis_job_cell *cells; /* sorted by host, then by rank */
	size_t cell_count;
};

/* Makes the grid and chooses the detailed processes. Returns 0 or -ENOMEM. The caller must close the job in both cases. */
int memphis_job_make(struct memphis_job *job, const struct memphis_profile *profile,
		     const struct memphis_selection *selection);
void memphis_job_close(struct memphis_job *job);

/* Returns whether the page shows this process of the profile in detail. */
static inline bool memphis_job_details(const struct memphis_job *job, size_t process)
{
	return !job || !job->detailed || job->detailed[process];
}

#endif
