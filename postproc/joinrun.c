// SPDX-License-Identifier: BSD-3-Clause
/*
 * Reads the samples of all thread files, several files at a time, and counts them. Each worker has a profile
 * and a cache of its own; nothing is shared but the look-ups, which are read only (variables of a binary are
 * read at first need, under its lock).
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "decode.h"
#include "join.h"

#define CACHE_SLOTS      4096 /* of each cache; a power of two */
#define CACHE_PAGE_SHIFT 16

/* What an instruction touched last, and where the instruction itself belongs. */
struct cached_pc {
	uint64_t pc, vaddr;
	uint64_t code_from_ns, code_to_ns; /* to = 0: nothing cached */
	uint32_t code;
	uint32_t node, region;
	size_t slots;              /* of the profile when `cell` was found; 0: it was not */
	struct memphis_cell *cell; /* of this instruction, node and answer */
	struct memphis_answer answer;
};

struct caches {
	struct cached_pc by_pc[CACHE_SLOTS];
	struct memphis_answer by_page[CACHE_SLOTS];
};

struct task {
	size_t process, thread;
};

struct run {
	struct memphis_join *join;
	struct task *tasks;
	size_t task_count;
	size_t next; /* taken with an atomic add */
};

struct worker {
	struct run *run;
	pthread_t thread;
	struct memphis_profile profile;
	struct caches *caches;
	uint64_t *written; /* samples of each region, if these are counted apart */
	size_t cache_process;
	int rc;
	size_t failed_task;
	struct memphis_error error;
};

static inline bool holds(const struct memphis_answer *answer, const struct memphis_sample *sample)
{
	return sample->address >= answer->low && sample->address < answer->high &&
	       sample->time_ns >= answer->from_ns && sample->time_ns < answer->to_ns;
}

/* The slow half: what the instruction touched last says nothing about this sample. */
static int look_up(struct worker *worker, size_t process, const struct memphis_sample *sample,
		   struct cached_pc *cached)
{
	struct memphis_join *join = worker->run->join;
	struct memphis_answer *paged;
	int rc;

	cached->slots = 0;
	if (cached->pc != sample->pc || sample->time_ns < cached->code_from_ns ||
	    sample->time_ns >= cached->code_to_ns) {
		cached->pc = sample->pc;
		cached->code = memphis_join_code(join, process, sample->pc, sample->time_ns, &cached->vaddr,
						 &cached->code_from_ns, &cached->code_to_ns);
		cached->answer.high = 0;
	}
	if (holds(&cached->answer, sample))
		return 0;
	paged = &worker->caches->by_page[sample->address >> CACHE_PAGE_SHIFT & (CACHE_SLOTS - 1)];
	if (!holds(paged, sample)) {
		paged->high = 0;
		rc = memphis_join_address(join, process, sample->address, sample->time_ns, paged);
		if (rc) {
			memset(paged, 0, sizeof(*paged));
			cached->code_to_ns = 0;
			return rc;
		}
	}
	cached->answer = *paged;
	return 0;
}

static int count_sample(struct worker *worker, size_t process, uint32_t region,
			const struct memphis_sample *sample)
{
	struct cached_pc *cached =
		&worker->caches->by_pc[(sample->pc ^ sample->pc >> 12) & (CACHE_SLOTS - 1)];
	struct memphis_cell_key key;
	int rc;

	if (cached->slots && cached->slots == worker->profile.slots && cached->pc == sample->pc &&
	    cached->node == sample->node && cached->region == region &&
	    sample->time_ns >= cached->code_from_ns && sample->time_ns < cached->code_to_ns &&
	    holds(&cached->answer, sample)) {
		memphis_cell_count(cached->cell, sample->address);
		return 0;
	}
	rc = look_up(worker, process, sample, cached);
	if (rc)
		return rc;
	key.pc = cached->vaddr;
	key.code = cached->code;
	key.node = sample->node;
	key.owner = cached->answer.owner;
	key.region = region;
	key.zero = 0;
	cached->cell = memphis_profile_cell(&worker->profile, &key);
	if (!cached->cell)
		return -ENOMEM;
	cached->node = sample->node;
	cached->region = region;
	cached->slots = worker->profile.slots;
	memphis_cell_count(cached->cell, sample->address);
	return 0;
}

static uint32_t row_of(const struct memphis_joined_process *joined, uint32_t region)
{
	return region < joined->region_row_count ? joined->region_rows[region] : MEMPHIS_REGION_UNKNOWN;
}

static int count_chunk(struct worker *worker, const struct task *task, const struct memphis_file *file,
		       const struct memphis_chunk_view *chunk)
{
	const struct memphis_joined_process *joined = &worker->run->join->list[task->process];
	const struct memphis_selection *selection = worker->run->join->selection;
	struct memphis_thread *thread = &joined->process->threads[task->thread];
	struct memphis_decoder decoder;
	uint32_t region, row = 0;
	int rc;

	memphis_decoder_start(&decoder, chunk->payload, chunk->bytes, chunk->count);
	while ((rc = memphis_decoder_next(&decoder)) > 0) {
		thread->read++;
		region = decoder.sample.region;
		if (joined->regions && (region >= joined->region_count || !joined->regions[region]))
			continue;
		if (selection->by_region) {
			row = row_of(joined, region);
			worker->written[row]++;
		}
		if (!memphis_selection_takes(selection, &decoder.sample))
			continue;
		thread->selected++;
		rc = count_sample(worker, task->process, row, &decoder.sample);
		if (rc)
			return memphis_fail(&worker->error, rc, "%s: out of memory", file->path);
	}
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

static int count_file(struct worker *worker, const struct task *task)
{
	struct memphis_process *process = worker->run->join->list[task->process].process;
	struct memphis_chunk_view chunk;
	struct memphis_file file;
	int rc;

	rc = memphis_file_open(&file, process->threads[task->thread].path, &worker->error);
	if (rc)
		return rc;
	file.ahead = MEMPHIS_FILE_AHEAD;
	while ((rc = memphis_file_next(&file, &chunk, &worker->error)) > 0) {
		if (chunk.type != MEMPHIS_CHUNK_SAMPLES)
			continue;
		rc = memphis_file_payload(&file, &chunk, &worker->error);
		if (!rc)
			rc = count_chunk(worker, task, &file, &chunk);
		if (rc)
			break;
	}
	memphis_file_close(&file);
	return rc;
}

static void *work(void *context)
{
	struct worker *worker = context;
	struct run *run = worker->run;
	size_t at;

	worker->cache_process = SIZE_MAX;
	while (!worker->rc) {
		at = __atomic_fetch_add(&run->next, 1, __ATOMIC_RELAXED);
		if (at >= run->task_count)
			break;
		/* Addresses mean something else in another process. */
		if (worker->cache_process != run->tasks[at].process)
			memset(worker->caches, 0, sizeof(*worker->caches));
		worker->cache_process = run->tasks[at].process;
		worker->rc = count_file(worker, &run->tasks[at]);
		worker->failed_task = at;
	}
	return NULL;
}

static int list_tasks(struct run *run)
{
	const struct memphis_processes *processes = run->join->processes;
	const struct memphis_selection *selection = run->join->selection;
	size_t i, j, room = 0;
	struct task *task;

	for (i = 0; i < processes->count; i++) {
		if (selection->pid >= 0 && processes->list[i].pid != selection->pid)
			continue;
		for (j = 0; j < processes->list[i].thread_count; j++) {
			task = memphis_append(run->tasks, run->task_count, room);
			if (!task)
				return -ENOMEM;
			task->process = i;
			task->thread = j;
		}
	}
	return 0;
}

/* Starts the workers; the caller is the first of them. */
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
	size_t row;

	for (i = 0; i < jobs; i++)
		if (workers[i].rc && (!failed || workers[i].failed_task < failed->failed_task))
			failed = &workers[i];
	if (failed) {
		*error = failed->error;
		return failed->rc;
	}
	for (i = 0; i < jobs; i++) {
		if (memphis_profile_merge(&join->profile, &workers[i].profile))
			return memphis_fail(error, -ENOMEM, "out of memory");
		for (row = 0; row < join->regions.count; row++)
			join->regions.list[row].written += workers[i].written[row];
	}
	return 0;
}

int memphis_join_run(struct memphis_join *join, unsigned int jobs, struct memphis_error *error)
{
	struct run run = {.join = join};
	struct worker *workers = NULL;
	unsigned int i;
	int rc = -ENOMEM;

	if (list_tasks(&run))
		goto no_memory;
	if (jobs > run.task_count)
		jobs = (unsigned int)run.task_count;
	if (!jobs)
		jobs = 1;
	workers = calloc(jobs, sizeof(*workers));
	if (!workers)
		goto no_memory;
	for (i = 0; i < jobs; i++) {
		workers[i].run = &run;
		workers[i].caches = calloc(1, sizeof(*workers[i].caches));
		workers[i].written = calloc(join->regions.count + 1, sizeof(*workers[i].written));
		if (!workers[i].caches || !workers[i].written)
			goto no_memory;
	}
	run_workers(workers, jobs);
	rc = collect(join, workers, jobs, error);
	goto release;

no_memory:
	memphis_fail(error, rc, "out of memory");
release:
	for (i = 0; workers && i < jobs; i++) {
		memphis_profile_close(&workers[i].profile);
		free(workers[i].caches);
		free(workers[i].written);
	}
	free(workers);
	free(run.tasks);
	return rc;
}
