/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Chooses the parts of a parallel job that fit a page: every process as a cell in a grid of hosts and ranks, and the details of a few
 * processes: the ones that differ most, typical ones, and the first.
 */
#ifndef MEMPHIS_JOB_H
#define MEMPHIS_JOB_H

#include "profile/selection.h"
#include "view/outliers.h"

#define MEMPHIS_JOB_DETAILED 32   /* number of processes that have details in a larger job ... */
#define MEMPHIS_JOB_THREADS  2048 /* ... fewer if they have more threads than these */
/* Maximum number of cells of the grid. In a larger job, a cell stands for several ranks. */
#define MEMPHIS_JOB_CELLS 4096

/* Consecutive ranks of one host, or of consecutive hosts if there are more hosts than cells. */
struct memphis_job_cell {
	uint32_t host, last_host; /* indexes in `hosts` */
	uint64_t first, last;     /* ranks, or positions in the job if the processes have none */
	uint64_t count, away;     /* sums, as in struct memphis_process_row */
	uint32_t processes, outliers;
};

struct memphis_job {
	size_t processes, threads;
	bool *detailed; /* by process of the profile; NULL: all */
	size_t detailed_count;
	const char **hosts; /* sorted */
	size_t host_count;
	struct memphis_job_cell *cells; /* by host, then rank */
	size_t cell_count;
};

/* Makes the grid. Returns 0 or -ENOMEM; close the job in either case. */
int memphis_job_make(struct memphis_job *job, const struct memphis_profile *profile,
		     const struct memphis_selection *selection);
void memphis_job_close(struct memphis_job *job);

/* Returns whether the page has details of this process of the profile. */
static inline bool memphis_job_details(const struct memphis_job *job, size_t process)
{
	return !job || !job->detailed || job->detailed[process];
}

#endif
