// SPDX-License-Identifier: BSD-3-Clause
/* Selects and counts the samples of a worker of the join, block by block. */
#include "attribute/worker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/wait_source.h"

/* A selected sample that is not counted yet: its row in the columns, and its slot in worker->kinds. */
struct picked {
	uint16_t row, kind;
};

/*
 * Packs struct memphis_homes into one word; a sample then needs only one addition. Each count has more bits than the samples of a block
 * require.
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

int memphis_worker_open(struct memphis_worker *worker, struct memphis_join *join)
{
	memset(worker, 0, sizeof(*worker));
	worker->join = join;
	worker->written = calloc(join->profile->region_count + 1, sizeof(*worker->written));
	worker->timelines = calloc(join->processes->count + 1, sizeof(*worker->timelines));
	if (!worker->written || !worker->timelines)
		return -ENOMEM;
	return memphis_count_cache_open(&worker->cache, join, &worker->counts, &worker->examples);
}

void memphis_worker_close(struct memphis_worker *worker)
{
	size_t i;

	for (i = 0; worker->timelines && i < worker->join->processes->count; i++)
		memphis_timeline_close(&worker->timelines[i]);
	free(worker->timelines);
	free(worker->written);
	memphis_counts_close(&worker->counts);
	memphis_totals_close(&worker->totals);
	memphis_count_cache_close(&worker->cache);
	memphis_callers_close(&worker->callers);
}

/* Adds the samples of the current step to the timeline. */
static int end_tick_of(struct memphis_worker *worker, struct memphis_worker_kind *kind)
{
	struct memphis_access access = memphis_access_unpack(kind->way);
	uint64_t count = kind->in_tick;

	if (!count)
		return 0;
	kind->in_tick = 0;
	return memphis_timeline_add(&worker->timelines[worker->process], worker->tick_ns, access.node,
				    access.home, count);
}

static int end_tick(struct memphis_worker *worker)
{
	unsigned int i;
	int rc = 0;

	for (i = 1; !rc && i < worker->kind_count; i++)
		rc = end_tick_of(worker, &worker->kinds[i]);
	return rc;
}

static int begin_tick(struct memphis_worker *worker, uint64_t since_ns)
{
	struct memphis_timeline *timeline = &worker->timelines[worker->process];
	uint64_t width_ns;
	int rc = end_tick(worker);

	/* If the timeline widens later, the current step will lie within one of the wider steps. */
	width_ns = timeline->width_ns ? timeline->width_ns : MEMPHIS_TICK_FIRST_NS;
	worker->tick_ns = since_ns & ~(width_ns - 1);
	worker->tick_end_ns = worker->tick_ns + width_ns;
	return rc;
}

static int add_total(struct memphis_worker *worker, struct memphis_worker_kind *kind)
{
	struct memphis_total *total;

	if (!kind->count || !(kind->wanted | kind->waits))
		return 0;
	total = memphis_totals_get(&worker->totals, (uint32_t)worker->process, (uint32_t)worker->thread,
				   memphis_access_unpack(kind->way));
	if (!total)
		return -ENOMEM;
	memphis_measure_add(&total->measure,
			    &(struct memphis_measure){
				    .count = kind->count,
				    .accesses = kind->count * worker->join->list[worker->process].stands_for,
				    .latency_cycles = kind->latency_cycles,
				    .latency_squares = kind->latency_squares,
				    .latency_max_cycles = kind->latency_max_cycles});
	return 0;
}

static void forget_kinds(struct memphis_worker *worker)
{
	memset(worker->slots, 0, sizeof(worker->slots));
	worker->kinds[0].way = MEMPHIS_NO_ACCESS;
	worker->kind_count = 1;
}

/* Adds what has been counted of all kinds to the timeline and the totals. */
static int end_kinds(struct memphis_worker *worker)
{
	unsigned int i;
	int rc = end_tick(worker);

	for (i = 1; !rc && i < worker->kind_count; i++)
		rc = add_total(worker, &worker->kinds[i]);
	forget_kinds(worker);
	return rc;
}

int memphis_worker_begin(struct memphis_worker *worker, size_t process, size_t thread)
{
	worker->process = process;
	worker->thread = thread;
	worker->with_callers = worker->join->list[process].process->threads[thread].log->callers_count != 0;
	worker->read = worker->selected = worker->own = 0;
	worker->homes = (struct memphis_homes){0};
	worker->tick_ns = worker->tick_end_ns = 0;
	forget_kinds(worker);
	return memphis_count_cache_begin(&worker->cache, process, thread);
}

int memphis_worker_end(struct memphis_worker *worker)
{
	struct memphis_thread *thread = &worker->join->list[worker->process].process->threads[worker->thread];
	int rc = end_kinds(worker);

	/* Atomic, because other workers may read other parts of the same file. */
	__atomic_fetch_add(&thread->read, worker->read, __ATOMIC_RELAXED);
	__atomic_fetch_add(&thread->selected, worker->selected, __ATOMIC_RELAXED);
	__atomic_fetch_add(&thread->own, worker->own, __ATOMIC_RELAXED);
	__atomic_fetch_add(&thread->homes.known, worker->homes.known, __ATOMIC_RELAXED);
	__atomic_fetch_add(&thread->homes.remote_at_home, worker->homes.remote_at_home, __ATOMIC_RELAXED);
	__atomic_fetch_add(&thread->homes.local_away, worker->homes.local_away, __ATOMIC_RELAXED);
	return rc;
}

/*
 * Returns the access for the keys of the cells. A report needs only a part of the access, and dropping the rest makes the number of cells
 * many times smaller. A profile that is saved keeps all of it, because any kind of samples may be selected later.
 */
static struct memphis_access counted_as(const struct memphis_selection *selection,
					const struct memphis_access *access)
{
	struct memphis_access counted = *access;

	if (selection->all_apart)
		return counted;
	counted.flags &=
		MEMPHIS_FLAG_STORE | MEMPHIS_FLAG_HITM | MEMPHIS_FLAG_REMOTE | selection->kind->flags;
	/* Loads that do not wait are distinguished from those of an unknown source. */
	if (!memphis_waits(access))
		counted.source = MEMPHIS_SOURCE_L1;
	return counted;
}

/* Returns whether the totals count such loads beside the selected ones, for the sums of all waiting. */
static bool waits_unselected(const struct memphis_selection *selection, const struct memphis_access *access)
{
	return access->flags & MEMPHIS_FLAG_LOAD && !(access->flags & MEMPHIS_FLAG_BY_SOURCE) &&
	       memphis_waits(access) && !memphis_selection_takes(selection, access);
}

/*
 * Counts homes and the library's own accesses over all samples. This must be done before samples of other regions are dropped, if only one
 * region is selected.
 */
static void count_all(struct memphis_worker *worker, unsigned int count)
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

static uint32_t row_of(const struct memphis_joined_process *joined, uint32_t region)
{
	return region < joined->region_row_count ? joined->region_rows[region] : MEMPHIS_REGION_UNKNOWN;
}

/*
 * Removes the samples of other regions from the columns, and replaces region ids by rows of the profile. Returns the number of samples that
 * remain.
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
		columns->region[left] = by_region ? row_of(joined, region) : 0;
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
	struct memphis_worker_kind *kind;
	unsigned int i, row;
	int rc = 0;

	for (i = 0; !rc && i < count; i++) {
		row = picked[i].row;
		kind = &worker->kinds[picked[i].kind];
		since_ns = columns->time_ns[row] > start_ns ? columns->time_ns[row] - start_ns : 0;
		if (since_ns < worker->tick_ns || since_ns >= worker->tick_end_ns)
			rc = begin_tick(worker, since_ns);
		kind->in_tick++;
		list[i] = (struct memphis_seen){.pc = columns->pc[row],
						.address = columns->address[row],
						.time_ns = columns->time_ns[row],
						.latency_cycles = (uint32_t)columns->latency_cycles[row],
						.region = by_region ? columns->region[row] : 0,
						.callers = worker->with_callers ? columns->callers[row] : 0,
						.access = kind->counted};
	}
	worker->selected += count;
	return rc ? rc : memphis_count_cache_add(&worker->cache, list, count);
}

static inline unsigned int slot_of(uint64_t way)
{
	return way * 0x9e3779b97f4a7c15ULL >> 48 & (MEMPHIS_WORKER_SLOTS - 1);
}

/* Slow path: returns the index of the kind, which is not in its first slot or new. */
static __attribute__((noinline)) unsigned int find_kind(struct memphis_worker *worker, uint64_t way)
{
	const struct memphis_selection *selection = worker->join->selection;
	const bool homes_counted = worker->join->list[worker->process].regions;
	const struct memphis_access access = memphis_access_unpack(way);
	const struct memphis_homes homes = memphis_homes_of(&access);
	unsigned int slot = slot_of(way), at;

	while ((at = worker->slots[slot]) && worker->kinds[at].way != way)
		slot = (slot + 1) & (MEMPHIS_WORKER_SLOTS - 1);
	if (at)
		return at;
	at = worker->kind_count++;
	worker->slots[slot] = (uint16_t)at;
	worker->kinds[at] =
		(struct memphis_worker_kind){.way = way,
					     .counted = counted_as(selection, &access),
					     .wanted = memphis_selection_takes(selection, &access),
					     .waits = waits_unselected(selection, &access),
					     .homes = homes_counted ? 0 : pack_homes(&homes)};
	return at;
}

static inline void add_latency(struct memphis_worker_kind *kind, uint64_t cycles)
{
	kind->count++;
	kind->latency_cycles += cycles;
	kind->latency_squares += cycles * cycles;
	kind->latency_max_cycles = cycles > kind->latency_max_cycles ? cycles : kind->latency_max_cycles;
}

/*
 * Sums all samples by kind and gathers the selected ones without a branch, then counts these. The selection is unpredictable, and branches
 * would often be mispredicted. Sums that are not needed are dropped by add_total().
 */
static int count_columns(struct memphis_worker *worker, unsigned int count)
{
	const struct memphis_joined_process *joined = &worker->join->list[worker->process];
	const struct memphis_columns *columns = &worker->columns;
	const uint64_t *ways = columns->way;
	struct picked picked[MEMPHIS_COLUMN];
	unsigned int picked_count = 0, i, at;
	struct memphis_worker_kind *kind;
	struct memphis_homes homes;
	uint64_t packed = 0, own_count = 0;
	int rc = 0;

	/* Each sample may be of a new kind. */
	if (worker->kind_count + count > MEMPHIS_WORKER_KINDS)
		rc = end_kinds(worker);
	for (i = 0; !rc && i < count; i++) {
		at = worker->slots[slot_of(ways[i])];
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
		picked_count += kind->wanted;
	}
	if (!joined->regions)
		worker->own += own_count;
	homes = unpack_homes(packed);
	memphis_homes_add(&worker->homes, &homes);
	return rc ? rc : count_picked(worker, picked, picked_count);
}

/* Fills in the callers of the samples in the columns, and notes the times at which their chains were first seen. */
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

int memphis_worker_samples(struct memphis_worker *worker, struct memphis_decoder *decoder)
{
	const struct memphis_joined_process *joined = &worker->join->list[worker->process];
	bool regions = joined->regions || worker->join->selection->by_region;
	int count, rc;

	while ((count = memphis_decoder_block(decoder, &worker->columns)) > 0) {
		worker->read += (unsigned int)count;
		if (worker->with_callers)
			add_callers(worker, (unsigned int)count);
		if (joined->regions)
			count_all(worker, (unsigned int)count);
		if (regions)
			count = (int)keep_selected_regions(worker, (unsigned int)count);
		rc = count_columns(worker, (unsigned int)count);
		if (rc)
			return rc;
	}
	return count;
}

int memphis_worker_collect(struct memphis_worker *worker)
{
	struct memphis_profile *profile = worker->join->profile;
	size_t i;

	if (memphis_count_cache_flush(&worker->cache) ||
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
