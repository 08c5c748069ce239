// SPDX-License-Identifier: BSD-3-Clause
/*
 * Sums the loads of a variable by source line, to find loops that use only a small part of each fetched cache line.
 * Stores only show that other instructions use the same lines, because IBS does not report where the line of a store
 * came from.
 */
#include "heatmap/second_pass.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "evidence/suspect.h"

#define LINE_SHIFT 6
#define BLOCK_BYTES \
	128 /* minimum size of a block: a smaller one may not fill a cache line, and then shares it with other blocks */
#define ANY_BYTES 64 /* an access of unknown size may use the whole line */

/* The accesses from one place in the program. */
struct sum {
	struct memphis_heatmap_load load;
	uint32_t place; /* index in pass->places.list */
	/* a record of the instruction with the lowest address at this place */
	const struct memphis_heatmap_record *first;
	uint32_t stores, stores_widest;
	bool unknown; /* the size of at least one load is unknown */
};

struct sums {
	struct sum *list;
	size_t count, room;
};

/* A cache line that a load fetched. */
struct fetch {
	uint32_t sum;
	uint64_t line;
};

bool memphis_is_fetched(const struct memphis_heatmap_record *record)
{
	return (record->flags & MEMPHIS_FLAG_LOAD) && !(record->flags & MEMPHIS_FLAG_HITM) &&
	       (record->source == MEMPHIS_SOURCE_L3 || record->source == MEMPHIS_SOURCE_DRAM ||
		record->source == MEMPHIS_SOURCE_EXTENSION);
}

/* Returns whether other variables probably have no data in the record's cache line. */
static bool is_usable(const struct memphis_heatmap_record *record)
{
	return record->offset != MEMPHIS_NO_OFFSET &&
	       (!record->block_end || record->block_end - (record->address - record->offset) >= BLOCK_BYTES);
}

/* Returns the sum of the record's place, or NULL if memory is exhausted. */
static struct sum *find_or_add_sum(struct memphis_second_pass *pass, struct sums *sums,
				   struct memphis_heatmap_record *record)
{
	const struct memphis_profile *profile = pass->join->profile;
	const uint32_t place = memphis_second_pass_place(pass, record), instruction = record->instruction;
	struct sum *sum;

	if (place == MEMPHIS_NONE)
		return NULL;
	if (!pass->places.slots[place]) {
		sum = memphis_append(sums->list, sums->count, sums->room);
		if (!sum)
			return NULL;
		*sum = (struct sum){.place = place, .first = record, .load.instruction = instruction};
		pass->places.slots[place] = (uint32_t)sums->count;
	}
	sum = &sums->list[pass->places.slots[place] - 1];
	if (profile->instructions[instruction].pc < profile->instructions[sum->load.instruction].pc) {
		sum->load.instruction = instruction;
		sum->first = record;
	}
	return sum;
}

static void add_load(struct sum *sum, uint32_t bytes, bool fetched)
{
	struct memphis_heatmap_load *load = &sum->load;

	if (!load->count || bytes < load->narrowest)
		load->narrowest = bytes;
	if (bytes > load->widest)
		load->widest = bytes;
	load->count++;
	load->fetched += fetched;
	load->bytes += bytes;
	sum->unknown |= !bytes;
}

static void add_store(struct sum *sum, uint32_t bytes)
{
	const uint32_t known = bytes ? bytes : ANY_BYTES;

	sum->stores++;
	if (known > sum->stores_widest)
		sum->stores_widest = known;
}

/* Adds all usable records to the sums. In each record that fetched a line, stores the index of its sum plus 1. */
static int add_records(struct memphis_second_pass *pass, struct memphis_heatmap_record *const *records,
		       size_t count, struct sums *sums)
{
	const struct memphis_profile *profile = pass->join->profile;
	struct sum *sum;
	uint32_t bytes;
	size_t i;

	for (i = 0; i < count; i++) {
		records[i]->load = 0;
		if (!is_usable(records[i]))
			continue;
		sum = find_or_add_sum(pass, sums, records[i]);
		if (!sum)
			return -ENOMEM;
		bytes = profile->instructions[records[i]->instruction].bytes;
		if (records[i]->flags & MEMPHIS_FLAG_LOAD)
			add_load(sum, bytes, memphis_is_fetched(records[i]));
		else
			add_store(sum, bytes);
		if (memphis_is_fetched(records[i]))
			records[i]->load = (uint32_t)(sum - sums->list) + 1;
	}
	return 0;
}

static int compare_fetches(const void *a, const void *b)
{
	const struct fetch *x = a, *y = b;

	return memphis_order(x->sum, y->sum) ?: memphis_order(x->line, y->line);
}

/* Counts the different cache lines that each place fetched. */
static int count_lines(struct sums *sums, struct memphis_heatmap_record *const *records, size_t count)
{
	struct fetch *fetches = malloc((count + 1) * sizeof(*fetches));
	size_t found = 0, i;

	if (!fetches)
		return -ENOMEM;
	for (i = 0; i < count; i++)
		if (records[i]->load)
			fetches[found++] =
				(struct fetch){records[i]->load - 1, records[i]->address >> LINE_SHIFT};
	qsort(fetches, found, sizeof(*fetches), compare_fetches);
	for (i = 0; i < found; i++)
		sums->list[fetches[i].sum].load.lines +=
			!i || compare_fetches(&fetches[i - 1], &fetches[i]) != 0;
	free(fetches);
	return 0;
}

/*
 * Counts the accesses in the same function that may use the lines that this place fetched, and finds the largest
 * number of bytes that one of them uses.
 */
static void count_other_accesses(const struct memphis_program_place *places, const struct sums *sums,
				 struct sum *sum)
{
	const struct memphis_program_place *place = &places[sum->place];
	struct memphis_heatmap_load *load = &sum->load;
	const struct sum *other;
	uint32_t hits, widest;

	for (other = sums->list; other < sums->list + sums->count; other++) {
		if (places[other->place].object != place->object ||
		    places[other->place].function != place->function)
			continue;
		hits = other == sum ? 0 : other->load.count - other->load.fetched;
		widest = !hits ? 0 : other->unknown ? ANY_BYTES : other->load.widest;
		load->others += hits + other->stores;
		if (other->stores_widest > widest)
			widest = other->stores_widest;
		if (widest > load->others_widest)
			load->others_widest = widest;
	}
}

static bool has_enough_fetches(const struct memphis_program_place *places, const struct sum *sum)
{
	return sum->load.fetched >= MEMPHIS_FINDING_SAMPLES && places[sum->place].line && !sum->unknown;
}

/* Finds the order in which the place reads memory, for example with a stride. Does nothing if its loads read whole lines. */
static int find_read_order(struct memphis_second_pass *pass, struct sum *sum)
{
	const struct memphis_joined_process *joined = &pass->join->list[pass->process];
	struct memphis_binaries *binaries = &pass->join->processes->binaries;
	uint64_t pc, from_ns, to_ns;
	uint32_t code;

	if (sum->load.bytes >= (uint64_t)MEMPHIS_CACHE_LINE * sum->load.fetched)
		return 0;
	code = memphis_maps_code(&joined->process->log->maps, sum->first->pc,
				 joined->start_ns + sum->first->since_ns, &pc, &from_ns, &to_ns);
	if (code == MEMPHIS_NO_BINARY)
		return 0;
	return memphis_load_order_find(&pass->orders, binaries, binaries->list[code], pc, &sum->load.order);
}

/*
 * Moves the sums with enough fetches to the heatmap. Also replaces `load` in the records, until now the index of the
 * sum plus 1, by the index of the heatmap's row plus 1, or by 0 if the sum was dropped.
 */
static int move_to_heatmap(struct memphis_second_pass *pass, struct sums *sums,
			   struct memphis_heatmap *heatmap, struct memphis_heatmap_record *const *records,
			   size_t count)
{
	const struct memphis_program_place *places = pass->places.list;
	uint32_t *numbers = calloc(sums->count + 1, sizeof(*numbers));
	struct memphis_heatmap_load *kept;
	size_t i;

	if (!numbers)
		return -ENOMEM;
	for (i = 0; i < sums->count; i++) {
		if (!has_enough_fetches(places, &sums->list[i]))
			continue;
		count_other_accesses(places, sums, &sums->list[i]);
		kept = memphis_append(heatmap->loads, heatmap->load_count, heatmap->load_room);
		if (!kept || find_read_order(pass, &sums->list[i])) {
			free(numbers);
			return -ENOMEM;
		}
		*kept = sums->list[i].load;
		numbers[i + 1] = (uint32_t)heatmap->load_count;
	}
	for (i = 0; i < count; i++) {
		records[i]->load = numbers[records[i]->load];
		if (!records[i]->load)
			continue;
		heatmap->loads[records[i]->load - 1].selected += records[i]->selected;
		heatmap->loads[records[i]->load - 1].counted +=
			memphis_record_is(records[i], MEMPHIS_FETCHES);
	}
	free(numbers);
	return 0;
}

int memphis_heatmap_fill_loads(struct memphis_second_pass *pass, struct memphis_heatmap *heatmap,
			       struct memphis_heatmap_record *const *records, size_t count)
{
	struct sums sums = {.count = 0};
	size_t fetched = 0, i;
	int rc;

	for (i = 0; i < count; i++) {
		records[i]->load = 0;
		fetched += memphis_is_fetched(records[i]);
	}
	if (fetched < MEMPHIS_FINDING_SAMPLES || !pass->all_loads)
		return 0;
	rc = add_records(pass, records, count, &sums);
	if (!rc)
		rc = count_lines(&sums, records, count);
	if (!rc)
		rc = move_to_heatmap(pass, &sums, heatmap, records, count);
	for (i = 0; i < sums.count; i++)
		pass->places.slots[sums.list[i].place] = 0;
	free(sums.list);
	return rc;
}
