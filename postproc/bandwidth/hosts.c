// SPDX-License-Identifier: BSD-3-Clause
/* Adds up the times of the processes of each host. */
#include "bandwidth/hosts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"

const char *memphis_host_of(const struct memphis_process *process)
{
	return memphis_setting(&process->settings, "host");
}

int memphis_compare_names(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) : (a != NULL) - (b != NULL);
}

/*
 * Returns whether the row is the selected region, but not nested in another row with the same name. A recursive region
 * would otherwise be counted twice.
 */
static bool is_selected_row(const struct memphis_region_times *times,
			    const struct memphis_region_times_row *row, const char *region)
{
	const struct memphis_region_times_row *around = row;

	while (around->parent != MEMPHIS_NONE) {
		around = &times->list[around->parent];
		if (!strcmp(around->name, region))
			return false;
	}
	return !strcmp(row->name, region);
}

/* Sets ns[i] to the longest time that any thread of process i spent in the region. */
static int set_region_times(uint64_t *ns, const struct memphis_profile *profile, const char *region,
			    const struct memphis_region_times *times)
{
	const struct memphis_processes *processes = &profile->processes;
	const struct memphis_region_times_row *row = times->list, *end = row + times->count;
	uint64_t *threads;
	size_t thread = 0, i, j;

	threads = calloc((size_t)memphis_profile_thread(profile, processes->count) + 1, sizeof(*threads));
	if (!threads)
		return -ENOMEM;
	for (; row < end; row++)
		for (i = 0; is_selected_row(times, row, region) && i < row->threads.count; i++)
			threads[row->threads.list[i].thread] += row->threads.list[i].number;
	for (i = 0; i < processes->count; i++)
		for (j = 0; j < processes->list[i].thread_count; j++, thread++)
			if (threads[thread] > ns[i])
				ns[i] = threads[thread];
	free(threads);
	return 0;
}

static int set_process_times(uint64_t *ns, const struct memphis_profile *profile,
			     const struct memphis_selection *selection,
			     const struct memphis_region_times *times)
{
	const struct memphis_processes *processes = &profile->processes;
	size_t i;

	if (selection->region)
		return set_region_times(ns, profile, selection->region, times);
	for (i = 0; i < processes->count; i++)
		ns[i] = memphis_setting_number(&processes->list[i].settings, "active_ns", 0);
	return 0;
}

static int compare_starts(const void *a, const void *b)
{
	const struct memphis_busy_host *x = a, *y = b;

	return memphis_compare_names(x->host, y->host) ?: memphis_order(x->start_ns, y->start_ns);
}

/* Merges the entries of processes on the same host. Time during which several processes ran counts only once. */
static void combine_hosts(struct memphis_busy_hosts *hosts)
{
	uint64_t start, end = 0;
	size_t kept = 0, i;

	qsort(hosts->list, hosts->count, sizeof(*hosts->list), compare_starts);
	for (i = 0; i < hosts->count; i++) {
		const struct memphis_busy_host next = hosts->list[i];

		if (!kept || memphis_compare_names(hosts->list[kept - 1].host, next.host)) {
			hosts->list[kept++] = next;
			end = next.start_ns + next.ns;
			continue;
		}
		start = next.start_ns > end ? next.start_ns : end;
		if (next.start_ns + next.ns > start) {
			hosts->list[kept - 1].ns += next.start_ns + next.ns - start;
			end = next.start_ns + next.ns;
		}
	}
	hosts->count = kept;
}

int memphis_busy_hosts_make(struct memphis_busy_hosts *hosts, const struct memphis_profile *profile,
			    const struct memphis_selection *selection,
			    const struct memphis_region_times *times)
{
	const struct memphis_processes *processes = &profile->processes;
	const struct memphis_process *process;
	uint64_t *ns = calloc(processes->count + 1, sizeof(*ns));
	size_t i;

	hosts->count = 0;
	hosts->list = calloc(processes->count + 1, sizeof(*hosts->list));
	if (!hosts->list || !ns || set_process_times(ns, profile, selection, times)) {
		free(ns);
		return -ENOMEM;
	}
	for (i = 0; i < processes->count; i++) {
		process = &processes->list[i];
		if (memphis_selection_has(selection, process))
			hosts->list[hosts->count++] = (struct memphis_busy_host){
				.host = memphis_host_of(process),
				.start_ns = memphis_setting_number(&process->settings, "active_first_ns", 0),
				.ns = ns[i]};
	}
	free(ns);
	combine_hosts(hosts);
	return 0;
}

void memphis_busy_hosts_close(struct memphis_busy_hosts *hosts)
{
	free(hosts->list);
	memset(hosts, 0, sizeof(*hosts));
}

struct memphis_busy_host *memphis_busy_host(const struct memphis_busy_hosts *hosts, const char *host)
{
	const size_t at =
		memphis_bisect(i, hosts->count, memphis_compare_names(hosts->list[i].host, host) < 0);

	return at < hosts->count && !memphis_compare_names(hosts->list[at].host, host) ? &hosts->list[at]
										       : NULL;
}
