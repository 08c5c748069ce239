// SPDX-License-Identifier: BSD-3-Clause
#include "attribute/worker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A selected sample that is not counted yet. */
struct picked {
	uint16_t row, kind;
};

/* Three counts in one word, so that a sample costs one addition: each has room for the samples of a block many times over. */
#define HOMES_BITS 20
#define HOMES_MASK ((1ULL << HOMES_BITS) - 1)
_Static_assert(MEMPHIS_COLUMN <= HOMES_MASK, "counts of a block fit");

static uint64_t pack_homes(const struct memphis_homes *homes)
{
	return homes->told | homes->remote_at_home << HOMES_BITS | homes->local_away << 2 * HOMES_BITS;
}

static struct memphis_homes unpack_homes(uint64_t word)
{
	return (struct memphis_homes){word & HOMES_MASK, word >> HOMES_BITS & HOMES_MASK,
				      word >> 2 * HOMES_BITS};
}

int memphis_tally_open(struct memphis_tally *tally, struct memphis_join *join)
{
	memset(tally, 0, sizeof(*tally));
	tally->join = join;
	tally->written = calloc(join->profile->region_count + 1, sizeof(*tally->written));
	tally->timelines = calloc(join->processes->count + 1, sizeof(*tally->timelines));
	if (!tally->written || !tally->timelines)
		return -ENOMEM;
	return memphis_slots_open(&tally->slots, join, &tally->counts, &tally->examples);
}

void memphis_tally_close(struct memphis_tally *tally)
{
	size_t i;

	for (i = 0; tally->timelines && i < tally->join->processes->count; i++)
		memphis_timeline_close(&tally->timelines[i]);
	free(tally->timelines);
	free(tally->written);
	memphis_counts_close(&tally->counts);
	memphis_totals_close(&tally->totals);
	memphis_slots_close(&tally->slots);
}

/* Gives the timeline what was counted in its present step. */
static int end_tick_of(struct memphis_tally *tally, struct memphis_tally_kind *kind)
{
	struct memphis_access access = memphis_access_told(kind->way);
	uint64_t count = kind->in_tick;

	if (!count)
		return 0;
	kind->in_tick = 0;
	return memphis_timeline_add(&tally->timelines[tally->process], tally->tick_ns, access.node,
				    access.home, count);
}

static int end_tick(struct memphis_tally *tally)
{
	unsigned int i;
	int rc = 0;

	for (i = 0; !rc && i < MEMPHIS_TALLY_KINDS; i++)
		rc = end_tick_of(tally, &tally->kinds[i]);
	return rc;
}

static int begin_tick(struct memphis_tally *tally, uint64_t since_ns)
{
	struct memphis_timeline *timeline = &tally->timelines[tally->process];
	uint64_t width_ns;
	int rc = end_tick(tally);

	/* A step that the timeline has now lies within one of those that it will have. */
	width_ns = timeline->width_ns ? timeline->width_ns : MEMPHIS_TICK_FIRST_NS;
	tally->tick_ns = since_ns & ~(width_ns - 1);
	tally->tick_end_ns = tally->tick_ns + width_ns;
	return rc;
}

static int add_total(struct memphis_tally *tally, struct memphis_tally_kind *kind)
{
	struct memphis_total *total;

	if (!kind->count)
		return 0;
	total = memphis_totals_get(&tally->totals, (uint32_t)tally->process, (uint32_t)tally->thread,
				   memphis_access_told(kind->way));
	if (!total)
		return -ENOMEM;
	total->count += kind->count;
	total->accesses += kind->count * tally->join->list[tally->process].period;
	total->latency_cycles += kind->latency_cycles;
	kind->count = kind->latency_cycles = 0;
	return 0;
}

int memphis_tally_begin(struct memphis_tally *tally, size_t process, size_t thread)
{
	unsigned int i;

	tally->process = process;
	tally->thread = thread;
	tally->read = tally->selected = tally->own = 0;
	tally->homes = (struct memphis_homes){0};
	tally->tick_ns = tally->tick_end_ns = 0;
	memset(tally->kinds, 0, sizeof(tally->kinds));
	for (i = 0; i < MEMPHIS_TALLY_KINDS; i++)
		tally->kinds[i].way = MEMPHIS_NO_WAY;
	return memphis_slots_begin(&tally->slots, process, thread);
}

int memphis_tally_end(struct memphis_tally *tally)
{
	struct memphis_thread *thread = &tally->join->list[tally->process].process->threads[tally->thread];
	int rc = end_tick(tally);
	unsigned int i;

	for (i = 0; !rc && i < MEMPHIS_TALLY_KINDS; i++)
		rc = add_total(tally, &tally->kinds[i]);
	/* Others may be at other parts of the file. */
	__atomic_fetch_add(&thread->read, tally->read, __ATOMIC_RELAXED);
	__atomic_fetch_add(&thread->selected, tally->selected, __ATOMIC_RELAXED);
	__atomic_fetch_add(&thread->own, tally->own, __ATOMIC_RELAXED);
	__atomic_fetch_add(&thread->homes.told, tally->homes.told, __ATOMIC_RELAXED);
	__atomic_fetch_add(&thread->homes.remote_at_home, tally->homes.remote_at_home, __ATOMIC_RELAXED);
	__atomic_fetch_add(&thread->homes.local_away, tally->homes.local_away, __ATOMIC_RELAXED);
	return rc;
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
static int replace_kind(struct memphis_tally *tally, struct memphis_tally_kind *kind, uint64_t way)
{
	const struct memphis_selection *selection = tally->join->selection;
	const bool homes_counted = tally->join->list[tally->process].regions;
	struct memphis_access access = memphis_access_told(way);
	struct memphis_homes homes = memphis_homes_of(&access);
	int rc = end_tick_of(tally, kind);

	if (!rc)
		rc = add_total(tally, kind);
	*kind = (struct memphis_tally_kind){.way = way,
					    .counted = counted_as(selection, &access),
					    .wanted = memphis_selection_takes(selection, &access),
					    .homes = homes_counted ? 0 : pack_homes(&homes)};
	return rc;
}

/*
 * Where samples of some regions are passed over, what is known of all samples is counted before that: homes, and the library's own
 * accesses.
 */
static void count_all(struct memphis_tally *tally, unsigned int count)
{
	const struct memphis_own *own = &tally->join->list[tally->process].own;
	struct memphis_access access;
	struct memphis_homes homes;
	unsigned int i;

	for (i = 0; i < count; i++) {
		access = memphis_access_told(tally->columns.way[i]);
		homes = memphis_homes_of(&access);
		memphis_homes_add(&tally->homes, &homes);
		tally->own += memphis_own_has(own, tally->columns.pc[i], tally->columns.address[i]);
	}
}

static uint32_t row_of(const struct memphis_joined_process *joined, uint32_t region)
{
	return region < joined->region_row_count ? joined->region_rows[region] : MEMPHIS_REGION_UNKNOWN;
}

/*
 * Leaves in the columns only samples of regions that were asked for, and the profile's numbers of the regions that are counted apart.
 * Returns how many there are left.
 */
static unsigned int look_at_regions(struct memphis_tally *tally, unsigned int count)
{
	const struct memphis_joined_process *joined = &tally->join->list[tally->process];
	struct memphis_columns *columns = &tally->columns;
	bool by_region = tally->join->selection->by_region;
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
		columns->region[left] = by_region ? row_of(joined, region) : 0;
		if (by_region)
			tally->written[columns->region[left]]++;
		left++;
	}
	return left;
}

static int count_picked(struct memphis_tally *tally, const struct picked *picked, unsigned int count)
{
	uint64_t start_ns = tally->join->list[tally->process].start_ns, since_ns;
	const struct memphis_columns *columns = &tally->columns;
	bool by_region = tally->join->selection->by_region;
	struct memphis_seen list[MEMPHIS_COLUMN];
	struct memphis_tally_kind *kind;
	unsigned int i, row;
	int rc = 0;

	for (i = 0; !rc && i < count; i++) {
		row = picked[i].row;
		kind = &tally->kinds[picked[i].kind];
		since_ns = columns->time_ns[row] > start_ns ? columns->time_ns[row] - start_ns : 0;
		if (since_ns < tally->tick_ns || since_ns >= tally->tick_end_ns)
			rc = begin_tick(tally, since_ns);
		kind->count++;
		kind->in_tick++;
		kind->latency_cycles += columns->latency_cycles[row];
		list[i] = (struct memphis_seen){.pc = columns->pc[row],
						.address = columns->address[row],
						.time_ns = columns->time_ns[row],
						.latency_cycles = (uint32_t)columns->latency_cycles[row],
						.region = by_region ? columns->region[row] : 0,
						.access = kind->counted};
	}
	tally->selected += count;
	return rc ? rc : memphis_slots_add(&tally->slots, list, count);
}

static inline unsigned int kind_of(uint64_t way)
{
	return way * 0x9e3779b97f4a7c15ULL >> 48 & (MEMPHIS_TALLY_KINDS - 1);
}

/* Picks the selected ones, as who is selected comes as a surprise to CPUs: then all is known that counting them needs. */
static int count_columns(struct memphis_tally *tally, unsigned int count)
{
	const struct memphis_joined_process *joined = &tally->join->list[tally->process];
	const struct memphis_columns *columns = &tally->columns;
	const uint64_t *ways = columns->way;
	struct picked picked[MEMPHIS_COLUMN];
	unsigned int picked_count = 0, i, at;
	struct memphis_tally_kind *kind;
	struct memphis_homes homes;
	uint64_t packed = 0, own_count = 0;
	bool own;
	int rc = 0;

	for (i = 0; !rc && i < count; i++) {
		at = kind_of(ways[i]);
		kind = &tally->kinds[at];
		if (kind->way != ways[i]) {
			rc = count_picked(tally, picked, picked_count);
			if (!rc)
				rc = replace_kind(tally, kind, ways[i]);
			picked_count = 0;
		}
		picked[picked_count] = (struct picked){(uint16_t)i, (uint16_t)at};
		own = memphis_own_has(&joined->own, columns->pc[i], columns->address[i]);
		picked_count += kind->wanted & !own;
		packed += kind->homes;
		own_count += own;
	}
	if (!joined->regions)
		tally->own += own_count;
	homes = unpack_homes(packed);
	memphis_homes_add(&tally->homes, &homes);
	return rc ? rc : count_picked(tally, picked, picked_count);
}

int memphis_tally_samples(struct memphis_tally *tally, struct memphis_decoder *decoder)
{
	const struct memphis_joined_process *joined = &tally->join->list[tally->process];
	bool regions = joined->regions || tally->join->selection->by_region;
	int count, rc;

	while ((count = memphis_decoder_block(decoder, &tally->columns)) > 0) {
		tally->read += (unsigned int)count;
		if (joined->regions)
			count_all(tally, (unsigned int)count);
		if (regions)
			count = (int)look_at_regions(tally, (unsigned int)count);
		rc = count_columns(tally, (unsigned int)count);
		if (rc)
			return rc;
	}
	return count;
}

int memphis_tally_collect(struct memphis_tally *tally)
{
	struct memphis_profile *profile = tally->join->profile;
	size_t i;

	if (memphis_slots_empty(&tally->slots) ||
	    memphis_counts_merge(&tally->join->counts, &tally->counts) ||
	    memphis_totals_merge(&profile->totals, &tally->totals, 0))
		return -ENOMEM;
	memphis_examples_merge(&profile->examples, &tally->examples);
	for (i = 0; i < profile->region_count; i++)
		profile->regions[i].written += tally->written[i];
	for (i = 0; i < profile->processes.count; i++)
		if (memphis_timeline_merge(&profile->timelines[i], &tally->timelines[i]))
			return -ENOMEM;
	return 0;
}
