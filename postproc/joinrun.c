// SPDX-License-Identifier: BSD-3-Clause
/*
 * Reads the samples of all thread files, several files or parts of large ones at a time, and counts them. Each
 * worker has counts and a cache of its own; nothing is shared but the look-ups, which are read only (variables of
 * a binary are read at first need, under its lock). Sums do not depend on who added what.
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
#define CACHE_WAYS       4    /* variables that one instruction touches in turn */
#define CELL_SLOTS       65536
#define CACHE_PAGE_SHIFT 16
#define CACHED_KINDS     512 /* ways that accesses of one thread go; a power of two */

/* What an instruction touched, and where the instruction itself belongs. */
struct cached_pc {
	uint64_t pc, vaddr;
	uint64_t code_from_ns, code_to_ns; /* to = 0: nothing cached */
	uint32_t code;
	uint32_t next_way; /* to be overwritten */
	struct memphis_answer answers[CACHE_WAYS];
	uint32_t serials
		[CACHE_WAYS]; /* of this instruction and the answer's owner: the same as long as both are */
};

/* Where samples of this instruction and owner were counted that went the same way. */
struct cached_cell {
	uint64_t access;
	uint64_t serial; /* 0: nothing cached */
	uint32_t region;
	struct memphis_count *cell;
};

struct caches {
	struct cached_pc by_pc[CACHE_SLOTS];
	struct memphis_answer by_page[CACHE_SLOTS];
	struct cached_cell cells[CELL_SLOTS];
};

/* A part of a thread's file. */
struct task {
	size_t process, thread;
	uint64_t from, to; /* offsets of chunks; to = UINT64_MAX: to the end */
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
	size_t cache_process, cache_thread;
	int rc;
	size_t failed_task;
	struct memphis_error error;
};

/* Samples whose access went the same way, not yet in the worker's total. */
struct kind {
	struct memphis_access access;
	struct memphis_access counted; /* as cells know it */
	bool used, wanted;             /* is selected */
	uint64_t count, latency_cycles;
	uint64_t in_tick; /* of `count`, those that are not yet in the process's timeline either */
};

/* What is the same for all samples of a task, and what is counted of them. */
struct counting {
	size_t process, thread;
	uint32_t cell_thread, profile_thread;
	uint32_t pid, tid;
	uint64_t period, start_ns;
	uint64_t read, selected;
	uint64_t tick_ns, tick_end_ns; /* the timeline's step that in_tick is of */
	struct kind kinds[CACHED_KINDS];
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

static inline uint64_t word_of(const struct memphis_access *access)
{
	uint64_t word;

	_Static_assert(sizeof(word) == sizeof(*access), "an access is compared as one word");
	memcpy(&word, access, sizeof(word));
	return word;
}

static void keep_example(struct worker *worker, const struct counting *counting,
			 const struct cached_pc *cached, unsigned int way,
			 const struct memphis_sample *sample)
{
	const struct memphis_example example = {
		.since_ns = sample->time_ns > counting->start_ns ? sample->time_ns - counting->start_ns : 0,
		.pid = counting->pid,
		.tid = counting->tid,
		.thread = counting->profile_thread,
		.code = cached->code,
		.pc = cached->vaddr,
		.address = sample->address,
		.owner = cached->answers[way].owner,
	};

	memphis_examples_add(&worker->examples, example.owner.reason, &example);
}

static void look_up_code(struct worker *worker, size_t process, const struct memphis_sample *sample,
			 struct cached_pc *cached)
{
	memset(cached, 0, sizeof(*cached));
	cached->code = memphis_join_code(worker->run->join, process, sample->pc, sample->time_ns,
					 &cached->vaddr, &cached->code_from_ns, &cached->code_to_ns);
	cached->pc = sample->pc;
}

/* The slow half: what the instruction touched before says nothing about this sample. */
static int look_up(struct worker *worker, size_t process, const struct memphis_sample *sample,
		   struct cached_pc *cached, unsigned int *way)
{
	struct memphis_answer *paged;
	unsigned int i;
	int rc;

	paged = &worker->caches->by_page[sample->address >> CACHE_PAGE_SHIFT & (CACHE_SLOTS - 1)];
	if (!holds(paged, sample)) {
		rc = memphis_join_address(worker->run->join, process, sample->address, sample->time_ns,
					  paged);
		if (rc) {
			memset(paged, 0, sizeof(*paged));
			return rc;
		}
	}
	for (i = 0; i < CACHE_WAYS; i++)
		if (cached->serials[i] && same_owner(&cached->answers[i].owner, &paged->owner))
			break;
	if (i == CACHE_WAYS) {
		i = cached->next_way++ % CACHE_WAYS;
		cached->serials[i] = ++worker->serial;
	}
	cached->answers[i] = *paged;
	*way = i;
	return 0;
}

static struct memphis_count *find_cell(struct worker *worker, const struct counting *counting,
				       uint32_t region, const struct memphis_access *access,
				       const struct cached_pc *cached, unsigned int way)
{
	struct memphis_count_key key = {
		.pc = cached->vaddr,
		.code = cached->code,
		.owner = cached->answers[way].owner,
		.region = region,
		.access = *access,
		.thread = counting->cell_thread,
	};
	size_t slots = worker->counts.slots;
	struct memphis_count *cell = memphis_counts_cell(&worker->counts, &key);

	/* They have moved. */
	if (worker->counts.slots != slots)
		memset(worker->caches->cells, 0, sizeof(worker->caches->cells));
	return cell;
}

static inline int count_sample(struct worker *worker, const struct counting *counting, uint32_t region,
			       const struct memphis_access *access, const struct memphis_sample *sample)
{
	struct cached_pc *cached =
		&worker->caches->by_pc[(sample->pc ^ sample->pc >> 12) & (CACHE_SLOTS - 1)];
	uint64_t word = word_of(access), hash;
	struct memphis_count *cell;
	struct cached_cell *place;
	unsigned int way;
	int rc;

	if (cached->pc != sample->pc || sample->time_ns < cached->code_from_ns ||
	    sample->time_ns >= cached->code_to_ns)
		look_up_code(worker, counting->process, sample, cached);
	for (way = 0; way < CACHE_WAYS && !holds(&cached->answers[way], sample); way++)
		;
	if (way == CACHE_WAYS) {
		rc = look_up(worker, counting->process, sample, cached, &way);
		if (rc)
			return rc;
	}
	if (cached->answers[way].owner.reason != MEMPHIS_ATTRIBUTED)
		keep_example(worker, counting, cached, way, sample);
	hash = (word ^ cached->serials[way] * 0x9e3779b97f4a7c15ULL ^ region) * 0xff51afd7ed558ccdULL;
	place = &worker->caches->cells[hash >> 48 & (CELL_SLOTS - 1)];
	if (place->serial != cached->serials[way] || place->access != word || place->region != region) {
		cell = find_cell(worker, counting, region, access, cached, way);
		if (!cell)
			return -ENOMEM;
		*place = (struct cached_cell){word, cached->serials[way], region, cell};
	}
	memphis_count_add(place->cell, sample, counting->period);
	return 0;
}

/* Gives the timeline what was counted in its present step. */
static int end_tick_of(struct worker *worker, const struct counting *counting, struct kind *kind)
{
	uint64_t count = kind->in_tick;

	if (!count)
		return 0;
	kind->in_tick = 0;
	return memphis_timeline_add(&worker->timelines[counting->process], counting->tick_ns,
				    kind->access.node, kind->access.home, count);
}

static int end_tick(struct worker *worker, struct counting *counting)
{
	unsigned int i;
	int rc = 0;

	for (i = 0; !rc && i < CACHED_KINDS; i++)
		rc = end_tick_of(worker, counting, &counting->kinds[i]);
	return rc;
}

static int begin_tick(struct worker *worker, struct counting *counting, uint64_t since_ns)
{
	struct memphis_timeline *timeline = &worker->timelines[counting->process];
	uint64_t width_ns;
	int rc = end_tick(worker, counting);

	/* A step that the timeline has now lies within one of those that it will have. */
	width_ns = timeline->width_ns ? timeline->width_ns : MEMPHIS_TICK_FIRST_NS;
	counting->tick_ns = since_ns & ~(width_ns - 1);
	counting->tick_end_ns = counting->tick_ns + width_ns;
	return rc;
}

static int add_total(struct worker *worker, const struct counting *counting, struct kind *kind)
{
	struct memphis_total *total;

	if (!kind->count)
		return 0;
	total = memphis_totals_get(&worker->totals, (uint32_t)counting->process, (uint32_t)counting->thread,
				   kind->access);
	if (!total)
		return -ENOMEM;
	total->count += kind->count;
	total->accesses += kind->count * counting->period;
	total->latency_cycles += kind->latency_cycles;
	kind->count = kind->latency_cycles = 0;
	return 0;
}

/*
 * What cells tell apart of an access. For a report of this selection only that is left which its rows need, or cells would be many times as
 * many; a profile keeps all, as anything may be selected from it.
 */
static struct memphis_access counted_as(const struct memphis_selection *selection,
					const struct memphis_access *access)
{
	struct memphis_access counted = *access;

	if (selection->all_apart)
		return counted;
	counted.flags &= MEMPHIS_FLAG_STORE | MEMPHIS_FLAG_HITM | selection->kind->flags;
	if (!memphis_moves_line(access))
		counted.source = MEMPHIS_SOURCE_UNKNOWN;
	return counted;
}

/* Another kind takes the place of the one that had it. */
static int replace_kind(struct worker *worker, struct counting *counting, struct kind *kind,
			const struct memphis_access *access)
{
	const struct memphis_selection *selection = worker->run->join->selection;
	int rc = end_tick_of(worker, counting, kind);

	if (!rc)
		rc = add_total(worker, counting, kind);
	*kind = (struct kind){.access = *access,
			      .counted = counted_as(selection, access),
			      .used = true,
			      .wanted = memphis_selection_takes(selection, access)};
	return rc;
}

static inline struct kind *kind_of(struct counting *counting, const struct memphis_access *access)
{
	return &counting->kinds[word_of(access) * 0x9e3779b97f4a7c15ULL >> 48 & (CACHED_KINDS - 1)];
}

static uint32_t row_of(const struct memphis_joined_process *joined, uint32_t region)
{
	return region < joined->region_row_count ? joined->region_rows[region] : MEMPHIS_REGION_UNKNOWN;
}

/* One sample that may be wanted. */
static inline int take_sample(struct worker *worker, struct counting *counting, uint32_t row,
			      const struct memphis_sample *sample)
{
	struct memphis_access access = memphis_access_of(sample);
	struct kind *kind = kind_of(counting, &access);
	uint64_t since_ns;
	int rc = 0;

	if (!kind->used || word_of(&kind->access) != word_of(&access))
		rc = replace_kind(worker, counting, kind, &access);
	if (rc || !kind->wanted)
		return rc;
	counting->selected++;
	since_ns = sample->time_ns > counting->start_ns ? sample->time_ns - counting->start_ns : 0;
	if (since_ns < counting->tick_ns || since_ns >= counting->tick_end_ns)
		rc = begin_tick(worker, counting, since_ns);
	kind->count++;
	kind->in_tick++;
	kind->latency_cycles += sample->latency_cycles;
	return rc ? rc : count_sample(worker, counting, row, &kind->counted, sample);
}

static int count_chunk(struct worker *worker, struct counting *counting, const struct memphis_file *file,
		       const struct memphis_chunk_view *chunk)
{
	const struct memphis_joined_process *joined = &worker->run->join->list[counting->process];
	bool by_region = worker->run->join->selection->by_region;
	struct memphis_decoder decoder;
	uint32_t region, row = 0;
	int rc;

	memphis_decoder_start(&decoder, chunk->payload, chunk->bytes, chunk->count);
	while ((rc = memphis_decoder_next(&decoder)) > 0) {
		counting->read++;
		region = decoder.sample.region;
		if (joined->regions && (region >= joined->region_count || !joined->regions[region]))
			continue;
		if (by_region) {
			row = row_of(joined, region);
			worker->written[row]++;
		}
		rc = take_sample(worker, counting, row, &decoder.sample);
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

static int finish_counting(struct worker *worker, struct counting *counting, struct memphis_thread *thread)
{
	unsigned int i;
	int rc = end_tick(worker, counting);

	for (i = 0; !rc && i < CACHED_KINDS; i++)
		rc = add_total(worker, counting, &counting->kinds[i]);
	/* Other workers may be at other parts of the file. */
	__atomic_fetch_add(&thread->read, counting->read, __ATOMIC_RELAXED);
	__atomic_fetch_add(&thread->selected, counting->selected, __ATOMIC_RELAXED);
	return rc;
}

static int count_part(struct worker *worker, const struct task *task)
{
	const struct memphis_join *join = worker->run->join;
	const struct memphis_joined_process *joined = &join->list[task->process];
	struct memphis_thread *thread = &joined->process->threads[task->thread];
	struct counting counting = {.process = task->process,
				    .thread = task->thread,
				    .profile_thread = joined->first_thread + (uint32_t)task->thread,
				    .pid = joined->process->pid,
				    .tid = joined->process->threads[task->thread].tid,
				    .period = joined->period,
				    .start_ns = joined->start_ns};
	struct memphis_chunk_view chunk;
	struct memphis_file file;
	int rc;

	if (join->selection->by_thread)
		counting.cell_thread = counting.profile_thread;
	rc = memphis_file_open(&file, thread->path, &worker->error);
	if (rc)
		return rc;
	file.ahead = MEMPHIS_FILE_AHEAD;
	file.offset = task->from;
	while (file.offset < task->to && (rc = memphis_file_next(&file, &chunk, &worker->error)) > 0) {
		if (chunk.type != MEMPHIS_CHUNK_SAMPLES)
			continue;
		rc = memphis_file_payload(&file, &chunk, &worker->error);
		if (!rc)
			rc = count_chunk(worker, &counting, &file, &chunk);
		if (rc)
			break;
	}
	if (rc >= 0 && finish_counting(worker, &counting, thread))
		rc = memphis_fail(&worker->error, -ENOMEM, "%s: out of memory", file.path);
	memphis_file_close(&file);
	return rc < 0 ? rc : 0;
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
		if (worker->cache_process != run->tasks[at].process ||
		    (run->join->selection->by_thread && worker->cache_thread != run->tasks[at].thread))
			memset(worker->caches, 0, sizeof(*worker->caches));
		worker->cache_process = run->tasks[at].process;
		worker->cache_thread = run->tasks[at].thread;
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
		if (selection->pid >= 0 && processes->list[i].pid != selection->pid)
			continue;
		for (j = 0; !rc && j < processes->list[i].thread_count; j++)
			rc = list_parts(run, i, j, &room);
	}
	return rc;
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
