// SPDX-License-Identifier: BSD-3-Clause
/*
 * Reads the samples of all thread files in parallel, either whole files or parts of large files. Each worker has its own counts. The
 * workers share only the lookup tables, which are read-only; the one exception is the variables of a binary, which are loaded on first use
 * under the binary's lock. The sums do not depend on which worker reads which part.
 */
#include "attribute/join_workers.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "attribute/worker.h"
#include "base/workers.h"

/* A part of a thread's file. */
struct task {
	size_t process, thread;
	uint64_t from, to; /* offsets of chunks; to == UINT64_MAX: up to the end of the file */
};

struct run {
	struct memphis_join *join;
	struct task *tasks;
	size_t task_count;
	struct memphis_worker *workers;
};

static int count_chunk(struct memphis_worker *worker, const struct memphis_file *file,
		       const struct memphis_chunk_view *chunk, struct memphis_error *error)
{
	struct memphis_decoder decoder;
	int rc;

	memphis_decoder_start(&decoder, chunk->payload, chunk->bytes, chunk->count);
	rc = memphis_worker_samples(worker, &decoder);
	if (rc == -ENOMEM)
		return memphis_fail(error, rc, "%s: out of memory", file->path);
	if (rc)
		return memphis_fail(
			error, rc,
			"%s: offset 0x%" PRIx64
			": no sample can be coded like this; the writer has a defect: please report it",
			file->path,
			chunk->offset + sizeof(struct memphis_chunk) +
				(uint64_t)(decoder.next - chunk->payload));
	return 0;
}

static int count_part(void *context, unsigned int number, size_t at, struct memphis_error *error)
{
	const struct run *run = context;
	const struct task *task = &run->tasks[at];
	const struct memphis_thread *thread = &run->join->list[task->process].process->threads[task->thread];
	struct memphis_worker *worker = &run->workers[number];
	struct memphis_chunk_view chunk;
	struct memphis_file file;
	int rc;

	if (memphis_worker_begin(worker, task->process, task->thread))
		return memphis_fail(error, -ENOMEM, "%s: out of memory", thread->path);
	rc = memphis_file_open_part(&file, thread->path, thread->begin, thread->end, error);
	if (rc)
		return rc;
	file.ahead = MEMPHIS_FILE_AHEAD;
	file.offset = task->from;
	while (file.offset < task->to && (rc = memphis_file_next(&file, &chunk, error)) > 0) {
		if (chunk.type != MEMPHIS_CHUNK_SAMPLES)
			continue;
		rc = 0;
		if (worker->with_callers)
			rc = memphis_callers_begin(&worker->callers, thread->log, &file, chunk.offset, error);
		if (!rc)
			rc = memphis_file_payload(&file, &chunk, error);
		if (!rc)
			rc = count_chunk(worker, &file, &chunk, error);
		if (rc)
			break;
	}
	if (rc >= 0 && memphis_worker_end(worker))
		rc = memphis_fail(error, -ENOMEM, "%s: out of memory", file.path);
	memphis_file_close(&file);
	return rc < 0 ? rc : 0;
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

static int collect(struct memphis_join *join, struct memphis_worker *workers, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		if (memphis_worker_collect(&workers[i]))
			return -ENOMEM;
	return memphis_totals_sort(&join->profile->totals);
}

int memphis_join_run(struct memphis_join *join, struct memphis_error *error)
{
	struct run run = {.join = join};
	unsigned int count = 0, opened = 0;
	int rc = list_tasks(&run);

	if (!rc) {
		count = memphis_workers(join->processes->jobs, run.task_count);
		run.workers = aligned_alloc(_Alignof(struct memphis_worker), count * sizeof(*run.workers));
		rc = run.workers ? 0 : -ENOMEM;
	}
	while (!rc && opened < count)
		rc = memphis_worker_open(&run.workers[opened++], join);
	if (rc)
		memphis_fail(error, rc, "out of memory");
	else
		rc = memphis_workers_run(count, run.task_count, count_part, &run, error);
	if (!rc && collect(join, run.workers, count))
		rc = memphis_fail(error, -ENOMEM, "out of memory");
	while (opened)
		memphis_worker_close(&run.workers[--opened]);
	free(run.workers);
	free(run.tasks);
	return rc;
}
