// SPDX-License-Identifier: BSD-3-Clause
/* The processes of a job on a page. If this fails, the process that differs is not shown, or a page grows with the number of ranks. */
#include "view/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../tap.h"

/* Ranks with some threads each, by turns on two hosts, in the reverse order of their paths; rank `odd` has more samples than the others. */
static void make(struct memphis_profile *profile, unsigned int ranks, unsigned int threads, unsigned int odd)
{
	const struct memphis_access access = {.node = 0, .home = 1};
	struct memphis_process *process;
	unsigned int i, j, rank;
	char line[64];

	memset(profile, 0, sizeof(*profile));
	for (i = 0; i < ranks; i++) {
		rank = ranks - 1 - i;
		process = memphis_append(profile->processes.list, profile->processes.count,
					 profile->processes.room);
		snprintf(line, sizeof(line), "rank %u\n", rank);
		memphis_settings_add(&process->settings, (struct memphis_span){line, strlen(line)});
		snprintf(line, sizeof(line), "host n%u\n", rank % 2);
		memphis_settings_add(&process->settings, (struct memphis_span){line, strlen(line)});
		for (j = 0; j < threads; j++)
			memphis_append(process->threads, process->thread_count, process->thread_room);
		memphis_totals_get(&profile->totals, i, 0, access)->measure.count =
			rank == odd ? 900 : 100 + rank % 3;
		memphis_totals_get(&profile->totals, i, 0, access)->measure.accesses =
			rank == odd ? 900 : 100 + rank % 3;
	}
}

static void close_profile(struct memphis_profile *profile)
{
	size_t i;

	for (i = 0; i < profile->processes.count; i++) {
		memphis_settings_close(&profile->processes.list[i].settings);
		free(profile->processes.list[i].threads);
	}
	free(profile->processes.list);
	memphis_totals_close(&profile->totals);
}

static const struct memphis_selection all = {.node = -1};

static void check_small(const struct memphis_select_kind *kind)
{
	struct memphis_selection selection = all;
	struct memphis_profile profile;
	struct memphis_job job;

	selection.kind = kind;
	make(&profile, 32, 1, 32);
	is(memphis_job_make(&job, &profile, &selection), 0, "a job of 32 processes is listed");
	ok(!job.detailed && job.detailed_count == 32, "all of them have details");
	is(job.threads, 32, "their threads are counted");
	memphis_job_close(&job);
	close_profile(&profile);
}

static void check_large(const struct memphis_select_kind *kind)
{
	struct memphis_selection selection = all;
	struct memphis_profile profile;
	struct memphis_job job;
	size_t i, details = 0;

	selection.kind = kind;
	make(&profile, 100, 1, 77);
	is(memphis_job_make(&job, &profile, &selection), 0, "a job of 100 processes is listed");
	for (i = 0; i < 100; i++)
		details += job.detailed[i];
	is(details, 32, "32 of them have details");
	is(job.detailed_count, 32, "this number is known");
	ok(job.detailed[99 - 77], "the process that differs has");
	ok(job.detailed[0] && job.detailed[7], "the first ones have");
	is(job.host_count, 2, "there are two hosts");
	is_text(job.hosts[1], "n1", "they are sorted");
	is(job.cell_count, 100, "each process has a cell");
	is(job.cells[0].first, 0, "cells are sorted by host, then rank");
	is(job.cells[49].first, 98, "as the last rank of the first host");
	is(job.cells[50 + 38].count, 900, "a cell has the samples of its rank");
	is(job.cells[50 + 38].outliers, 1, "it says that the rank differs");
	is(job.cells[50 + 37].outliers, 0, "and that others don't");
	memphis_job_close(&job);
	close_profile(&profile);
}

/* Most of a page are the details of threads. */
static void check_threads(const struct memphis_select_kind *kind)
{
	struct memphis_selection selection = all;
	struct memphis_profile profile;
	struct memphis_job job;

	selection.kind = kind;
	make(&profile, 100, 128, 77);
	is(memphis_job_make(&job, &profile, &selection), 0, "a job of processes with 128 threads is listed");
	is(job.detailed_count, 16, "16 of them have details, with 2,048 threads");
	ok(job.detailed[99 - 77], "the process that differs has");
	ok(job.detailed[0] && job.detailed[3], "the first ones have");
	memphis_job_close(&job);
	close_profile(&profile);
	make(&profile, 100, 4096, 77);
	is(memphis_job_make(&job, &profile, &selection), 0,
	   "a job of processes with 4,096 threads is listed");
	is(job.detailed_count, 4, "four of them have details");
	memphis_job_close(&job);
	close_profile(&profile);
}

static void check_huge(const struct memphis_select_kind *kind)
{
	struct memphis_selection selection = all;
	struct memphis_profile profile;
	uint64_t samples = 0, processes = 0;
	struct memphis_job job;
	size_t i;

	selection.kind = kind;
	make(&profile, 10000, 1, 10000);
	is(memphis_job_make(&job, &profile, &selection), 0, "a job of 10,000 processes is listed");
	for (i = 0; i < job.cell_count; i++) {
		samples += job.cells[i].count;
		processes += job.cells[i].processes;
	}
	ok(job.cell_count <= MEMPHIS_JOB_CELLS + 2, "it has no more cells than a page has room for");
	is(job.cells[0].last, 4, "a cell stands for consecutive ranks of one host");
	is(processes, 10000, "no process is missing");
	is(samples, 10000 * 100 + 9999, "no sample is missing");
	memphis_job_close(&job);
	close_profile(&profile);
}

int main(void)
{
	const struct memphis_select_kind *kind = memphis_select_kind("all");

	check_small(kind);
	check_large(kind);
	check_threads(kind);
	check_huge(kind);
	return finish();
}
