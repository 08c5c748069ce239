// SPDX-License-Identifier: BSD-3-Clause
/*
 * Reads the samples of all thread files in parallel. A worker reads whole files or parts of large files, and
 * has its own counts. The workers share only the lookup tables, which are read-only, with one exception: the
 * variables of a binary are loaded on first use, under the binary's lock. The sums do not depend on which
 * worker reads which part.
 */
#include "attribute/join_workers.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/workers.h"
#include "profile/profile.h"
#include "profile/wait_source.h"
#include "read/callers.h"
#include "read/decode.h"
#include "read/spans.h"

/*
 * A set-associative write-back cache in front of a worker's counts. The instruction, access and region of a
 * sample choose the set. Each slot of a set stores one owner that the instruction accessed recently, and
 * counts its samples until the slot is flushed. Most samples therefore need neither an attribution nor an
 * access to the hash table.
 */

/* A selected sample. */
struct memphis_seen {
	uint64_t pc, address, time_ns;
	uint32_t latency_cycles;
	/* row of the region in the profile; 0 unless regions are counted separately */
	uint32_t region;
	uint32_t callers, frame; /* see read/callers.h */
	struct memphis_access access;
};

struct count_cache {
	struct memphis_join *join;
	struct memphis_counts *counts;
	struct memphis_examples *examples;
	size_t process, thread; /* process and thread of the samples that are being added */
	struct memphis_count_cache_tables *tables;
};

#define SET_BITS 12
/* number of slots per set: one instruction may alternate between this number of owners */
#define WAYS             4
#define CACHE_SLOTS      4096 /* number of slots of each direct-mapped cache; a power of two */
#define CACHE_PAGE_SHIFT 16
/* number of samples whose sets are prefetched before the first of them is counted */
#define AT_ONCE 32

/*
 * The samples of one cell, i.e. of one combination of instruction, access, region and owner. The first cache
 * line contains all members that decide whether a sample belongs to the slot. The second one contains the
 * sums, and the third one the rest of the key.
 */
struct slot {
	uint64_t pc;
	/* The ranges of data addresses and times that are known to belong to the owner of this slot. */
	uint64_t low, high, from_ns, to_ns;
	struct memphis_access access;
	uint32_t region, callers, frame;
	uint32_t code;

	/* `accesses` and `doubt_ppm` are not used */
	struct memphis_measure measure __attribute__((aligned(64)));

	uint64_t vaddr;
	struct memphis_owner owner;
} __attribute__((aligned(64)));

static const struct memphis_measure no_samples = {.low = UINT64_MAX};

/* Caches the binary and the link-time address of an instruction. */
struct cached_code {
	uint64_t pc, vaddr;
	uint64_t from_ns, to_ns; /* to_ns is 0 if the slot is empty */
	uint32_t code;
};

struct memphis_count_cache_tables {
	struct slot sets[1 << SET_BITS][WAYS];
	struct cached_code codes[CACHE_SLOTS];
	struct memphis_answer pages[CACHE_SLOTS];
	struct memphis_answer framed;        /* answer for the last sample that was looked up with a frame */
	unsigned int next_way;               /* slot to evict next, round robin */
	uint64_t used[(1 << SET_BITS) / 64]; /* bit n is set if set n has been used in this process */
};

/* Allocates the cache. Returns 0 or -ENOMEM. The caller must close the cache in both cases. */
static int open_count_cache(struct count_cache *cache, struct memphis_join *join,
			    struct memphis_counts *counts, struct memphis_examples *examples)
{
	*cache = (struct count_cache){join, counts, examples, 0, 0, NULL};
	/* Memory from mmap() is zero, and pages of sets without samples are never touched. */
	cache->tables = mmap(NULL, sizeof(*cache->tables), PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (cache->tables != MAP_FAILED)
		return 0;
	cache->tables = NULL;
	return -ENOMEM;
}

static void close_count_cache(struct count_cache *cache)
{
	if (cache->tables)
		munmap(cache->tables, sizeof(*cache->tables));
	cache->tables = NULL;
}

/* Adds the counts of the slot to the hash table, and resets them. The key of the slot stays valid. */
static int flush_slot(struct count_cache *cache, struct slot *slot)
{
	const struct memphis_joined_process *joined = &cache->join->list[cache->process];
	struct memphis_count sum = {
		.key = {.pc = slot->vaddr,
			.code = slot->code,
			.owner = slot->owner,
			.region = slot->region,
			.access = slot->access,
			.callers = slot->callers},
		.measure = slot->measure,
	};

	if (!slot->measure.count)
		return 0;
	sum.measure.accesses = sum.measure.count * memphis_sample_weight(&joined->weights, &slot->access);
	if (cache->join->selection->by_thread)
		sum.key.thread = joined->first_thread + (uint32_t)cache->thread;
	slot->measure = no_samples;
	return memphis_counts_add(cache->counts, &sum);
}

/* Flushes all slots into the hash table. If the next samples are of another process (`other`), also empties the slots. */
static int flush_count_cache(struct count_cache *cache, bool other)
{
	struct memphis_count_cache_tables *tables = cache->tables;
	unsigned int word, set, way;
	int rc = 0;

	for (word = 0; word < sizeof(tables->used) / sizeof(*tables->used); word++) {
		uint64_t left = tables->used[word];

		for (; !rc && left; left &= left - 1) {
			set = 64 * word + (unsigned int)__builtin_ctzll(left);
			for (way = 0; !rc && way < WAYS; way++)
				rc = flush_slot(cache, &tables->sets[set][way]);
			if (other)
				memset(tables->sets[set], 0, sizeof(tables->sets[set]));
		}
	}
	if (other) {
		memset(tables->used, 0, sizeof(tables->used));
		memset(tables->codes, 0, sizeof(tables->codes));
		memset(tables->pages, 0, sizeof(tables->pages));
	}
	return rc;
}

/* Sets the thread to which the next samples belong. Returns 0 or -ENOMEM, as do the two functions below. */
static int enter_thread(struct count_cache *cache, size_t process, size_t thread)
{
	bool other = process != cache->process;
	int rc = 0;

	/*
	 * Cached addresses are valid in one process only. If threads are counted separately, the slots are
	 * valid in one thread only.
	 */
	if (other || (cache->join->selection->by_thread && thread != cache->thread))
		rc = flush_count_cache(cache, other);
	cache->process = process;
	cache->thread = thread;
	return rc;
}

static const struct cached_code *find_code(struct count_cache *cache, const struct memphis_seen *seen)
{
	struct cached_code *cached = &cache->tables->codes[(seen->pc ^ seen->pc >> 12) & (CACHE_SLOTS - 1)];

	if (cached->pc != seen->pc || seen->time_ns < cached->from_ns || seen->time_ns >= cached->to_ns) {
		cached->code =
			memphis_maps_code(&cache->join->list[cache->process].process->log->maps, seen->pc,
					  seen->time_ns, &cached->vaddr, &cached->from_ns, &cached->to_ns);
		cached->pc = seen->pc;
	}
	return cached;
}

/* Returns the owner of the sample's data address, from the cache if possible. Returns NULL if memory is exhausted. */
static const struct memphis_answer *find_owner(struct count_cache *cache, const struct memphis_seen *seen)
{
	struct memphis_answer *answer =
		seen->frame ? &cache->tables->framed
			    : &cache->tables->pages[seen->address >> CACHE_PAGE_SHIFT & (CACHE_SLOTS - 1)];

	if (!seen->frame && seen->address >= answer->low && seen->address < answer->high &&
	    seen->time_ns >= answer->from_ns && seen->time_ns < answer->to_ns)
		return answer;
	if (!memphis_join_address(cache->join, cache->process, seen->address, seen->time_ns, seen->frame,
				  answer))
		return answer;
	memset(answer, 0, sizeof(*answer));
	return NULL;
}

static void keep_example(struct count_cache *cache, const struct memphis_seen *seen,
			 const struct cached_code *code, const struct memphis_owner *owner)
{
	const struct memphis_joined_process *joined = &cache->join->list[cache->process];
	const struct memphis_example example = {
		.since_ns = seen->time_ns > joined->start_ns ? seen->time_ns - joined->start_ns : 0,
		.pid = joined->process->pid,
		.tid = joined->process->threads[cache->thread].tid,
		.thread = joined->first_thread + (uint32_t)cache->thread,
		.code = code->code,
		.pc = code->vaddr,
		.address = seen->address,
		.owner = *owner,
	};

	memphis_examples_add(cache->examples, owner->reason, &example);
}

static inline bool is_same_access(const struct memphis_access *a, const struct memphis_access *b)
{
	return !memcmp(a, b, sizeof(*a));
}

/* Returns true if the sample belongs to the cell of the slot. */
static bool is_same_cell(const struct slot *slot, const struct memphis_seen *seen,
			 const struct cached_code *code, const struct memphis_owner *owner)
{
	return slot->pc == seen->pc && slot->vaddr == code->vaddr && slot->code == code->code &&
	       slot->region == seen->region && slot->callers == seen->callers && slot->frame == seen->frame &&
	       is_same_access(&slot->access, &seen->access) && !memcmp(&slot->owner, owner, sizeof(*owner));
}

/*
 * Slow path for a sample that no slot of the set covers. Attributes the sample and finds or evicts a slot for
 * it. Returns NULL if memory is exhausted.
 */
static __attribute__((noinline)) struct slot *look_up_slot(struct count_cache *cache, struct slot *set,
							   const struct memphis_seen *seen)
{
	const struct cached_code *code = find_code(cache, seen);
	const struct memphis_answer *answer = find_owner(cache, seen);
	const size_t number = (size_t)(set - cache->tables->sets[0]) / WAYS;
	unsigned int way;
	struct slot *slot;

	if (!answer)
		return NULL;
	cache->tables->used[number / 64] |= 1ULL << number % 64;
	for (way = 0; way < WAYS && !is_same_cell(&set[way], seen, code, &answer->owner); way++)
		;
	if (way == WAYS) {
		for (way = 0; way < WAYS && set[way].measure.count; way++)
			;
		slot = &set[way < WAYS ? way : cache->tables->next_way++ % WAYS];
		if (flush_slot(cache, slot))
			return NULL;
		*slot = (struct slot){.pc = seen->pc,
				      .access = seen->access,
				      .region = seen->region,
				      .callers = seen->callers,
				      .frame = seen->frame,
				      .measure = no_samples,
				      .vaddr = code->vaddr,
				      .code = code->code,
				      .owner = answer->owner};
	} else {
		slot = &set[way];
	}
	slot->low = answer->low;
	slot->high = answer->high;
	slot->from_ns = answer->from_ns > code->from_ns ? answer->from_ns : code->from_ns;
	slot->to_ns = answer->to_ns < code->to_ns ? answer->to_ns : code->to_ns;
	if (answer->owner.reason != MEMPHIS_ATTRIBUTED) {
		/*
		 * Any sample without a variable may become an example for its reason. An empty time range
		 * sends all such samples through this slow path.
		 */
		slot->to_ns = 0;
		keep_example(cache, seen, code, &answer->owner);
	}
	return slot;
}

static inline struct slot *find_set(struct count_cache *cache, const struct memphis_seen *seen)
{
	uint64_t access;

	_Static_assert(sizeof(access) == sizeof(seen->access), "an access is hashed as one word");
	memcpy(&access, &seen->access, sizeof(access));
	access = (seen->pc ^ access * 0x9e3779b97f4a7c15ULL ^ (uint64_t)seen->region << 32 ^
		  (uint64_t)seen->callers << 40 ^ (uint64_t)seen->frame << 24) *
		 0xff51afd7ed558ccdULL;
	return cache->tables->sets[access >> (64 - SET_BITS)];
}

static inline bool covers_sample(const struct slot *slot, const struct memphis_seen *seen)
{
	return slot->pc == seen->pc && seen->address >= slot->low && seen->address < slot->high &&
	       seen->time_ns >= slot->from_ns && seen->time_ns < slot->to_ns &&
	       is_same_access(&slot->access, &seen->access) && slot->region == seen->region &&
	       slot->callers == seen->callers && slot->frame == seen->frame;
}

static inline int count_sample(struct count_cache *cache, struct slot *set, const struct memphis_seen *seen)
{
	struct memphis_measure *sum;
	struct slot *slot = set;

	while (slot < set + WAYS && !covers_sample(slot, seen))
		slot++;
	if (slot == set + WAYS) {
		slot = look_up_slot(cache, set, seen);
		if (!slot)
			return -ENOMEM;
	}
	sum = &slot->measure;
	sum->count++;
	sum->latency_cycles += seen->latency_cycles;
	sum->latency_squares += (uint64_t)seen->latency_cycles * seen->latency_cycles;
	if (seen->latency_cycles > sum->latency_max_cycles)
		sum->latency_max_cycles = seen->latency_cycles;
	if (seen->address < sum->low)
		sum->low = seen->address;
	if (seen->address > sum->high)
		sum->high = seen->address;
	return 0;
}

static int count_samples(struct count_cache *cache, const struct memphis_seen *list, size_t count)
{
	struct slot *sets[AT_ONCE];
	size_t some, i;
	int rc = 0;

	for (; !rc && count; list += some, count -= some) {
		some = count < AT_ONCE ? count : AT_ONCE;
		for (i = 0; i < some; i++) {
			sets[i] = find_set(cache, &list[i]);
			__builtin_prefetch(sets[i], 1);
			__builtin_prefetch((char *)sets[i] + 64, 1);
		}
		for (i = 0; !rc && i < some; i++)
			rc = count_sample(cache, sets[i], &list[i]);
	}
	return rc;
}

/*
 * The state of one worker of the join: a thread that reads, selects and counts samples independently of the
 * other workers. It is not thread-safe. After the threads have ended, collect_worker() adds the results to
 * the profile.
 */

#define MEMPHIS_WORKER_KINDS 512 /* maximum number of kinds of access that are counted at a time */

#define MEMPHIS_WORKER_SLOTS 1024 /* size of the hash table of kinds; a power of two */

/* The samples of one kind of access that are not yet in the worker's totals. The members fit in one cache line. */
struct worker_kind {
	uint64_t way; /* the access, packed as in struct memphis_columns */
	/* the access as it is stored in the keys of the cells: see reduce_access() */
	struct memphis_access counted;
	/* What one sample of this kind adds to the thread's homes, packed as by pack_homes(). */
	uint64_t homes;
	uint64_t count, latency_cycles, latency_squares;
	uint32_t latency_max_cycles;
	bool wanted; /* whether the selection includes the access */
	bool waits;  /* the access is not selected, but it is a load that waits beyond the L2 cache */
} __attribute__((aligned(64)));

/* The samples of one kind that are not yet in the process's timeline. */
struct tick_of_kind {
	uint64_t count, latency_cycles;
};

struct memphis_worker {
	struct memphis_join *join;
	struct memphis_counts counts;
	struct memphis_totals totals;
	struct memphis_timeline *timelines; /* one per process */
	struct memphis_examples examples;
	/* If regions are counted separately: the number of samples for each row of the profile's regions. */
	uint64_t *written;
	struct count_cache cache;
	/* The current part of a thread's file, and the numbers of samples counted in it. */
	size_t process, thread;
	uint64_t read, selected, own;
	struct memphis_homes homes;
	bool with_callers, with_frames; /* the thread's file has callers or frames of samples */
	struct memphis_callers callers, frames;
	uint64_t tick_ns, tick_end_ns; /* the tick of the timeline to which in_tick belongs */
	struct worker_kind kinds[1 + MEMPHIS_WORKER_KINDS]; /* the first element means "no kind" */
	struct tick_of_kind in_tick[1 + MEMPHIS_WORKER_KINDS];
	unsigned int kind_count;              /* includes the first element */
	uint16_t slots[MEMPHIS_WORKER_SLOTS]; /* hash table: index in `kinds`, or 0 */
	struct memphis_columns columns;
};

/*
 * A sample that is still to be counted, because it is selected or because it waited: its row in the columns, and the
 * index of its kind in worker->kinds.
 */
struct picked {
	uint16_t row, kind;
};

/*
 * Packs struct memphis_homes into one word, so that a sample needs only one addition. Each count has enough
 * bits for the samples of one block.
 */
#define HOMES_BITS 20
#define HOMES_MASK ((1ULL << HOMES_BITS) - 1)
_Static_assert(MEMPHIS_COLUMN <= HOMES_MASK, "counts of a block fit");

static uint64_t pack_homes(const struct memphis_homes *homes)
{
	return homes->known | homes->remote_at_home << HOMES_BITS | homes->local_away << 2 * HOMES_BITS;
}

static struct memphis_homes unpack_homes(uint64_t word)
{
	return (struct memphis_homes){word & HOMES_MASK, word >> HOMES_BITS & HOMES_MASK,
				      word >> 2 * HOMES_BITS};
}

/* Opens the worker. Returns 0 or -ENOMEM, as do the functions below. The caller must close the worker in both cases. */
static int open_worker(struct memphis_worker *worker, struct memphis_join *join)
{
	memset(worker, 0, sizeof(*worker));
	worker->join = join;
	worker->written = calloc(join->profile->region_count + 1, sizeof(*worker->written));
	worker->timelines = calloc(join->processes->count + 1, sizeof(*worker->timelines));
	if (!worker->written || !worker->timelines)
		return -ENOMEM;
	return open_count_cache(&worker->cache, join, &worker->counts, &worker->examples);
}

static void close_worker(struct memphis_worker *worker)
{
	size_t i;

	for (i = 0; worker->timelines && i < worker->join->processes->count; i++)
		memphis_timeline_close(&worker->timelines[i]);
	free(worker->timelines);
	free(worker->written);
	memphis_counts_close(&worker->counts);
	memphis_totals_close(&worker->totals);
	close_count_cache(&worker->cache);
	memphis_callers_close(&worker->callers);
	memphis_callers_close(&worker->frames);
}

/* Adds the samples of this kind in the current tick to the timeline. */
static int end_tick_of_kind(struct memphis_worker *worker, unsigned int number)
{
	struct memphis_timeline *timeline = &worker->timelines[worker->process];
	const struct worker_kind *kind = &worker->kinds[number];
	const struct tick_of_kind tick = worker->in_tick[number];
	const struct memphis_access access = memphis_access_unpack(kind->way);
	const enum memphis_wait_source source = memphis_wait_source(&access);
	int rc = 0;

	if (!tick.count)
		return 0;
	worker->in_tick[number] = (struct tick_of_kind){0};
	if (kind->wanted)
		rc = memphis_timeline_add(timeline, worker->tick_ns, access.node, access.home, tick.count)
			     ?: memphis_timeline_add_thread(timeline, worker->tick_ns,
							    (uint32_t)worker->thread, access.node,
							    access.home, tick.count);
	if (!rc && source != MEMPHIS_WAIT_SOURCES && tick.latency_cycles)
		rc = memphis_timeline_add_wait(timeline, worker->tick_ns, access.node, (uint16_t)source,
					       tick.count, tick.latency_cycles);
	return rc;
}

static int end_tick(struct memphis_worker *worker)
{
	unsigned int i;
	int rc = 0;

	for (i = 1; !rc && i < worker->kind_count; i++)
		rc = end_tick_of_kind(worker, i);
	return rc;
}

static int begin_tick(struct memphis_worker *worker, uint64_t since_ns)
{
	struct memphis_timeline *timeline = &worker->timelines[worker->process];
	uint64_t width_ns;
	int rc = end_tick(worker);

	/* If the timeline later doubles the width of its ticks, the current tick lies within one wider tick. */
	width_ns = timeline->width_ns ? timeline->width_ns : MEMPHIS_TICK_FIRST_NS;
	worker->tick_ns = since_ns & ~(width_ns - 1);
	worker->tick_end_ns = worker->tick_ns + width_ns;
	return rc;
}

static int add_kind_to_totals(struct memphis_worker *worker, struct worker_kind *kind)
{
	const struct memphis_access access = memphis_access_unpack(kind->way);
	const struct memphis_joined_process *joined = &worker->join->list[worker->process];
	struct memphis_total *total;

	if (!kind->count || !(kind->wanted | kind->waits))
		return 0;
	total = memphis_totals_get(&worker->totals, (uint32_t)worker->process, (uint32_t)worker->thread,
				   access);
	if (!total)
		return -ENOMEM;
	memphis_measure_add(
		&total->measure,
		&(struct memphis_measure){.count = kind->count,
					  .accesses = kind->count *
						      memphis_sample_weight(&joined->weights, &access),
					  .latency_cycles = kind->latency_cycles,
					  .latency_squares = kind->latency_squares,
					  .latency_max_cycles = kind->latency_max_cycles});
	return 0;
}

static void clear_kinds(struct memphis_worker *worker)
{
	memset(worker->slots, 0, sizeof(worker->slots));
	worker->kinds[0].way = MEMPHIS_NO_ACCESS;
	worker->kind_count = 1;
}

/* Adds the counts of all kinds to the timeline and the totals, and removes all kinds. */
static int flush_kinds(struct memphis_worker *worker)
{
	unsigned int i;
	int rc = end_tick(worker);

	for (i = 1; !rc && i < worker->kind_count; i++)
		rc = add_kind_to_totals(worker, &worker->kinds[i]);
	clear_kinds(worker);
	return rc;
}

/*
 * Begins a part of a thread's file. The samples until end_part() must belong to this part and be sorted by
 * time. A thread may have several parts.
 */
static int begin_part(struct memphis_worker *worker, size_t process, size_t thread)
{
	const struct memphis_thread_log *log = worker->join->list[process].process->threads[thread].log;

	worker->process = process;
	worker->thread = thread;
	worker->with_callers = log->callers.place_count != 0;
	worker->with_frames = log->in_frames.place_count != 0;
	worker->read = worker->selected = worker->own = 0;
	worker->homes = (struct memphis_homes){0};
	worker->tick_ns = worker->tick_end_ns = 0;
	clear_kinds(worker);
	return enter_thread(&worker->cache, process, thread);
}

static int end_part(struct memphis_worker *worker)
{
	struct memphis_thread *thread = &worker->join->list[worker->process].process->threads[worker->thread];
	int rc = flush_kinds(worker);

	/* Add atomically, because other workers may read other parts of the same thread's file. */
	__atomic_fetch_add(&thread->read, worker->read, __ATOMIC_RELAXED);
	__atomic_fetch_add(&thread->selected, worker->selected, __ATOMIC_RELAXED);
	__atomic_fetch_add(&thread->own, worker->own, __ATOMIC_RELAXED);
	__atomic_fetch_add(&thread->homes.known, worker->homes.known, __ATOMIC_RELAXED);
	__atomic_fetch_add(&thread->homes.remote_at_home, worker->homes.remote_at_home, __ATOMIC_RELAXED);
	__atomic_fetch_add(&thread->homes.local_away, worker->homes.local_away, __ATOMIC_RELAXED);
	return rc;
}

/*
 * Returns the access that is stored in the keys of the cells. A report needs only some of the fields.
 * Dropping the others makes the number of cells many times smaller. A profile that is saved keeps all fields,
 * because any kind of samples may be selected later.
 */
static struct memphis_access reduce_access(const struct memphis_selection *selection,
					   const struct memphis_access *access)
{
	struct memphis_access counted = *access;

	if (selection->all_apart)
		return counted;
	/* What a sample stands for depends on its event: memphis_sample_weight(). */
	counted.flags &= MEMPHIS_FLAG_STORE | MEMPHIS_FLAG_HITM | MEMPHIS_FLAG_REMOTE |
			 MEMPHIS_FLAG_BY_SOURCE | selection->kind->flags;
	/* Give all loads that do not wait the same source, which differs from the unknown source. */
	if (!memphis_waits(access))
		counted.source = MEMPHIS_SOURCE_L1;
	return counted;
}

/* Returns true if the totals include the load although it is not selected. The totals include all loads that wait. */
static bool is_unselected_wait(const struct memphis_selection *selection, const struct memphis_access *access)
{
	return access->flags & MEMPHIS_FLAG_LOAD && !(access->flags & MEMPHIS_FLAG_BY_SOURCE) &&
	       memphis_waits(access) && !memphis_selection_takes(selection, access);
}

/*
 * Counts the homes and the library's own accesses over all samples of a block. If only one region is
 * selected, this must be done before the samples of other regions are dropped.
 */
static void count_all_samples(struct memphis_worker *worker, unsigned int count)
{
	const struct memphis_own *own = &worker->join->list[worker->process].own;
	struct memphis_access access;
	struct memphis_homes homes;
	unsigned int i;

	for (i = 0; i < count; i++) {
		access = memphis_access_unpack(worker->columns.way[i]);
		homes = memphis_homes_of(&access);
		memphis_homes_add(&worker->homes, &homes);
		worker->own += memphis_own_has(own, worker->columns.pc[i], worker->columns.address[i]);
	}
}

static uint32_t region_row(const struct memphis_joined_process *joined, uint32_t region)
{
	return region < joined->region_row_count ? joined->region_rows[region] : MEMPHIS_REGION_UNKNOWN;
}

/*
 * Removes the samples of other regions from the columns, and replaces region ids by rows of the profile.
 * Returns the number of samples that remain.
 */
static unsigned int keep_selected_regions(struct memphis_worker *worker, unsigned int count)
{
	const struct memphis_joined_process *joined = &worker->join->list[worker->process];
	struct memphis_columns *columns = &worker->columns;
	bool by_region = worker->join->selection->by_region;
	unsigned int left = 0, i;
	uint32_t region;

	for (i = 0; i < count; i++) {
		region = columns->region[i];
		if (joined->regions && (region >= joined->region_count || !joined->regions[region]))
			continue;
		columns->pc[left] = columns->pc[i];
		columns->address[left] = columns->address[i];
		columns->time_ns[left] = columns->time_ns[i];
		columns->latency_cycles[left] = columns->latency_cycles[i];
		columns->way[left] = columns->way[i];
		if (worker->with_callers)
			columns->callers[left] = columns->callers[i];
		if (worker->with_frames)
			columns->frame[left] = columns->frame[i];
		columns->region[left] = by_region ? region_row(joined, region) : 0;
		if (by_region)
			worker->written[columns->region[left]]++;
		left++;
	}
	return left;
}

static int count_picked(struct memphis_worker *worker, const struct picked *picked, unsigned int count)
{
	uint64_t start_ns = worker->join->list[worker->process].start_ns, since_ns;
	const struct memphis_columns *columns = &worker->columns;
	bool by_region = worker->join->selection->by_region;
	struct memphis_seen list[MEMPHIS_COLUMN];
	unsigned int wanted = 0, i, row;
	const struct worker_kind *kind;
	int rc = 0;

	for (i = 0; !rc && i < count; i++) {
		row = picked[i].row;
		kind = &worker->kinds[picked[i].kind];
		since_ns = columns->time_ns[row] > start_ns ? columns->time_ns[row] - start_ns : 0;
		if (since_ns < worker->tick_ns || since_ns >= worker->tick_end_ns)
			rc = begin_tick(worker, since_ns);
		worker->in_tick[picked[i].kind].count++;
		worker->in_tick[picked[i].kind].latency_cycles += columns->latency_cycles[row];
		list[wanted] =
			(struct memphis_seen){.pc = columns->pc[row],
					      .address = columns->address[row],
					      .time_ns = columns->time_ns[row],
					      .latency_cycles = (uint32_t)columns->latency_cycles[row],
					      .region = by_region ? columns->region[row] : 0,
					      .callers = worker->with_callers ? columns->callers[row] : 0,
					      .frame = worker->with_frames ? columns->frame[row] : 0,
					      .access = kind->counted};
		wanted += kind->wanted;
	}
	worker->selected += wanted;
	return rc ? rc : count_samples(&worker->cache, list, wanted);
}

static inline unsigned int kind_slot(uint64_t way)
{
	return way * 0x9e3779b97f4a7c15ULL >> 48 & (MEMPHIS_WORKER_SLOTS - 1);
}

/*
 * Slow path of looking up a kind, if the kind is new or not at its first place in the hash table. Returns the
 * index of the kind.
 */
static __attribute__((noinline)) unsigned int find_kind(struct memphis_worker *worker, uint64_t way)
{
	const struct memphis_selection *selection = worker->join->selection;
	const bool homes_counted = worker->join->list[worker->process].regions;
	const struct memphis_access access = memphis_access_unpack(way);
	const struct memphis_homes homes = memphis_homes_of(&access);
	unsigned int slot = kind_slot(way), at;

	while ((at = worker->slots[slot]) && worker->kinds[at].way != way)
		slot = (slot + 1) & (MEMPHIS_WORKER_SLOTS - 1);
	if (at)
		return at;
	at = worker->kind_count++;
	worker->slots[slot] = (uint16_t)at;
	worker->kinds[at] = (struct worker_kind){.way = way,
						 .counted = reduce_access(selection, &access),
						 .wanted = memphis_selection_takes(selection, &access),
						 .waits = is_unselected_wait(selection, &access),
						 .homes = homes_counted ? 0 : pack_homes(&homes)};
	return at;
}

static inline void add_latency(struct worker_kind *kind, uint64_t cycles)
{
	kind->count++;
	kind->latency_cycles += cycles;
	kind->latency_squares += cycles * cycles;
	kind->latency_max_cycles = cycles > kind->latency_max_cycles ? cycles : kind->latency_max_cycles;
}

/*
 * Sums up all samples by kind. Collects the samples that are selected or wait without a branch, and then counts
 * them. Which ones these are is unpredictable, so branches would often be mispredicted. add_kind_to_totals() drops
 * the sums that are not needed.
 */
static int count_columns(struct memphis_worker *worker, unsigned int count)
{
	const struct memphis_joined_process *joined = &worker->join->list[worker->process];
	const struct memphis_columns *columns = &worker->columns;
	const uint64_t *ways = columns->way;
	struct picked picked[MEMPHIS_COLUMN];
	unsigned int picked_count = 0, i, at;
	struct worker_kind *kind;
	struct memphis_homes homes;
	uint64_t packed = 0, own_count = 0;
	int rc = 0;

	/* Make room for the worst case: each sample may be of a new kind. */
	if (worker->kind_count + count > MEMPHIS_WORKER_KINDS)
		rc = flush_kinds(worker);
	for (i = 0; !rc && i < count; i++) {
		at = worker->slots[kind_slot(ways[i])];
		if (__builtin_expect(worker->kinds[at].way != ways[i], 0))
			at = find_kind(worker, ways[i]);
		kind = &worker->kinds[at];
		packed += kind->homes;
		if (__builtin_expect(memphis_own_has(&joined->own, columns->pc[i], columns->address[i]), 0)) {
			own_count++;
			continue;
		}
		add_latency(kind, columns->latency_cycles[i]);
		picked[picked_count] = (struct picked){(uint16_t)i, (uint16_t)at};
		picked_count += kind->wanted | kind->waits;
	}
	if (!joined->regions)
		worker->own += own_count;
	homes = unpack_homes(packed);
	memphis_homes_add(&worker->homes, &homes);
	return rc ? rc : count_picked(worker, picked, picked_count);
}

/* Fills in the callers of the samples in the columns, and stores the time of the first sample with each chain. */
static void add_callers(struct memphis_worker *worker, unsigned int count)
{
	struct memphis_columns *columns = &worker->columns;
	uint64_t *first_ns, time_ns;
	unsigned int i;

	memphis_callers_next(&worker->callers, columns->callers, count);
	for (i = 0; i < count; i++) {
		if (columns->callers[i] < MEMPHIS_CALLERS_CHAINS)
			continue;
		first_ns = &worker->join->chains_ns[columns->callers[i] - MEMPHIS_CALLERS_CHAINS];
		time_ns = __atomic_load_n(first_ns, __ATOMIC_RELAXED);
		while (columns->time_ns[i] < time_ns &&
		       !__atomic_compare_exchange_n(first_ns, &time_ns, columns->time_ns[i], true,
						    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			;
	}
}

/* Counts all remaining samples of the decoder. Returns 0, -ENOMEM, or -EBADMSG as memphis_decoder_next() does. */
static int count_decoded_samples(struct memphis_worker *worker, struct memphis_decoder *decoder)
{
	const struct memphis_joined_process *joined = &worker->join->list[worker->process];
	bool regions = joined->regions || worker->join->selection->by_region;
	int count, rc;

	while ((count = memphis_decoder_block(decoder, &worker->columns)) > 0) {
		worker->read += (unsigned int)count;
		memphis_regions_place(joined->process->threads[worker->thread].log, &worker->columns,
				      (unsigned int)count);
		if (worker->with_callers)
			add_callers(worker, (unsigned int)count);
		if (worker->with_frames)
			memphis_callers_next(&worker->frames, worker->columns.frame, (size_t)count);
		if (joined->regions)
			count_all_samples(worker, (unsigned int)count);
		if (regions)
			count = (int)keep_selected_regions(worker, (unsigned int)count);
		rc = count_columns(worker, (unsigned int)count);
		if (rc)
			return rc;
	}
	return count;
}

/* Adds all results of the worker to join->counts and to the profile. */
static int collect_worker(struct memphis_worker *worker)
{
	struct memphis_profile *profile = worker->join->profile;
	size_t i;

	if (flush_count_cache(&worker->cache, false) ||
	    memphis_counts_merge(&worker->join->counts, &worker->counts) ||
	    memphis_totals_merge(&profile->totals, &worker->totals, 0))
		return -ENOMEM;
	memphis_examples_merge(&profile->examples, &worker->examples);
	for (i = 0; i < profile->region_count; i++)
		profile->regions[i].written += worker->written[i];
	for (i = 0; i < profile->processes.count; i++)
		if (memphis_timeline_merge(&profile->timelines[i], &worker->timelines[i]))
			return -ENOMEM;
	return 0;
}

/* A range of chunks of a thread's file, which one worker reads. */
struct task {
	size_t process, thread;
	uint64_t from, to; /* file offsets of chunks; to == UINT64_MAX: up to the end of the file */
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
	rc = count_decoded_samples(worker, &decoder);
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

	if (begin_part(worker, task->process, task->thread))
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
			rc = memphis_callers_begin(&worker->callers, &thread->log->callers, &file,
						   chunk.offset, error);
		if (!rc && worker->with_frames)
			rc = memphis_callers_begin(&worker->frames, &thread->log->in_frames, &file,
						   chunk.offset, error);
		if (!rc)
			rc = memphis_file_payload(&file, &chunk, error);
		if (!rc)
			rc = count_chunk(worker, &file, &chunk, error);
		if (rc)
			break;
	}
	if (rc >= 0 && end_part(worker))
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

static int collect_results(struct memphis_join *join, struct memphis_worker *workers, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		if (collect_worker(&workers[i]))
			return -ENOMEM;
	memphis_totals_sort(&join->profile->totals);
	return 0;
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
		rc = open_worker(&run.workers[opened++], join);
	if (rc)
		memphis_fail(error, rc, "out of memory");
	else
		rc = memphis_workers_run(count, run.task_count, count_part, &run, error);
	if (!rc && collect_results(join, run.workers, count))
		rc = memphis_fail(error, -ENOMEM, "out of memory");
	while (opened)
		close_worker(&run.workers[--opened]);
	free(run.workers);
	free(run.tasks);
	return rc;
}
