// SPDX-License-Identifier: BSD-3-Clause
/*
 * Gives the post-processor sample files that are almost right, in this process, built with sanitizers, and keeps
 * what reaches new code. usage: fuzz MINUTES SCRATCH CASE...
 * CASE: a directory of sample files. SCRATCH: a directory for the files of the run at hand; after a crash they are the
 * ones that did it. Exit status 0: nothing was found.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fuzz.h"
#include "output.h"
#include "variables.h"

int __lsan_do_recoverable_leak_check(void);

static struct fuzz_case *pool;
static size_t pool_count, pool_room;
static const char *scratch;

static void die(const char *what, const char *which)
{
	fprintf(stderr, "fuzz: %s: %s\n", what, which);
	exit(2);
}

static void report_on(char **paths, size_t count)
{
	static const struct memphis_selection all = {.node = -1, .pid = -1};
	struct memphis_selection selection = all;
	struct memphis_processes processes = {0};
	struct memphis_report report = {0};
	struct memphis_sources sources = {0};
	struct memphis_text text = {0};
	struct memphis_join join = {0};
	struct memphis_rows rows = {0};
	struct memphis_error error;
	struct memphis_namer namer = {0};
	size_t i;

	selection.kind = memphis_select_kind("all");
	selection.region = fuzz_below(4) ? NULL : "Bound";
	selection.by_region = fuzz_below(2);
	if (!memphis_processes_load(&processes, paths, count, &error) &&
	    !memphis_join_open(&join, &processes, &selection, &error) &&
	    !memphis_join_run(&join, 1, &error) && !memphis_namer_open(&namer, &join, &sources) &&
	    !memphis_rows_build(&rows, &namer) && !memphis_regions_sum(&join.regions, &rows)) {
		report.processes = &processes;
		report.selection = &selection;
		report.rows = &rows;
		report.join = &join;
		report.threads = true;
		memphis_account(&processes, &selection, &report.accounting);
		memphis_report_notes(&report);
		memphis_output_text(&report, &text);
		memphis_output_json(&report, &text);
	}
	memphis_text_close(&text);
	memphis_text_close(&report.notes);
	memphis_rows_close(&rows);
	memphis_sources_close(&sources);
	memphis_namer_close(&namer);
	if (join.processes)
		memphis_join_close(&join);
	for (i = 0; i < processes.binaries.count; i++) {
		memphis_variables_close(processes.binaries.list[i]);
		memphis_symbols_close(processes.binaries.list[i]);
	}
	memphis_processes_close(&processes);
}

static void run_case(const struct fuzz_case *one)
{
	char names[FILES_MAX][4096], *paths[FILES_MAX];
	unsigned int i;
	FILE *to;

	for (i = 0; i < one->file_count; i++) {
		snprintf(names[i], sizeof(names[i]), "%s/%u.memphis", scratch, i);
		paths[i] = names[i];
		to = fopen(names[i], "w");
		if (!to || fwrite(one->files[i].bytes, 1, one->files[i].count, to) != one->files[i].count ||
		    fclose(to))
			die("cannot write", names[i]);
	}
	fuzz_coverage_begin();
	report_on(paths, one->file_count);
}

static void keep(const struct fuzz_case *one)
{
	struct fuzz_case *kept = memphis_append(pool, pool_count, pool_room);

	if (!kept)
		die("out of memory", "pool");
	fuzz_copy(kept, one);
}

static void load_case(const char *directory)
{
	struct fuzz_case one = {0};
	struct dirent **entries;
	char path[4096];
	int count = scandir(directory, &entries, NULL, alphasort), i;
	struct blob *file;
	FILE *from;

	for (i = 0; i < count; i++) {
		if (strstr(entries[i]->d_name, ".memphis") && one.file_count < FILES_MAX) {
			snprintf(path, sizeof(path), "%s/%s", directory, entries[i]->d_name);
			from = fopen(path, "r");
			if (!from)
				die("cannot read", path);
			file = &one.files[one.file_count++];
			file->bytes = malloc(FILE_BYTES_MAX);
			file->count = fread(file->bytes, 1, FILE_BYTES_MAX, from);
			fclose(from);
		}
		free(entries[i]);
	}
	if (count < 0 || !one.file_count)
		die("no sample files in", directory);
	free(entries);
	run_case(&one);
	fuzz_coverage_is_new();
	keep(&one);
	fuzz_free(&one);
}

int main(int argc, char **argv)
{
	unsigned long runs = 0, kept = 0;
	struct fuzz_case one;
	time_t start = time(NULL), said = start, now;
	double minutes;
	int i;

	if (argc < 4)
		die("usage", "fuzz MINUTES SCRATCH CASE...");
	minutes = atof(argv[1]);
	scratch = argv[2];
	fuzz_seed((uint64_t)start);
	for (i = 3; i < argc; i++)
		load_case(argv[i]);
	for (now = start; (double)(now - start) < minutes * 60; runs++) {
		memset(&one, 0, sizeof(one));
		/* The newest cases twice as often. */
		fuzz_copy(&one, &pool[fuzz_below(2) ? fuzz_below(pool_count)
						    : pool_count - 1 - fuzz_below(pool_count / 4 + 1)]);
		fuzz_mutate(&one, &pool[fuzz_below(pool_count)]);
		run_case(&one);
		if (fuzz_coverage_is_new()) {
			keep(&one);
			kept++;
		}
		fuzz_free(&one);
		now = time(NULL);
		if (now - said < 30)
			continue;
		said = now;
		fprintf(stderr, "fuzz: %ld s: %lu runs, %lu cases kept, %zu edges\n", (long)(now - start),
			runs, kept, fuzz_coverage_total());
		if (__lsan_do_recoverable_leak_check())
			die("memory leaks", "see above; one of the runs since the last line did it");
	}
	printf("fuzz: %lu runs in %ld s, %lu cases kept, %zu edges, no finding\n", runs, (long)(now - start),
	       kept, fuzz_coverage_total());
	while (pool_count)
		fuzz_free(&pool[--pool_count]);
	free(pool);
	return 0;
}
