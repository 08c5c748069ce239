// SPDX-License-Identifier: BSD-3-Clause
/*
 * Reads the samples of all thread files, several files at a time, and counts them. Each worker has counts
 * and a cache of its own; nothing is shared but the look-ups, which are read only (variables of a binary are
 * read at first need, under its lock).
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decode.h"
#include "join.h"

#define CACHE_SLOTS      4096 /* of each cache; a power of two */
#define CELL_SLOTS       16384
#define CACHE_PAGE_SHIFT 16
#define CACHED_TOTALS    8

/* What an instruction touched last, and where the instruction itself belongs. */
struct cached_pc {
	uint64_t pc, vaddr;
	uint64_t code_from_ns, code_to_ns; /* to = 0: nothing cached */
	uint32_t code;
	uint64_t serial; /* of this instruction and owner: another one whenever either changes */
	struct memphis_answer answer;
};

/* Where samples of this instruction and owner were counted that went the same way. */
struct cached_cell {
	uint64_t serial; /* 0: nothing cached */
	struct memphis_access access;
	uint32_t region;
	size_t slots; /* of the counts when `cell` was found */
	struct memphis_count *cell;
};

struct caches {
	struct cached_pc by_pc[CACHE_SLOTS];
	struct memphis_answer by_page[CACHE_SLOTS];
	struct cached_cell cells[CELL_SLOTS];
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
	struct memphis_counts counts;
	struct memphis_totals totals;
	struct memphis_timeline *timelines; /* by process */
	struct memphis_examples examples;
	struct caches *caches;
	uint64_t serial;   /* given out last */
	uint64_t *written; /* samples of each region, if these are counted apart */
	size_t cache_process;
	int rc;
	size_t failed_task;
	struct memphis_error error;
};

/* What is the same for all samples of a file. */
struct counting {
	size_t process, thread;
	uint32_t cell_thread, profile_thread;
	uint32_t pid, tid;
	uint64_t period, start_ns;
	struct memphis_total totals[CACHED_TOTALS]; /* not yet in the worker's; count = 0: unused */
	unsigned int next_total;
};

static inline bool holds(const struct memphis_answer *answer, const struct memphis_sample *sample)
{
	return sample->address >= answer->low && sample->address < answer->high &&
	       sample->time_ns >= answer->from_ns && sample->time_ns < answer->to_ns;
}

static bool same_owner(const struct memphis_owner *a, const struct memphis_owner *b)
{
	return !memcmp(a, b, sizeof(*a));
}

/* The slow half: what the instruction touched last says nothing about this sample. */
static int look_up(struct worker *worker, size_t process, const struct memphis_sample *sample,
		   struct cached_pc *cached)
{
	struct memphis_join *join = worker->run->join;
	struct memphis_answer *paged;
	bool same_code;
	int rc;

	same_code = cached->pc == sample->pc && sample->time_ns >= cached->code_from_ns &&
		    sample->time_ns < cached->code_to_ns;
	if (!same_code) {
		cached->pc = sample->pc;
		cached->code = memphis_join_code(join, process, sample->pc, sample->time_ns, &cached->vaddr,
						 &cached->code_from_ns, &cached->code_to_ns);
		cached->serial = ++worker->serial;
	}
	if (same_code && holds(&cached->answer, sample))
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
	if (!same_owner(&cached->answer.owner, &paged->owner))
		cached->serial = ++worker->serial;
	cached->answer = *paged;
	return 0;
}

static int add_total(struct worker *worker, const struct memphis_total *more)
{
	struct memphis_total *total;

	if (!more->count)
		return 0;
	total = memphis_totals_get(&worker->totals, more->process, more->thread, more->access);
	if (!total)
		return -ENOMEM;
	total->count += more->count;
	total->accesses += more->accesses;
	total->latency_cycles += more->latency_cycles;
	return 0;
}

static bool same_access(const struct memphis_access *a, const struct memphis_access *b)
{
	return !memcmp(a, b, sizeof(*a));
}

static size_t cell_slot(uint64_t serial, const struct memphis_access *access, uint32_t region)
{
	uint64_t word;

	memcpy(&word, access, sizeof(word));
	word = (word ^ serial * 0x9e3779b97f4a7c15ULL ^ region) * 0xff51afd7ed558ccdULL;
	return word >> 50 & (CELL_SLOTS - 1);
}

static void keep_example(struct worker *worker, const struct counting *counting,
			 const struct cached_pc *cached, const struct memphis_sample *sample)
{
	const struct memphis_example example = {
		.since_ns = sample->time_ns > counting->start_ns ? sample->time_ns - counting->start_ns : 0,
		.pid = counting->pid,
		.tid = counting->tid,
		.thread = counting->profile_thread,
		.code = cached->code,
		.pc = cached->vaddr,
		.address = sample->address,
		.owner = cached->answer.owner,
	};

	memphis_examples_add(&worker->examples, example.owner.reason, &example);
}

static int count_sample(struct worker *worker, const struct counting *counting, uint32_t region,
			const struct memphis_access *access, const struct memphis_sample *sample)
{
	struct cached_pc *cached =
		&worker->caches->by_pc[(sample->pc ^ sample->pc >> 12) & (CACHE_SLOTS - 1)];
	struct memphis_count_key key;
	struct cached_cell *place;
	int rc;

	if (cached->pc != sample->pc || sample->time_ns < cached->code_from_ns ||
	    sample->time_ns >= cached->code_to_ns || !holds(&cached->answer, sample)) {
		rc = look_up(worker, counting->process, sample, cached);
		if (rc)
			return rc;
	}
	if (cached->answer.owner.reason != MEMPHIS_ATTRIBUTED)
		keep_example(worker, counting, cached, sample);
	place = &worker->caches->cells[cell_slot(cached->serial, access, region)];
	if (place->serial != cached->serial || !same_access(&place->access, access) ||
	    place->region != region || place->slots != worker->counts.slots) {
		key.pc = cached->vaddr;
		key.code = cached->code;
		key.owner = cached->answer.owner;
		key.region = region;
		key.access = *access;
		key.thread = counting->cell_thread;
		key.zero = 0;
		place->cell = memphis_counts_cell(&worker->counts, &key);
		if (!place->cell)
			return -ENOMEM;
		place->serial = cached->serial;
		place->access = *access;
		place->region = region;
		place->slots = worker->counts.slots;
	}
	memphis_count_add(place->cell, sample, counting->period);
	return 0;
}

/* The thread's total, and its process's timeline. */
static int count_access(struct worker *worker, struct counting *counting, const struct memphis_access *access,
			const struct memphis_sample *sample)
{
	struct memphis_total *total = NULL;
	unsigned int i;
	uint64_t since = sample->time_ns > counting->start_ns ? sample->time_ns - counting->start_ns : 0;

	for (i = 0; i < CACHED_TOTALS && !total; i++)
		if (counting->totals[i].count && same_access(&counting->totals[i].access, access))
			total = &counting->totals[i];
	if (!total) {
		i = counting->next_total++ % CACHED_TOTALS;
		total = &counting->totals[i];
		if (add_total(worker, total))
			return -ENOMEM;
		memset(total, 0, sizeof(*total));
		total->access = *access;
		total->process = (uint32_t)counting->process;
		total->thread = (uint32_t)counting->thread;
	}
	total->count++;
	total->accesses += counting->period;
	total->latency_cycles += sample->latency_cycles;
	return memphis_timeline_add(&worker->timelines[counting->process], since, access->node, access->home);
}

static uint32_t row_of(const struct memphis_joined_process *joined, uint32_t region)
{
	return region < joined->region_row_count ? joined->region_rows[region] : MEMPHIS_REGION_UNKNOWN;
}

static int count_chunk(struct worker *worker, struct counting *counting, const struct memphis_file *file,
		       const struct memphis_chunk_view *chunk)
{
	const struct memphis_joined_process *joined = &worker->run->join->list[counting->process];
	const struct memphis_selection *selection = worker->run->join->selection;
	struct memphis_thread *thread = &joined->process->threads[counting->thread];
	struct memphis_decoder decoder;
	struct memphis_access access;
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
		access = memphis_access_of(&decoder.sample);
		if (!memphis_selection_takes(selection, &access))
			continue;
		thread->selected++;
		rc = count_sample(worker, counting, row, &access, &decoder.sample);
		if (!rc)
			rc = count_access(worker, counting, &access, &decoder.sample);
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
	const struct memphis_join *join = worker->run->join;
	const struct memphis_joined_process *joined = &join->list[task->process];
	struct counting counting = {.process = task->process,
				    .thread = task->thread,
				    .profile_thread = joined->first_thread + (uint32_t)task->thread,
				    .pid = joined->process->pid,
				    .tid = joined->process->threads[task->thread].tid,
				    .period = joined->period,
				    .start_ns = joined->start_ns};
	struct memphis_chunk_view chunk;
	struct memphis_file file;
	unsigned int i;
	int rc;

	if (join->selection->by_thread)
		counting.cell_thread = counting.profile_thread;
	rc = memphis_file_open(&file, joined->process->threads[task->thread].path, &worker->error);
	if (rc)
		return rc;
	file.ahead = MEMPHIS_FILE_AHEAD;
	while ((rc = memphis_file_next(&file, &chunk, &worker->error)) > 0) {
		if (chunk.type != MEMPHIS_CHUNK_SAMPLES)
			continue;
		rc = memphis_file_payload(&file, &chunk, &worker->error);
		if (!rc)
			rc = count_chunk(worker, &counting, &file, &chunk);
		if (rc)
			break;
	}
	for (i = 0; !rc && i < CACHED_TOTALS; i++)
		if (add_total(worker, &counting.totals[i]))
			rc = memphis_fail(&worker->error, -ENOMEM, "%s: out of memory", file.path);
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
		/* Addresses mean something else in another process, and cells belong to one thread where these are counted apart. */
		if (worker->cache_process != run->tasks[at].process || run->join->selection->by_thread)
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
	struct memphis_profile *profile = join->profile;
	const struct worker *failed = NULL;
	unsigned int i;
	size_t at;

	for (i = 0; i < jobs; i++)
		if (workers[i].rc && (!failed || workers[i].failed_task < failed->failed_task))
			failed = &workers[i];
	if (failed) {
		*error = failed->error;
		return failed->rc;
	}
	for (i = 0; i < jobs; i++) {
		if (memphis_counts_merge(&join->counts, &workers[i].counts) ||
		    memphis_totals_merge(&profile->totals, &workers[i].totals, 0))
			return memphis_fail(error, -ENOMEM, "out of memory");
		memphis_examples_merge(&profile->examples, &workers[i].examples);
		for (at = 0; at < profile->region_count; at++)
			profile->regions[at].written += workers[i].written[at];
		for (at = 0; at < profile->processes.count; at++)
			if (memphis_timeline_merge(&profile->timelines[at], &workers[i].timelines[at]))
				return memphis_fail(error, -ENOMEM, "out of memory");
	}
	return memphis_totals_sort(&profile->totals) ? memphis_fail(error, -ENOMEM, "out of memory") : 0;
}

static void close_worker(struct worker *worker, size_t processes)
{
	size_t i;

	for (i = 0; worker->timelines && i < processes; i++)
		memphis_timeline_close(&worker->timelines[i]);
	free(worker->timelines);
	memphis_counts_close(&worker->counts);
	memphis_totals_close(&worker->totals);
	free(worker->caches);
	free(worker->written);
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
		workers[i].caches = calloc(1, sizeof(*workers[i].caches));
		workers[i].written = calloc(join->profile->region_count + 1, sizeof(*workers[i].written));
		workers[i].timelines = calloc(join->processes->count + 1, sizeof(*workers[i].timelines));
		if (!workers[i].caches || !workers[i].written || !workers[i].timelines)
			goto no_memory;
	}
	run_workers(workers, jobs);
	rc = collect(join, workers, jobs, error);
	goto release;

no_memory:
	memphis_fail(error, rc, "out of memory");
release:
	for (i = 0; workers && i < jobs; i++)
		close_worker(&workers[i], join->processes->count);
	free(workers);
	free(run.tasks);
	return rc;
}
