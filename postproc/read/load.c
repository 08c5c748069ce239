// SPDX-License-Identifier: BSD-3-Clause
/* Loads the files of processes and threads, except the samples. */
#include "read/process.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/order.h"
#include "base/workers.h"
#include "perfdata/convert.h"
#include "perfdata/spool.h"
#include "read/chunks.h"
#include "read/joined.h"
#include "read/scan.h"
#include "read/thread.h"

/*
 * Loads the chunks that the scan left for later: those that add to tables of the process, or of all
 * processes. Before each of them, restores the offset and the sample count of the last SAMPLES chunk before it.
 */
static int load_chunks(struct memphis_processes *processes, struct memphis_process *process,
		       struct memphis_thread *thread, struct memphis_file *file,
		       struct memphis_scanned_part *part, struct memphis_error *error)
{
	struct memphis_scanned_chunk *chunk;
	int rc = 0;

	for (chunk = part->chunks; !rc && chunk < part->chunks + part->count; chunk++) {
		if (thread) {
			thread->log->samples_offset = chunk->samples_offset;
			thread->log->samples_count = chunk->samples_count;
		}
		rc = memphis_chunk_load(processes, process, thread, file, &chunk->view, error);
	}
	return rc;
}

void memphis_thread_set_stack_bounds(struct memphis_thread *thread)
{
	struct memphis_thread_log *log = thread->log;
	const char *range = memphis_setting(&thread->metadata, "stack");
	const char *dash = range ? strchr(range, '-') : NULL;

	if (!dash ||
	    !memphis_span_number((struct memphis_span){range, (size_t)(dash - range)}, true,
				 &log->stack_low) ||
	    !memphis_span_number((struct memphis_span){dash + 1, strlen(dash + 1)}, true, &log->stack_high))
		log->stack_low = log->stack_high = 0;
}

struct memphis_process *memphis_processes_add(struct memphis_processes *processes,
					      const struct memphis_file_header *header)
{
	const uint32_t number = memphis_strings_add(&processes->runs, header->run, sizeof(header->run));
	struct memphis_process *process;

	if (number == MEMPHIS_NO_STRING)
		return NULL;
	if (number <= processes->count)
		return &processes->list[number - 1];
	process = memphis_append(processes->list, processes->count, processes->room);
	if (!process)
		return NULL;
	memcpy(process->run, header->run, sizeof(process->run));
	process->pid = header->pid;
	process->log = calloc(1, sizeof(*process->log));
	/* Number 0 means "no stack" and "no name". The empty string, added first, takes it. */
	if (!process->log || memphis_strings_add(&process->log->stacks, "", 0) ||
	    memphis_strings_add(&process->log->names, "", 0))
		return NULL;
	return process;
}

/* Reports an error if the file is a copy of one that is already loaded. Otherwise, its samples would be counted twice. */
static int reject_duplicate(const struct memphis_process *process, const struct memphis_file *file,
			    const struct memphis_scanned_part *part, struct memphis_error *error)
{
	const struct memphis_thread *thread;
	size_t i;

	for (i = 0; i < process->thread_count; i++) {
		thread = &process->threads[i];
		if (thread->tid == part->header.tid && thread->start_time_ns == part->header.start_time_ns)
			return memphis_fail(error, -EINVAL,
					    "%s: offset 0x%" PRIx64
					    ": the same thread of the same run as %s; give each file once",
					    file->path, part->thread.begin + 0x10, thread->path);
	}
	return 0;
}

/* Adds the thread of a scanned part to its process. On failure, returns NULL and sets *rc and *error. */
static struct memphis_thread *add_thread(struct memphis_process *process, const struct memphis_file *file,
					 struct memphis_scanned_part *part, int *rc,
					 struct memphis_error *error)
{
	struct memphis_thread *thread;

	*rc = reject_duplicate(process, file, part, error);
	if (*rc)
		return NULL;
	thread = memphis_append(process->threads, process->thread_count, process->thread_room);
	if (thread) {
		*thread = part->thread;
		memset(&part->thread, 0, sizeof(part->thread));
		thread->tid = part->header.tid;
		thread->start_time_ns = part->header.start_time_ns;
		thread->path = strdup(file->path);
	}
	if (thread && thread->path && thread->log)
		return thread;
	*rc = memphis_fail(error, -ENOMEM, "%s: out of memory", file->path);
	return NULL;
}

/* Loads a scanned part: a thread, or a process file. */
static int load_part(struct memphis_processes *processes, struct memphis_file *file,
		     struct memphis_scanned_part *part, struct memphis_error *error)
{
	struct memphis_process *process = memphis_processes_add(processes, &part->header);
	struct memphis_thread *thread = NULL;
	int rc = 0;

	if (!process)
		return memphis_fail(error, -ENOMEM, "%s: out of memory", file->path);
	if (part->header.kind == MEMPHIS_FILE_THREAD) {
		thread = add_thread(process, file, part, &rc, error);
		if (!thread)
			return rc;
	} else if (process->path) {
		return memphis_fail(
			error, -EINVAL,
			"%s: offset 0x10: a process file of the same run as %s; give each file once",
			file->path, process->path);
	} else if (!(process->path = strdup(file->path))) {
		return memphis_fail(error, -ENOMEM, "%s: out of memory", file->path);
	}
	rc = load_chunks(processes, process, thread, file, part, error);
	if (rc)
		return rc;
	if (!thread) {
		process->closed = part->closed;
		process->unfinished = part->unfinished;
		return 0;
	}
	thread->closed = part->closed;
	thread->unfinished = part->unfinished;
	memphis_thread_set_stack_bounds(thread);
	free(thread->log->stack_ids);
	thread->log->stack_ids = NULL;
	thread->log->stack_id_count = thread->log->stack_id_room = 0;
	return 0;
}

/* Loads a scanned file. `failure` is the error message of the scan. It is used only if the scan failed. */
static int load_file(struct memphis_processes *processes, const char *path, struct memphis_scan *scan,
		     const struct memphis_error *failure, struct memphis_error *error)
{
	struct memphis_file file;
	size_t i;
	int rc;

	/*
	 * The file is empty if the process was killed after it created the file and before it wrote the
	 * header. For a file of ended threads, the same holds for the header of its first thread. Empty files
	 * are normal with thousands of ranks.
	 */
	if (scan->rc == -ENODATA) {
		processes->empty_files++;
		memphis_file_empty(path, error);
		return 0;
	}
	rc = memphis_file_open(&file, path, error);
	if (rc)
		return rc;
	file.ahead = MEMPHIS_FILE_GLANCE;
	for (i = 0; !rc && i < scan->count; i++)
		rc = load_part(processes, &file, &scan->parts[i], error);
	if (!rc && scan->rc) {
		rc = scan->rc;
		*error = *failure;
	}
	memphis_file_close(&file);
	return rc;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The files to load, and the results of scanning them. */
struct files {
	char **paths;
	size_t count, room;
	struct memphis_scan *scans;
	bool accounting_only;
};

/* Appends a path. Takes ownership of `path`, which is malloc'ed. If `path` is NULL, returns -ENOMEM. */
static int add_path(struct files *files, char *path)
{
	char **added = path ? memphis_append(files->paths, files->count, files->room) : NULL;

	if (!added) {
		free(path);
		return -ENOMEM;
	}
	*added = path;
	return 0;
}

static int list_directory(struct memphis_processes *processes, const char *path, struct files *files,
			  struct memphis_error *error)
{
	const size_t suffix = strlen(MEMPHIS_FILE_SUFFIX), first = files->count;
	char recording[PATH_MAX];
	size_t directory_bytes = strlen(path), bytes;
	struct dirent *entry;
	char *file;
	int rc = 0;
	DIR *directory = opendir(path);

	if (!directory)
		return memphis_fail(error, -errno, "%s: cannot open: %s", path, strerror(errno));
	/* Remove trailing slashes, so that DIR/ and DIR give the same paths. Profiles store these paths. */
	while (directory_bytes && path[directory_bytes - 1] == '/')
		directory_bytes--;
	while (!rc && (entry = readdir(directory))) {
		bytes = strlen(entry->d_name);
		if (bytes < suffix || strcmp(entry->d_name + bytes - suffix, MEMPHIS_FILE_SUFFIX))
			continue;
		if (asprintf(&file, "%.*s/%s", (int)directory_bytes, path, entry->d_name) < 0)
			file = NULL;
		rc = add_path(files, file);
	}
	closedir(directory);
	if (rc)
		return memphis_fail(error, rc, "%s: out of memory", path);
	/*
	 * A directory without sample files is an error only if there is no other input: the process may have
	 * been killed before it wrote a file.
	 */
	if (files->count == first) {
		processes->empty_directories++;
		snprintf(recording, sizeof(recording), "%.*s/perf.data", (int)directory_bytes, path);
		if (memphis_perfdata_is(recording))
			memphis_fail(error, -ENODATA,
				     "%s: no sample files (*%s) here, but a recording of perf: give %s", path,
				     MEMPHIS_FILE_SUFFIX, recording);
		else
			memphis_fail(
				error, -ENODATA,
				"%s: no sample files (*%s) here; was the program sampled? it says on stderr why not",
				path, MEMPHIS_FILE_SUFFIX);
	} else {
		qsort(files->paths + first, files->count - first, sizeof(*files->paths), compare_names);
	}
	return 0;
}

static int list_files(struct memphis_processes *processes, char *const *paths, size_t count,
		      struct files *files, struct memphis_error *error)
{
	struct stat status;
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < count; i++) {
		if (memphis_made_stat(paths[i], &status))
			rc = memphis_fail(error, -errno, "%s: cannot open: %s", paths[i], strerror(errno));
		else if (S_ISDIR(status.st_mode))
			rc = list_directory(processes, paths[i], files, error);
		else if (add_path(files, strdup(paths[i])))
			rc = memphis_fail(error, -ENOMEM, "%s: out of memory", paths[i]);
	}
	return rc;
}

static int scan(void *context, unsigned int worker, size_t number, struct memphis_error *error)
{
	struct files *files = context;

	(void)worker;
	return memphis_scan_file(&files->scans[number], files->paths[number], files->accounting_only, error);
}

/* Scans the files, several at a time. Then loads them one after the other, in order. */
static int load_files(struct memphis_processes *processes, struct files *files, struct memphis_error *error)
{
	struct memphis_error failure;
	size_t i;
	int rc = 0;

	files->accounting_only = processes->accounting_only;
	files->scans = calloc(files->count + 1, sizeof(*files->scans));
	if (!files->scans)
		return memphis_fail(error, -ENOMEM, "out of memory");
	/* If the workers cannot start, no scan sets its result. Start with an error. */
	for (i = 0; i < files->count; i++)
		files->scans[i].rc = -ENOMEM;
	memphis_workers_run(memphis_workers(processes->jobs, files->count), files->count, scan, files,
			    &failure);
	/* If a scan failed, load the files before it nevertheless: if one of them has an error, that error is reported. */
	for (i = 0; i < files->count; i++) {
		if (!rc)
			rc = load_file(processes, files->paths[i], &files->scans[i], &failure, error);
		memphis_scan_close(&files->scans[i]);
	}
	free(files->scans);
	return rc;
}

static int compare_threads(const void *a, const void *b)
{
	const struct memphis_thread *x = a, *y = b;

	return memphis_order(x->tid, y->tid) ?: memphis_order(x->start_time_ns, y->start_time_ns);
}

static int settle_made_code(struct memphis_processes *processes, struct memphis_process *process)
{
	struct memphis_maps *maps = &process->log->maps;
	bool is_used = false;
	size_t i;

	for (i = 0; i < maps->count; i++)
		is_used |= memphis_map_has_made_code(&maps->list[i]);
	return memphis_jit_settle(&maps->jit, &processes->binaries, process->run, is_used);
}

static int settle(struct memphis_processes *processes, struct memphis_error *error)
{
	struct memphis_process *process;
	size_t i, j;

	for (i = 0; i < processes->count; i++) {
		process = &processes->list[i];
		if (!process->path)
			return memphis_fail(
				error, -ENOENT,
				"%s: the process file (*.process" MEMPHIS_FILE_SUFFIX
				") of this thread's process %u was not given%s; give the whole directory",
				process->threads[0].path, process->pid,
				processes->empty_files ? ", or is empty" : "");
		/* Sort the threads, so that the result does not depend on the order in which files are given. */
		if (process->thread_count)
			qsort(process->threads, process->thread_count, sizeof(*process->threads),
			      compare_threads);
		for (j = 0; j < process->thread_count; j++)
			if (memphis_allocations_sort(process->threads[j].log))
				return memphis_fail(error, -ENOMEM, "%s: out of memory", process->path);
		if (memphis_maps_settle(&process->log->maps, &processes->binaries) ||
		    settle_made_code(processes, process))
			return memphis_fail(error, -ENOMEM, "%s: out of memory", process->path);
	}
	return 0;
}

static void close_files(struct files *files)
{
	size_t i;

	for (i = 0; i < files->count; i++)
		free(files->paths[i]);
	free(files->paths);
	memset(files, 0, sizeof(*files));
}

/* Loads Memphis sample files, and the directories among the paths. */
static int load_own(struct memphis_processes *processes, char *const *paths, size_t count,
		    struct memphis_error *error)
{
	struct files files = {.count = 0};
	int rc = 0;
	size_t i;

	for (i = 0; !rc && i < count; i++)
		if (!memphis_perfdata_is(paths[i]))
			rc = list_files(processes, &paths[i], 1, &files, error);
	if (!rc)
		rc = load_files(processes, &files, error);
	close_files(&files);
	return rc;
}

/*
 * Loads the perf recordings (perf.data) among the paths. Must be called after load_own(), as the threads of a
 * recording may belong to processes that are already loaded.
 */
static int load_recordings(struct memphis_processes *processes, char *const *paths, size_t count,
			   struct memphis_error *error)
{
	struct memphis_perfdata_partner *list;
	struct memphis_perfdata_partners partners = {0};
	struct memphis_perfdata made = {0};
	struct files files = {.count = 0};
	size_t i;
	int rc = memphis_partners_list(processes, &list, &partners.count)
			 ? memphis_fail(error, -ENOMEM, "out of memory")
			 : 0;

	partners.list = list;
	for (i = 0; !rc && i < count; i++)
		if (memphis_perfdata_is(paths[i]))
			rc = memphis_perfdata_convert(&made, paths[i], &partners, error);
	if (!rc)
		rc = list_files(processes, made.paths, made.count, &files, error);
	if (!rc && files.count)
		rc = load_files(processes, &files, error);
	close_files(&files);
	memphis_perfdata_close(&made);
	free(list);
	return rc;
}

int memphis_processes_load(struct memphis_processes *processes, char *const *paths, size_t path_count,
			   struct memphis_error *error)
{
	size_t i;
	int rc = load_own(processes, paths, path_count, error);

	if (!rc)
		rc = load_recordings(processes, paths, path_count, error);
	if (rc)
		return rc;
	for (i = 0; !rc && i < processes->count; i++)
		rc = memphis_threads_join(&processes->list[i], error);
	if (rc || processes->count)
		return rc ? rc : settle(processes, error);
	/* For a single empty file, *error already contains a more specific message. */
	if (processes->empty_files > 1)
		memphis_fail(
			error, -ENODATA,
			"%s: all %" PRIu64
			" sample files are empty; the recorded processes did not get to write them, or the copy failed",
			paths[0], processes->empty_files);
	return -ENODATA;
}

void memphis_process_free_nodes(struct memphis_process *process)
{
	size_t i;

	for (i = 0; !process->nodes_shared && i < process->node_count; i++) {
		free(process->nodes[i].cpus);
		free(process->nodes[i].distances);
	}
	if (!process->nodes_shared)
		free(process->nodes);
	process->nodes = NULL;
}

static void close_log(struct memphis_process_log *log)
{
	memphis_maps_close(&log->maps);
	memphis_strings_close(&log->stacks);
	memphis_strings_close(&log->names);
	free(log->holders);
	free(log->namings);
	free(log->stack_times_ns);
	free(log->part_names);
	free(log->python_lines);
	free(log);
}

static void close_process(struct memphis_process *process)
{
	size_t i;

	for (i = 0; i < process->thread_count; i++)
		memphis_thread_close(&process->threads[i]);
	memphis_process_free_nodes(process);
	memphis_process_free_regions(process);
	free(process->path);
	free(process->threads);
	memphis_counters_close(process->counters);
	memphis_settings_close(&process->settings);
	memphis_settings_close(&process->losses);
	memphis_settings_close(&process->files);
	if (process->log)
		close_log(process->log);
}

void memphis_processes_close(struct memphis_processes *processes)
{
	size_t i;

	for (i = 0; i < processes->count; i++)
		close_process(&processes->list[i]);
	free(processes->list);
	memphis_strings_close(&processes->chains);
	memphis_strings_close(&processes->runs);
	memphis_binaries_close(&processes->binaries);
	memset(processes, 0, sizeof(*processes));
}
