// SPDX-License-Identifier: BSD-3-Clause
/*
 * Reads the samples of all thread files in parallel, either whole files or parts of large files. Each worker has its own counts. The
 * workers share only the lookup tables, which are read-only; the one exception is the variables of a binary, which are loaded on first use
 * under the binary's lock. The sums do not depend on which worker reads which part.
 */
#include "attribute/join_workers.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "attribute/worker.h"

/* A part of a thread's file. */
struct task {
	size_t process, thread;
	uint64_t from, to; /* offsets of chunks; to == UINT64_MAX: up to the end of the file */
};

struct run {
	struct memphis_join *join;
	struct task *tasks;
	size_t task_count;
	size_t next; /* index of the next task, shared by all workers and advanced by an atomic add */
};

struct worker {
	struct run *run;
	pthread_t thread;
	struct memphis_worker worker;
	int rc;
	size_t failed_task;
	struct memphis_error error;
};

static int count_chunk(struct worker *worker, const struct memphis_file *file,
		       const struct memphis_chunk_view *chunk)
{
	struct memphis_decoder decoder;
	int rc;

	memphis_decoder_start(&decoder, chunk->payload, chunk->bytes, chunk->count);
	rc = memphis_worker_samples(&worker->worker, &decoder);
	if (rc == -ENOMEM)
		return memphis_fail(&worker->error, rc, "%s: out of memory", file->path);
	if (rc)
		return memphis_fail(&worker->error, rc,
				    "%s: offset 0x%" PRIx64
				    ": no sample can be coded like this; the writer has a "
				    "defect: please report it",
				    file->path,
				    chunk->offset + sizeof(struct memphis_chunk) +
					    (uint64_t)(decoder.next - chunk->payload));
	return 0;
}

static int count_part(struct worker *worker, const struct task *task)
{
	const struct memphis_thread *thread =
		&worker->run->join->list[task->process].process->threads[task->thread];
	struct memphis_chunk_view chunk;
	struct memphis_file file;
	int rc;

	if (memphis_worker_begin(&worker->worker, task->process, task->thread))
		return memphis_fail(&worker->error, -ENOMEM, "%s: out of memory", thread->path);
	rc = memphis_file_open(&file, thread->path, &worker->error);
	if (rc)
		return rc;
	file.ahead = MEMPHIS_FILE_AHEAD;
	file.offset = task->from;
	while (file.offset < task->to && (rc = memphis_file_next(&file, &chunk, &worker->error)) > 0) {
		if (chunk.type != MEMPHIS_CHUNK_SAMPLES)
			continue;
		rc = 0;
		if (worker->worker.with_callers)
			rc = memphis_callers_begin(&worker->worker.callers, thread->log, &file, chunk.offset,
						   &worker->error);
		if (!rc)
			rc = memphis_file_payload(&file, &chunk, &worker->error);
		if (!rc)
			rc = count_chunk(worker, &file, &chunk);
		if (rc)
			break;
	}
	if (rc >= 0 && memphis_worker_end(&worker->worker))
		rc = memphis_fail(&worker->error, -ENOMEM, "%s: out of memory", file.path);
	memphis_file_close(&file);
	return rc < 0 ? rc : 0;
}

static void *work(void *context)
{
	struct worker *worker = context;
	struct run *run = worker->run;
	size_t at;

	while (!worker->rc) {
		at = __atomic_fetch_add(&run->next, 1, __ATOMIC_RELAXED);
		if (at >= run->task_count)
			break;
		worker->rc = count_part(worker, &run->tasks[at]);
		worker->failed_task = at;
	}
	return NULL;
}

static int list_parts(struct run *run, size_t process, size_t number, size_t *room)
{
	const struct memphis_thread *thread = &run->join->processes->list[process].threads[number];
	struct task *task;
	size_t i;

	for (i = 0; i < thread->log->part_count; i++) {
		task = memphis_append(run->tasks, run->task_count, *room);
		if (!task)
			return -ENOMEM;
		*task = (struct task){process, number, thread->log->parts[i],
				      i + 1 < thread->log->part_count ? thread->log->parts[i + 1]
								      : UINT64_MAX};
	}
	return 0;
}

static int list_tasks(struct run *run)
{
	const struct memphis_processes *processes = run->join->processes;
	const struct memphis_selection *selection = run->join->selection;
	size_t i, j, room = 0;
	int rc = 0;

	for (i = 0; i < processes->count; i++) {
		if (!memphis_selection_has(selection, &processes->list[i]))
			continue;
		for (j = 0; !rc && j < processes->list[i].thread_count; j++)
			rc = list_parts(run, i, j, &room);
	}
	return rc;
}

/* Runs all workers. The calling thread runs the first worker. If a thread cannot be started, the remaining workers do all the work. */
static void run_workers(struct worker *workers, unsigned int jobs)
{
	unsigned int i, started = 1;

	for (; started < jobs; started++)
		if (pthread_create(&workers[started].thread, NULL, work, &workers[started]))
			break;
	work(&workers[0]);
	for (i = 1; i < started; i++)
		pthread_join(workers[i].thread, NULL);
}

static int collect(struct memphis_join *join, struct worker *workers, unsigned int jobs,
		   struct memphis_error *error)
{
	const struct worker *failed = NULL;
	unsigned int i;

	for (i = 0; i < jobs; i++)
		if (workers[i].rc && (!failed || workers[i].failed_task < failed->failed_task))
			failed = &workers[i];
	if (failed) {
		*error = failed->error;
		return failed->rc;
	}
	for (i = 0; i < jobs; i++)
		if (memphis_worker_collect(&workers[i].worker))
			return memphis_fail(error, -ENOMEM, "out of memory");
	return memphis_totals_sort(&join->profile->totals) ? memphis_fail(error, -ENOMEM, "out of memory")
							   : 0;
}

int memphis_join_run(struct memphis_join *join, unsigned int jobs, struct memphis_error *error)
{
	struct run run = {.join = join};
	struct worker *workers = NULL;
	unsigned int i;
	int rc = -ENOMEM;

	if (list_tasks(&run))
		goto no_memory;
	if (!jobs)
		jobs = (unsigned int)sysconf(_SC_NPROCESSORS_ONLN);
	if (jobs > run.task_count)
		jobs = (unsigned int)run.task_count;
	if (!jobs)
		jobs = 1;
	workers = calloc(jobs, sizeof(*workers));
	if (!workers)
		goto no_memory;
	for (i = 0; i < jobs; i++) {
		workers[i].run = &run;
		if (memphis_worker_open(&workers[i].worker, join))
			goto no_memory;
	}
	run_workers(workers, jobs);
	rc = collect(join, workers, jobs, error);
	goto release;

no_memory:
	memphis_fail(error, rc, "out of memory");
release:
	for (i = 0; workers && i < jobs; i++)
		memphis_worker_close(&workers[i].worker);
	free(workers);
	free(run.tasks);
	return rc;
}
