// SPDX-License-Identifier: BSD-3-Clause
/*
 * The pipeline that converts sample files to a profile. Its stages, in order:
 * - read the metadata
 * - attribute each sample to an owner
 * - find names for the owners and instructions
 * - read the samples of the leading variables a second time, for heatmaps and findings
 */
#include "analyse/analysis.h"

#include <errno.h>
#include <stdio.h>

#include "attribute/estimate.h"
#include "attribute/join.h"
#include "attribute/join_workers.h"
#include "base/terminal.h"
#include "dwarf/locals.h"
#include "dwarf/source_digests.h"
#include "dwarf/symbols.h"
#include "dwarf/variables.h"
#include "heatmap/heatmaps.h"
#include "heatmap/second_pass.h"
#include "name/names.h"
#include "name/reduce.h"
#include "source/source.h"

/*
 * Reads everything in the files except the samples: settings, topology, maps, allocations, threads, and
 * performance counters. Adds up the counters.
 */
static int load_metadata(struct memphis_profile *profile, char *const *paths, size_t count,
			 const struct memphis_selection *selection, const struct memphis_reduction *how,
			 struct memphis_error *error)
{
	int rc;

	profile->processes.binaries.directories = how->binaries;
	profile->processes.binaries.directory_count = how->binary_count;
	profile->processes.jobs = how->jobs;
	snprintf(profile->selection, sizeof(profile->selection), "%s", selection->kind->name);
	profile->by_region = selection->by_region;
	profile->by_thread = selection->by_thread;
	rc = memphis_processes_load(&profile->processes, paths, count, error);
	if (!rc)
		rc = memphis_counters_read_all(&profile->processes, error);
	return rc ? rc : memphis_selection_check(selection, &profile->processes, error);
}

/* Finds the names of the owners. Fills in the profile's cells, and then its heatmaps and evidence. */
static int name_owners(struct memphis_join *join, struct memphis_sources *sources, bool sharing,
		       struct memphis_error *error)
{
	struct memphis_owner_numbers numbers = {0};
	struct memphis_namer namer = {0};
	int rc;

	memphis_progress_begin_stage("finding names");
	rc = memphis_namer_open(&namer, join, sources);
	if (!rc)
		rc = memphis_estimate(join, &join->counts, memphis_is_one_variable, &namer);
	if (!rc)
		rc = memphis_reduce(&namer, &numbers);
	if (rc)
		memphis_fail(error, rc, "out of memory");
	else
		rc = memphis_heatmaps_make(&namer, &numbers, error);
	if (!rc && sharing)
		rc = memphis_sharing_make(&namer, &numbers, error);
	memphis_owner_numbers_close(&numbers);
	memphis_namer_close(&namer);
	return rc;
}

static void close_binaries(const struct memphis_binaries *binaries)
{
	size_t i;

	for (i = 0; i < binaries->count; i++) {
		memphis_variables_close(binaries->list[i]);
		memphis_locals_close(binaries->list[i]);
		memphis_symbols_close(binaries->list[i]);
		memphis_source_digests_close(binaries->list[i]);
	}
}

int memphis_analyse(struct memphis_profile *profile, char *const *paths, size_t count,
		    const struct memphis_selection *selection, const struct memphis_reduction *how,
		    struct memphis_error *error)
{
	struct memphis_sources sources = {.directories = how->sources, .directory_count = how->source_count};
	struct memphis_join join = {0};
	int rc;

	memphis_progress_begin(paths, count);
	rc = load_metadata(profile, paths, count, selection, how, error);
	if (!rc)
		rc = memphis_join_open(&join, profile, selection, error);
	if (!rc)
		rc = memphis_join_run(&join, error);
	if (!rc)
		rc = name_owners(&join, &sources, how->sharing, error);
	memphis_join_close(&join);
	memphis_sources_close(&sources);
	close_binaries(&profile->processes.binaries);
	memphis_progress_end();
	return rc;
}
