// SPDX-License-Identifier: BSD-3-Clause
/*
 * Sums the records of a variable by place in the program, thread and region. The sums include local accesses and cache
 * hits, because they show whether other threads execute the same loop at the same time. A loop is serial if only one
 * thread executes it.
 */
#include "heatmap/second_pass.h"

#include <errno.h>
#include <stdlib.h>

#include "base/order.h"
#include "evidence/suspect.h"

/* A place in the program, with one instruction that represents it and the times of its first and last remote load. */
struct place {
	uint32_t number, instruction;
	bool is_counted; /* the place has loads from DRAM, or loads of modified lines */
	uint64_t from_ns, to_ns;
};

struct places {
	struct place *list;
	size_t count, room;
};

/* Returns whether the variable has enough samples for any finding about places or shared cache lines. Most have too few. */
static bool has_enough_samples(struct memphis_heatmap_record *const *records, size_t count)
{
	size_t remote = 0, modified = 0, i;

	for (i = 0; i < count; i++) {
		remote += memphis_record_is(records[i], MEMPHIS_REMOTE_LOADS);
		modified += memphis_record_is(records[i], MEMPHIS_MODIFIED_LOADS);
	}
	return remote >= MEMPHIS_FINDING_HINT || modified >= MEMPHIS_FINDING_WEAK;
}

static bool is_local_load(const struct memphis_heatmap_record *record)
{
	return record->source == MEMPHIS_SOURCE_DRAM &&
	       (record->flags & (MEMPHIS_FLAG_LOAD | MEMPHIS_FLAG_REMOTE)) == MEMPHIS_FLAG_LOAD;
}

/* Returns the place of the record, or NULL if memory is exhausted. */
static struct place *find_or_add_place(struct memphis_second_pass *pass, struct places *places,
				       struct memphis_heatmap_record *record)
{
	const struct memphis_profile *profile = pass->join->profile;
	const uint32_t number = memphis_second_pass_place(pass, record), instruction = record->instruction;
	struct place *place;

	if (number == MEMPHIS_NONE)
		return NULL;
	if (!pass->places.slots[number]) {
		place = memphis_append(places->list, places->count, places->room);
		if (!place)
			return NULL;
		*place = (struct place){.number = number, .instruction = instruction, .from_ns = UINT64_MAX};
		pass->places.slots[number] = (uint32_t)places->count;
	}
	place = &places->list[pass->places.slots[number] - 1];
	if (profile->instructions[instruction].pc < profile->instructions[place->instruction].pc)
		place->instruction = instruction;
	return place;
}

static int find_places(struct memphis_second_pass *pass, struct places *places,
		       struct memphis_heatmap_record *const *records, size_t count)
{
	struct place *place;
	size_t i;

	for (i = 0; i < count; i++) {
		place = find_or_add_place(pass, places, records[i]);
		if (!place)
			return -ENOMEM;
		place->is_counted |=
			memphis_record_is(records[i], MEMPHIS_MODIFIED_LOADS) || is_local_load(records[i]);
		if (!memphis_record_is(records[i], MEMPHIS_REMOTE_LOADS))
			continue;
		place->is_counted = true;
		if (records[i]->since_ns < place->from_ns)
			place->from_ns = records[i]->since_ns;
		if (records[i]->since_ns > place->to_ns)
			place->to_ns = records[i]->since_ns;
	}
	return 0;
}

static int compare_rows(const void *a, const void *b)
{
	const struct memphis_heatmap_place *x = a, *y = b;

	return memphis_order(x->instruction, y->instruction) ?:
	       memphis_order(x->thread, y->thread) ?:
	       memphis_order(x->region, y->region);
}

/* Sums the records of all places whose `is_counted` is set. */
static int sum_places(const struct memphis_second_pass *pass, const struct places *places,
		      struct memphis_heatmap *heatmap, struct memphis_heatmap_record *const *records,
		      size_t count)
{
	struct memphis_heatmap_place *rows, *last = NULL;
	const struct place *place;
	size_t made = 0, i;

	if (memphis_grow(&heatmap->places, &heatmap->place_room, count, sizeof(*rows)))
		return -ENOMEM;
	rows = heatmap->places;
	for (i = 0; i < count; i++) {
		place = &places->list[pass->places.slots[records[i]->place] - 1];
		if (!place->is_counted)
			continue;
		rows[made++] = (struct memphis_heatmap_place){
			.instruction = place->instruction,
			.thread = records[i]->thread,
			.region = records[i]->region,
			.meanwhile = records[i]->since_ns >= place->from_ns &&
				     records[i]->since_ns <= place->to_ns,
			.remote = memphis_record_is(records[i], MEMPHIS_REMOTE_LOADS),
			.modified = memphis_record_is(records[i], MEMPHIS_MODIFIED_LOADS),
			.local = is_local_load(records[i]),
		};
	}
	memphis_sort(rows, made, compare_rows);
	for (i = 0; i < made; i++) {
		if (last && !compare_rows(last, &rows[i])) {
			last->meanwhile += rows[i].meanwhile;
			last->remote += rows[i].remote;
			last->modified += rows[i].modified;
			last->local += rows[i].local;
		} else {
			last = &rows[heatmap->place_count++];
			*last = rows[i];
		}
	}
	return 0;
}

int memphis_heatmap_fill_places(struct memphis_second_pass *pass, struct memphis_heatmap *heatmap,
				struct memphis_heatmap_record *const *records, size_t count)
{
	struct places places = {.count = 0};
	size_t i;
	int rc;

	if (!has_enough_samples(records, count))
		return 0;
	rc = find_places(pass, &places, records, count);
	if (!rc)
		rc = sum_places(pass, &places, heatmap, records, count);
	for (i = 0; i < places.count; i++)
		pass->places.slots[places.list[i].number] = 0;
	free(places.list);
	return rc;
}

/*
 * Sets the slot of each place of the heatmap. If `phases` is true, the slot gets the number of the phase that explains
 * the place, or 0 if none does. If `phases` is false, the slot gets 0.
 */
static void set_slots(struct memphis_second_pass *pass, const struct memphis_heatmap *heatmap, bool phases)
{
	const struct memphis_heatmap_place *row;

	for (row = heatmap->places; row < heatmap->places + heatmap->place_count; row++)
		pass->places.slots[pass->places.numbers[row->instruction] - 1] = phases ? row->phase : 0;
}

void memphis_heatmap_leave_explained(struct memphis_second_pass *pass, const struct memphis_heatmap *heatmap,
				     struct memphis_heatmap_record *const *records, size_t count)
{
	size_t i;

	set_slots(pass, heatmap, true);
	for (i = 0; i < count; i++)
		if (memphis_record_is(records[i], MEMPHIS_REMOTE_LOADS) &&
		    pass->places.slots[records[i]->place])
			records[i]->kinds &= (uint8_t) ~(1u << MEMPHIS_REMOTE_LOADS);
	set_slots(pass, heatmap, false);
}
