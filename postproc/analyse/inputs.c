// SPDX-License-Identifier: BSD-3-Clause
/* Combines the inputs of a command, sample files and profiles, into one profile. */
#include "analyse/inputs.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <memphis/format.h>

#include "base/order.h"
#include "base/workers.h"
#include "profile/condense.h"
#include "profile/heatmap.h"
#include "profile/file/mprof.h"
#include "profile/profile.h"

struct paths {
	char **list; /* malloc'ed strings */
	size_t count, room;
};

struct inputs {
	struct paths samples, profiles;
};

static int add_path(struct paths *paths, const char *path)
{
	char **kept = memphis_append(paths->list, paths->count, paths->room);

	if (!kept)
		return -ENOMEM;
	*kept = strdup(path);
	return *kept ? 0 : -ENOMEM;
}

static void free_paths(struct paths *paths)
{
	size_t i;

	for (i = 0; i < paths->count; i++)
		free(paths->list[i]);
	free(paths->list);
}

/*
 * Chooses the inputs in a directory. If there are sample files, profiles in the same directory are ignored,
 * because they were made from these files.
 */
static int sort_directory(struct inputs *inputs, const char *path, struct memphis_error *error)
{
	const size_t before = inputs->profiles.count;
	DIR *directory = opendir(path);
	struct dirent *entry;
	bool samples = false;
	char *name;
	int rc = 0;

	if (!directory)
		return memphis_fail(error, -errno, "%s: cannot open: %s", path, strerror(errno));
	while (!rc && (entry = readdir(directory))) {
		samples = samples || memphis_ends_with(entry->d_name, MEMPHIS_FILE_SUFFIX);
		if (!memphis_ends_with(entry->d_name, MEMPHIS_PROFILE_SUFFIX))
			continue;
		rc = asprintf(&name, "%s/%s", path, entry->d_name) < 0 ? -ENOMEM : 0;
		if (!rc) {
			rc = add_path(&inputs->profiles, name);
			free(name);
		}
	}
	closedir(directory);
	if (!rc && (samples || inputs->profiles.count == before)) {
		while (inputs->profiles.count > before)
			free(inputs->profiles.list[--inputs->profiles.count]);
		rc = add_path(&inputs->samples, path);
	}
	return rc ? memphis_fail(error, rc, "out of memory") : 0;
}

/*
 * Sorts the paths into sample files and profiles. Missing and unrecognised files are treated as sample files,
 * whose reader reports the error. Ignores saved measurements of machines, which may be next to the
 * directories of ranks.
 */
static int sort_paths(struct inputs *inputs, char *const *paths, size_t count, struct memphis_error *error)
{
	struct stat status;
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < count; i++) {
		if (!stat(paths[i], &status) && S_ISDIR(status.st_mode))
			rc = sort_directory(inputs, paths[i], error);
		else if (!memphis_ends_with(paths[i], MEMPHIS_NODE_SUFFIX) &&
			 add_path(memphis_ends_with(paths[i], MEMPHIS_PROFILE_SUFFIX) ||
						  memphis_mprof_is(paths[i])
					  ? &inputs->profiles
					  : &inputs->samples,
				  paths[i]))
			rc = memphis_fail(error, -ENOMEM, "out of memory");
	}
	if (!rc && !inputs->samples.count && !inputs->profiles.count)
		rc = memphis_fail(error, -ENOENT,
				  "%s: a measurement of a machine; add the directory of the samples",
				  paths[0]);
	return rc;
}

/* The profiles that one worker has loaded, merged into one profile. */
struct loaded {
	struct memphis_profile profile;
	size_t processes; /* number of processes after the profile was last condensed */
	uint64_t damaged;
};

struct loading {
	const struct paths *paths;
	struct loaded *list; /* indexed by worker */
};

/*
 * Condenses a profile while further files are being loaded. Otherwise, a large job would need memory for the
 * details of all processes.
 */
static int condense_loaded(struct loaded *loaded, struct memphis_error *error)
{
	int rc = memphis_profile_condense(&loaded->profile);

	loaded->processes = loaded->profile.processes.count;
	return rc ? memphis_fail(error, rc, "out of memory") : 0;
}

/*
 * Loads a profile and merges it into the worker's profile. A damaged profile is reported, counted and
 * skipped, so that only its own processes are lost. Each profile is first loaded separately, because a part
 * of a damaged one may be readable and must not be merged.
 */
static int load_profile(void *context, unsigned int worker, size_t number, struct memphis_error *error)
{
	const struct loading *loading = context;
	struct loaded *loaded = &loading->list[worker];
	const char *path = loading->paths->list[number];
	struct memphis_profile profile = {0};
	struct memphis_error reason;
	int rc = memphis_mprof_load(&profile, path, error);

	if (rc) {
		memphis_profile_close(&profile);
		if (rc != -EBADMSG)
			return rc;
		loaded->damaged++;
		if (loading->paths->count == 1)
			return rc;
		fprintf(stderr, "memphis: %s; left out\n", error->text);
		return 0;
	}
	rc = memphis_profile_merge(&loaded->profile, &profile, &reason);
	if (rc)
		return memphis_fail(error, rc, "%s: %s", path, reason.text);
	if (loaded->profile.heatmap_count > MEMPHIS_HEATMAPS_AT_ONCE)
		memphis_profile_drop_heatmaps(&loaded->profile);
	return loaded->profile.processes.count - loaded->processes > MEMPHIS_CONDENSED_ABOVE
		       ? condense_loaded(loaded, error)
		       : 0;
}

/* Merges the profiles of all workers into the profile of the first worker. */
static int merge_loaded(struct loaded *list, unsigned int count, size_t paths, struct memphis_error *error)
{
	struct memphis_profile *profile = &list[0].profile;
	unsigned int i;
	int rc = 0;

	/* If a worker started too late to load a file, its profile is empty and has no selection that could be compared. */
	for (i = 1; !rc && i < count; i++)
		if (*list[i].profile.selection)
			rc = memphis_profile_merge(profile, &list[i].profile, error);
	if (!rc && !*profile->selection)
		rc = memphis_fail(error, -EBADMSG, "all %zu profiles are damaged", paths);
	return rc;
}

/* Loads profiles in parallel. */
static int load_profiles(struct memphis_profile *profile, const struct paths *paths, unsigned int jobs,
			 struct memphis_error *error)
{
	const unsigned int workers = memphis_workers(jobs, paths->count);
	struct loading loading = {paths, calloc(workers, sizeof(*loading.list))};
	unsigned int i;
	int rc;

	if (!loading.list)
		return memphis_fail(error, -ENOMEM, "out of memory");
	rc = memphis_workers_run(workers, paths->count, load_profile, &loading, error);
	if (!rc)
		rc = merge_loaded(loading.list, workers, paths->count, error);
	*profile = loading.list[0].profile;
	for (i = 0; i < workers; i++)
		profile->processes.damaged_files += loading.list[i].damaged;
	for (i = 1; i < workers; i++)
		memphis_profile_close(&loading.list[i].profile);
	free(loading.list);
	return rc;
}

static int order_profile(struct memphis_profile *profile, bool condensed, struct memphis_error *error)
{
	int rc = condensed ? memphis_profile_condense(profile) : 0;

	if (!rc)
		rc = memphis_profile_order(profile);

	return rc ? memphis_fail(error, rc, "out of memory") : 0;
}

static int add_profiles(struct memphis_profile *profile, const struct paths *paths,
			const struct memphis_selection *selection, unsigned int jobs,
			struct memphis_error *error)
{
	struct memphis_profile loaded = {0};
	int rc = load_profiles(&loaded, paths, jobs, error);

	if (!rc)
		rc = memphis_profile_filter(&loaded, selection, paths->list[0], error);
	if (!rc)
		return memphis_profile_merge(profile, &loaded, error);
	memphis_profile_close(&loaded);
	return rc;
}

int memphis_inputs_open(struct memphis_profile *profile, char *const *paths, size_t count,
			const struct memphis_selection *selection, const struct memphis_reduction *how,
			struct memphis_error *error)
{
	struct memphis_selection apart = *selection;
	struct inputs inputs = {0};
	int rc = sort_paths(&inputs, paths, count, error);

	/* Samples by rank need separate regions and threads. Do not require these for profiles, which may lack one of them. */
	apart.by_region |= selection->by_rank && !inputs.profiles.count;
	apart.by_thread |= selection->by_rank && !inputs.profiles.count;
	if (!rc && inputs.samples.count)
		rc = memphis_analyse(profile, inputs.samples.list, inputs.samples.count, &apart, how, error);
	if (!rc && inputs.profiles.count)
		rc = add_profiles(profile, &inputs.profiles, selection, how->jobs, error);
	/* The selected pid may be unique in the sample files and in the profiles, but ambiguous in both together. */
	if (!rc && inputs.samples.count && inputs.profiles.count)
		rc = memphis_selection_check(selection, &profile->processes, error);
	if (!rc)
		rc = order_profile(profile, selection->all_apart || !inputs.samples.count, error);
	free_paths(&inputs.samples);
	free_paths(&inputs.profiles);
	return rc;
}

static int compare_paths(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void keep_part(struct paths *paths, struct memphis_inputs_part part)
{
	size_t kept = 0, i;

	memphis_sort(paths->list, paths->count, compare_paths);
	for (i = 0; i < paths->count; i++)
		if (i % part.of == part.number)
			paths->list[kept++] = paths->list[i];
		else
			free(paths->list[i]);
	paths->count = kept;
}

int memphis_inputs_merge(struct memphis_profile *profile, char *const *paths, size_t count,
			 struct memphis_inputs_part part, unsigned int jobs, struct memphis_error *error)
{
	struct inputs inputs = {0};
	int rc = sort_paths(&inputs, paths, count, error);

	if (!rc && inputs.samples.count)
		rc = memphis_fail(error, -EINVAL,
				  "%s: no profile (*" MEMPHIS_PROFILE_SUFFIX
				  "), nor a directory of such; memphis reduce makes them from sample files",
				  inputs.samples.list[0]);
	if (!rc)
		keep_part(&inputs.profiles, part);
	if (!rc && inputs.profiles.count)
		rc = load_profiles(profile, &inputs.profiles, jobs, error);
	/* If all profiles of a part are damaged, the result is an empty profile with their number. */
	if (rc == -EBADMSG && part.of > 1 && profile->processes.damaged_files) {
		fprintf(stderr, "memphis: %s\n", error->text);
		snprintf(profile->selection, sizeof(profile->selection), "all");
		rc = 0;
	}
	if (!rc)
		rc = order_profile(profile, true, error);
	free_paths(&inputs.samples);
	free_paths(&inputs.profiles);
	return rc;
}

static void note_condensed(const struct memphis_processes *processes, struct memphis_text *text)
{
	size_t condensed = 0, i;

	for (i = 0; i < processes->count; i++)
		condensed += processes->list[i].condensed;
	if (condensed)
		memphis_text_print(
			text,
			"%zu of %zu processes are condensed, as in every profile of more than %d: their threads are one sum without a timeline. Sums are exact; what is said of single threads is of the other processes (memphis-merge(1))\n",
			condensed, processes->count, MEMPHIS_CONDENSED_ABOVE);
}

void memphis_inputs_put_notes(const struct memphis_profile *profile, struct memphis_text *text)
{
	const struct memphis_processes *processes = &profile->processes;
	const uint64_t files = processes->empty_files, directories = processes->empty_directories;

	if (files)
		memphis_text_print(text, "%" PRIu64 " sample file%s empty", files,
				   files == 1 ? " is" : "s are");
	if (directories)
		memphis_text_print(text, "%s%" PRIu64 " director%s no sample files", files ? ", " : "",
				   directories, directories == 1 ? "y has" : "ies have");
	if (files || directories)
		memphis_text_put(
			text,
			": ignored; the writer was killed before it wrote, or the copy failed (find DIR -empty lists them)\n");
	if (processes->damaged_files)
		memphis_text_print(
			text,
			"%" PRIu64
			" profile%s damaged: left out, with all %s samples; reduce the sample files again\n",
			processes->damaged_files, processes->damaged_files == 1 ? " was" : "s were",
			processes->damaged_files == 1 ? "its" : "their");
	note_condensed(processes, text);
}
