// SPDX-License-Identifier: BSD-3-Clause
/* Chooses the processes of a job that a page shows in detail, and makes the grid of all processes. */
#include "view/job.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "read/thread.h"

/*
 * One in TYPICAL_PART of the detailed processes is typical, and at most as many are the first ones of the job. The
 * others are those that differ most from the median.
 */
#define TYPICAL_PART   4
#define DETAILED_LEAST 4

/* A process, with its place in the grid. */
struct member {
	const char *host;
	uint64_t rank;
	const struct memphis_process_row *row;
};

static int compare_members(const void *a, const void *b)
{
	const struct member *x = a, *y = b;
	int order = strcmp(x->host, y->host);

	if (order)
		return order;
	return memphis_order(x->rank, y->rank) ?: memphis_order(x->row->process, y->row->process);
}

/* Adds a process to the detailed ones. Does nothing if the process is condensed, because it then has no details. */
static void add_detailed(struct memphis_job *job, const struct memphis_profile *profile, size_t process)
{
	if (profile->processes.list[process].condensed)
		return;
	job->detailed_count += !job->detailed[process];
	job->detailed[process] = true;
}

/* Returns the number of processes that are shown in detail if the job is large. */
static size_t count_detailed(const struct memphis_process_table *table, const struct memphis_profile *profile)
{
	size_t threads = 0, count, i;

	for (i = 0; i < table->count; i++)
		threads += memphis_process_threads(&profile->processes.list[table->list[i].process]);
	count = threads ? MEMPHIS_JOB_THREADS * table->count / threads : MEMPHIS_JOB_DETAILED;
	if (count < DETAILED_LEAST)
		return DETAILED_LEAST;
	return count < MEMPHIS_JOB_DETAILED ? count : MEMPHIS_JOB_DETAILED;
}

/* Chooses the processes that are shown in detail. The table must be sorted by the distance from the median, largest first. */
static int choose_detailed(struct memphis_job *job, const struct memphis_process_table *table,
			   const struct memphis_profile *profile, const struct memphis_selection *selection)
{
	const size_t wanted = count_detailed(table, profile);
	size_t i, left = wanted / TYPICAL_PART;

	job->detailed_count = table->count;
	if (table->count <= MEMPHIS_JOB_DETAILED)
		return 0;
	job->detailed_count = 0;
	job->detailed = calloc(profile->processes.count, sizeof(*job->detailed));
	if (!job->detailed)
		return -ENOMEM;
	for (i = table->count; i > 0 && job->detailed_count < wanted / TYPICAL_PART; i--)
		add_detailed(job, profile, table->list[i - 1].process);
	for (i = 0; left && i < profile->processes.count; i++)
		if (memphis_selection_has(selection, &profile->processes.list[i])) {
			add_detailed(job, profile, i);
			left--;
		}
	for (i = 0; i < table->count && job->detailed_count < wanted; i++)
		add_detailed(job, profile, table->list[i].process);
	return 0;
}

static bool is_new_host(const struct member *members, size_t number)
{
	return !number || strcmp(members[number].host, members[number - 1].host) != 0;
}

static int make_grid(struct memphis_job *job, const struct member *members, size_t count)
{
	const size_t per_cell = (count + MEMPHIS_JOB_CELLS - 1) / MEMPHIS_JOB_CELLS;
	struct memphis_job_cell *cell = NULL;
	bool by_host;
	size_t i;

	job->hosts = calloc(count + 1, sizeof(*job->hosts));
	job->cells = calloc(count + 1, sizeof(*job->cells));
	if (!job->hosts || !job->cells)
		return -ENOMEM;
	for (i = 0; i < count; i++)
		if (is_new_host(members, i))
			job->hosts[job->host_count++] = members[i].host;
	by_host = job->host_count <= MEMPHIS_JOB_CELLS;
	job->host_count = 0;
	for (i = 0; i < count; i++) {
		job->host_count += is_new_host(members, i);
		if (!i || cell->processes == per_cell || (by_host && is_new_host(members, i))) {
			cell = &job->cells[job->cell_count++];
			cell->host = (uint32_t)job->host_count - 1;
			cell->first = members[i].rank;
		}
		cell->last_host = (uint32_t)job->host_count - 1;
		cell->last = members[i].rank;
		cell->processes++;
		cell->count += members[i].row->count;
		cell->away += members[i].row->away;
		cell->outliers += members[i].row->outlier;
	}
	return 0;
}

int memphis_job_make(struct memphis_job *job, const struct memphis_profile *profile,
		     const struct memphis_selection *selection)
{
	struct memphis_process_table table;
	const struct memphis_process *process;
	struct member *members = NULL;
	const char *host;
	size_t i;
	int rc;

	memset(job, 0, sizeof(*job));
	rc = memphis_process_table_make(&table, profile, selection, MEMPHIS_SORT_COUNT);
	if (!rc)
		rc = choose_detailed(job, &table, profile, selection);
	if (!rc) {
		members = calloc(table.count + 1, sizeof(*members));
		rc = members ? 0 : -ENOMEM;
	}
	for (i = 0; !rc && i < table.count; i++) {
		process = &profile->processes.list[table.list[i].process];
		host = memphis_setting(&process->settings, "host");
		members[i] = (struct member){host ? host : "?", table.list[i].rank, &table.list[i]};
		if (members[i].rank == UINT64_MAX)
			members[i].rank = table.list[i].process;
		job->threads += memphis_process_threads(process);
	}
	job->processes = table.count;
	if (!rc && table.count) {
		qsort(members, table.count, sizeof(*members), compare_members);
		rc = make_grid(job, members, table.count);
	}
	free(members);
	memphis_process_table_close(&table);
	return rc;
}

void memphis_job_close(struct memphis_job *job)
{
	free(job->detailed);
	free(job->hosts);
	free(job->cells);
	memset(job, 0, sizeof(*job));
}
