// SPDX-License-Identifier: BSD-3-Clause
/* Sums the records of one variable by bin, time, node, thread, instruction and region. */
#include "heatmap/second_pass.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/order.h"
#include "base/radix.h"
#include "evidence/neighbours.h"
#include "profile/wait_source.h"

#define PARTS_SHIFT    4  /* a bin is divided into 16 parts */
#define SAMPLES_OF_BIN 32 /* minimum average number of samples in a bin, to search for parts of bins */
#define NODES          64 /* samples from nodes with higher numbers are ignored */

static void shrink_array(void *list, size_t *capacity, size_t count, size_t bytes)
{
	void *old, *smaller;

	memcpy(&old, list, sizeof(old));
	smaller = count ? realloc(old, count * bytes) : NULL;
	if (!smaller)
		return;
	memcpy(list, &smaller, sizeof(smaller));
	*capacity = count;
}

static unsigned int find_shift(uint64_t low, uint64_t high, uint64_t bins)
{
	unsigned int shift = 0;

	while ((high >> shift) - (low >> shift) >= bins)
		shift++;
	return shift;
}

static double mean_certainty(struct memphis_heatmap_record *const *records, size_t count)
{
	uint64_t doubt = 0;
	size_t i;

	for (i = 0; i < count; i++)
		doubt += records[i]->doubt;
	return 1 - (double)doubt / UINT16_MAX / (double)count;
}

static void set_ranges(struct memphis_heatmap *heatmap, struct memphis_heatmap_record *const *records,
		       size_t count)
{
	size_t i;

	heatmap->low = heatmap->high = records[0]->address;
	heatmap->from_ns = heatmap->to_ns = records[0]->since_ns;
	for (i = 0; i < count; i++) {
		if (records[i]->address < heatmap->low)
			heatmap->low = records[i]->address;
		if (records[i]->address > heatmap->high)
			heatmap->high = records[i]->address;
		if (records[i]->since_ns < heatmap->from_ns)
			heatmap->from_ns = records[i]->since_ns;
		if (records[i]->since_ns > heatmap->to_ns)
			heatmap->to_ns = records[i]->since_ns;
	}
	heatmap->samples = count;
	heatmap->certainty = mean_certainty(records, count);
	heatmap->bin_shift = find_shift(heatmap->low, heatmap->high, MEMPHIS_HEATMAP_BINS);
	heatmap->tick_shift = find_shift(heatmap->from_ns, heatmap->to_ns, MEMPHIS_HEATMAP_TICKS);
}

void memphis_heatmap_use_positions(struct memphis_heatmap *heatmap)
{
	heatmap->low = memphis_heatmap_position(heatmap, heatmap->low);
	heatmap->high = memphis_heatmap_position(heatmap, heatmap->high);
	heatmap->bin_shift = find_shift(heatmap->low, heatmap->high, MEMPHIS_HEATMAP_BINS);
}

static int compare_block_times(const void *a, const void *b)
{
	const struct memphis_heatmap_record *x = *(struct memphis_heatmap_record *const *)a,
					    *y = *(struct memphis_heatmap_record *const *)b;
	uint64_t base_x = x->address - x->offset, base_y = y->address - y->offset;

	return memphis_order(base_x, base_y) ?: memphis_order(x->block_ns, y->block_ns);
}

/*
 * Sets heatmap->renewed if the program freed and allocated memory of the variable again: blocks with different
 * allocation times then have overlapping addresses.
 */
static int set_renewed(struct memphis_heatmap *heatmap, struct memphis_heatmap_record *const *records,
		       size_t count)
{
	struct memphis_heatmap_record **blocks = malloc((count + 1) * sizeof(*blocks));
	const struct memphis_heatmap_record *last = NULL;
	size_t known = 0, i;

	if (!blocks)
		return -ENOMEM;
	/* Samples of the same block in a row, which are most, count once. */
	for (i = 0; i < count; i++)
		if (records[i]->block_end && (!known || compare_block_times(&blocks[known - 1], &records[i])))
			blocks[known++] = records[i];
	qsort(blocks, known, sizeof(*blocks), compare_block_times);
	for (i = 0; i < known; i++) {
		if (last && blocks[i]->block_ns != last->block_ns &&
		    blocks[i]->address - blocks[i]->offset < last->block_end)
			heatmap->renewed = true;
		if (!last || blocks[i]->block_end > last->block_end)
			last = blocks[i];
	}
	free(blocks);
	return 0;
}

static uint16_t find_bin(const struct memphis_heatmap *heatmap, uint64_t address)
{
	const uint64_t at = memphis_heatmap_position(heatmap, address);

	return (uint16_t)((at >> heatmap->bin_shift) - (heatmap->low >> heatmap->bin_shift));
}

/* Allocates two lists of `count` elements that memphis_radix_sort() can use; to be freed as one. Returns NULL if memory is exhausted. */
static struct memphis_keyed *make_keyed(size_t count)
{
	return malloc((2 * count + 1) * sizeof(struct memphis_keyed));
}

static uint16_t find_tick(const struct memphis_heatmap *heatmap, uint64_t time_ns)
{
	return (uint16_t)((time_ns >> heatmap->tick_shift) - (heatmap->from_ns >> heatmap->tick_shift));
}

static void add_spot(struct memphis_heatmap_spot *spot, const struct memphis_heatmap *heatmap,
		     const struct memphis_heatmap_record *record)
{
	const uint16_t place =
		memphis_heatmap_fraction(heatmap, memphis_heatmap_position(heatmap, record->address));

	spot->count++;
	spot->selected += record->selected;
	spot->loads += (record->flags & MEMPHIS_FLAG_LOAD) != 0;
	spot->stores += (record->flags & MEMPHIS_FLAG_STORE) != 0;
	spot->remote += memphis_record_is(record, MEMPHIS_REMOTE_LOADS);
	if (place < spot->lowest)
		spot->lowest = place;
	if (place > spot->highest)
		spot->highest = place;
}

/* Sums the records by time, bin, node and home, in this order. */
static int fill_spots(struct memphis_heatmap *heatmap, struct memphis_heatmap_record *const *records,
		      size_t count)
{
	struct memphis_keyed *list = make_keyed(count), *sorted;
	struct memphis_heatmap_spot *spot = NULL;
	size_t i;

	if (!list)
		return -ENOMEM;
	for (i = 0; i < count; i++) {
		list[i].key = (uint64_t)find_tick(heatmap, records[i]->since_ns) << 48 |
			      (uint64_t)find_bin(heatmap, records[i]->address) << 32 |
			      (uint32_t)records[i]->node << 16 | records[i]->home;
		list[i].value = i;
	}
	sorted = memphis_radix_sort(list, list + count, count);
	for (i = 0; i < count; i++) {
		if (!i || sorted[i].key != sorted[i - 1].key) {
			spot = memphis_append(heatmap->spots, heatmap->spot_count, heatmap->spot_room);
			if (!spot)
				break;
			*spot = (struct memphis_heatmap_spot){.tick = (uint16_t)(sorted[i].key >> 48),
							      .bin = (uint16_t)(sorted[i].key >> 32),
							      .node = (uint16_t)(sorted[i].key >> 16),
							      .home = (uint16_t)sorted[i].key,
							      .lowest = UINT16_MAX};
		}
		add_spot(spot, heatmap, records[sorted[i].value]);
	}
	free(list);
	return i < count ? -ENOMEM : 0;
}

/*
 * Sets heatmap->parts_of_bins if different nodes use different parts of the same bins. If there are fewer than
 * SAMPLES_OF_BIN samples per bin, clears it: so few samples do not even show which nodes use which larger parts of the
 * variable.
 */
static int find_parts_of_bins(struct memphis_heatmap *heatmap, struct memphis_heatmap_record *const *records,
			      size_t count)
{
	const size_t bins = (size_t)find_bin(heatmap, heatmap->high) + 1;
	size_t nodes = 0, i;
	uint32_t *counts;
	uint64_t at;

	heatmap->parts_of_bins = false;
	if (count < bins * SAMPLES_OF_BIN || heatmap->bin_shift < PARTS_SHIFT)
		return 0;
	for (i = 0; i < count; i++)
		if (records[i]->node < NODES && records[i]->node >= nodes)
			nodes = records[i]->node + 1u;
	counts = calloc((bins << PARTS_SHIFT) * nodes + 1, sizeof(*counts));
	if (!counts)
		return -ENOMEM;
	for (i = 0; i < count; i++) {
		at = (memphis_heatmap_position(heatmap, records[i]->address) -
		      (heatmap->low >> heatmap->bin_shift << heatmap->bin_shift)) >>
		     (heatmap->bin_shift - PARTS_SHIFT);
		if (records[i]->node < NODES && at < bins << PARTS_SHIFT)
			counts[at * nodes + records[i]->node]++;
	}
	heatmap->parts_of_bins = memphis_has_smaller_parts(counts, bins, 1 << PARTS_SHIFT, nodes);
	free(counts);
	return 0;
}

/* The instructions of first stores are looked up here, once per use, because a lookup for each record would be slow. */
int memphis_heatmap_first_stores(struct memphis_second_pass *pass, struct memphis_heatmap *heatmap,
				 struct memphis_heatmap_record *const *records)
{
	struct memphis_heatmap_use *use;

	for (use = heatmap->uses; use < heatmap->uses + heatmap->use_count; use++) {
		if (use->first_store == MEMPHIS_NONE)
			continue;
		use->first_store = memphis_second_pass_instruction(pass, records[use->first_store]);
		if (use->first_store == MEMPHIS_NONE)
			return -ENOMEM;
	}
	return 0;
}

static void add_use(struct memphis_heatmap_use *use, const struct memphis_heatmap_record *record,
		    uint32_t number)
{
	const bool store = record->flags & MEMPHIS_FLAG_STORE;

	use->count++;
	use->stores += store;
	use->selected += record->selected;
	use->remote += memphis_record_is(record, MEMPHIS_REMOTE_LOADS);
	if (record->since_ns < use->first_ns)
		use->first_ns = record->since_ns;
	if (!store || (use->first_store != MEMPHIS_NONE && use->first_store_ns <= record->since_ns))
		return;
	use->first_store = number;
	use->first_store_ns = record->since_ns;
}

/* Sums the records by thread, bin and node, in this order. */
static int fill_uses(struct memphis_heatmap *heatmap, struct memphis_heatmap_record *const *records,
		     size_t count)
{
	struct memphis_keyed *list = make_keyed(count), *sorted;
	struct memphis_heatmap_use *use = NULL;
	size_t i;

	if (!list)
		return -ENOMEM;
	for (i = 0; i < count; i++) {
		list[i].key = (uint64_t)records[i]->thread << 32 |
			      (uint32_t)find_bin(heatmap, records[i]->address) << 16 | records[i]->node;
		list[i].value = i;
	}
	sorted = memphis_radix_sort(list, list + count, count);
	for (i = 0; i < count; i++) {
		if (!i || sorted[i].key != sorted[i - 1].key) {
			use = memphis_append(heatmap->uses, heatmap->use_count, heatmap->use_room);
			if (!use)
				break;
			*use = (struct memphis_heatmap_use){.thread = (uint32_t)(sorted[i].key >> 32),
							    .bin = (uint16_t)(sorted[i].key >> 16),
							    .node = (uint16_t)sorted[i].key,
							    .first_ns = UINT64_MAX,
							    .first_store = MEMPHIS_NONE};
		}
		add_use(use, records[sorted[i].value], (uint32_t)sorted[i].value);
	}
	free(list);
	return i < count ? -ENOMEM : 0;
}

static int compare_stores(const void *a, const void *b)
{
	const struct memphis_heatmap_store *x = a, *y = b;

	return memphis_order(x->instruction, y->instruction);
}

static int compare_first_stores(const void *a, const void *b)
{
	const struct memphis_heatmap_store *x = a, *y = b;

	return memphis_order(x->first_ns, y->first_ns) ?: compare_stores(a, b);
}

/*
 * Counts the stores of each instruction, with the times of its first and last store. An instruction that stored first
 * and then stopped has probably initialised the variable.
 */
static int fill_stores(struct memphis_second_pass *pass, struct memphis_heatmap *heatmap,
		       struct memphis_heatmap_record *const *records, size_t count)
{
	struct memphis_heatmap_store *stores = calloc(count + 1, sizeof(*stores)), *last = NULL;
	size_t made = 0, i;

	if (!stores)
		return -ENOMEM;
	heatmap->stores = stores;
	for (i = 0; i < count; i++) {
		if (!(records[i]->flags & MEMPHIS_FLAG_STORE))
			continue;
		last = &stores[made++];
		last->instruction = memphis_second_pass_instruction(pass, records[i]);
		last->count = 1;
		last->first_ns = last->last_ns = records[i]->since_ns;
		if (last->instruction == MEMPHIS_NONE)
			return -ENOMEM;
	}
	qsort(stores, made, sizeof(*stores), compare_stores);
	for (last = NULL, i = 0; i < made; i++) {
		if (!last || last->instruction != stores[i].instruction) {
			last = &stores[heatmap->store_count++];
			*last = stores[i];
			continue;
		}
		last->count++;
		if (stores[i].first_ns < last->first_ns)
			last->first_ns = stores[i].first_ns;
		if (stores[i].last_ns > last->last_ns)
			last->last_ns = stores[i].last_ns;
	}
	if (heatmap->store_count > MEMPHIS_HEATMAP_STORES) {
		qsort(stores, heatmap->store_count, sizeof(*stores), compare_first_stores);
		heatmap->store_count = MEMPHIS_HEATMAP_STORES;
		qsort(stores, heatmap->store_count, sizeof(*stores), compare_stores);
	}
	heatmap->store_room = count + 1;
	shrink_array(&heatmap->stores, &heatmap->store_room, heatmap->store_count, sizeof(*stores));
	return 0;
}

static int compare_region_counts(const void *a, const void *b)
{
	const struct memphis_heatmap_region *x = a, *y = b;

	return memphis_order(y->count, x->count) ?: memphis_order(x->region, y->region);
}

static int compare_regions(const void *a, const void *b)
{
	const struct memphis_heatmap_region *x = a, *y = b;

	return memphis_order(x->region, y->region);
}

static int fill_regions(struct memphis_heatmap *heatmap, struct memphis_heatmap_record *const *records,
			size_t count)
{
	struct memphis_heatmap_region *regions = calloc(count + 1, sizeof(*regions)), *last = NULL;
	size_t i;

	if (!regions)
		return -ENOMEM;
	heatmap->region_count = 0;
	for (i = 0; i < count; i++) {
		regions[i].region = records[i]->region;
		regions[i].count = 1;
		regions[i].remote = records[i]->selected && records[i]->node != records[i]->home &&
				    records[i]->home != MEMPHIS_NODE_UNKNOWN;
		regions[i].hitm = !!(records[i]->flags & MEMPHIS_FLAG_HITM);
	}
	qsort(regions, count, sizeof(*regions), compare_regions);
	for (i = 0; i < count; i++) {
		if (last && last->region == regions[i].region) {
			last->count++;
			last->remote += regions[i].remote;
			last->hitm += regions[i].hitm;
		} else {
			last = &regions[heatmap->region_count++];
			*last = regions[i];
		}
	}
	if (heatmap->region_count > MEMPHIS_HEATMAP_REGIONS) {
		qsort(regions, heatmap->region_count, sizeof(*regions), compare_region_counts);
		heatmap->region_count = MEMPHIS_HEATMAP_REGIONS;
		qsort(regions, heatmap->region_count, sizeof(*regions), compare_regions);
	}
	free(heatmap->regions);
	heatmap->regions = regions;
	heatmap->region_room = count + 1;
	return 0;
}

int memphis_heatmap_begin(struct memphis_heatmap *heatmap, struct memphis_heatmap_record *const *records,
			  size_t count)
{
	int rc;

	set_ranges(heatmap, records, count);
	rc = set_renewed(heatmap, records, count);
	return rc ? rc : memphis_heatmap_fill_words(heatmap, records, count);
}

int memphis_heatmap_sum(struct memphis_second_pass *pass, struct memphis_heatmap *heatmap,
			struct memphis_heatmap_record **records, size_t count)
{
	int rc = fill_stores(pass, heatmap, records, count);

	if (!rc)
		rc = memphis_heatmap_fill_loads(pass, heatmap, records, count);
	return rc ? rc : memphis_heatmap_fill_fields(pass, heatmap, records, count);
}

int memphis_heatmap_sum_accesses(struct memphis_heatmap *heatmap,
				 struct memphis_heatmap_record *const *records, size_t count)
{
	int rc;

	heatmap->spot_count = heatmap->use_count = 0;
	rc = fill_spots(heatmap, records, count);
	if (!rc)
		rc = find_parts_of_bins(heatmap, records, count);
	if (!rc)
		rc = fill_uses(heatmap, records, count);
	if (!rc)
		rc = fill_regions(heatmap, records, count);
	return rc;
}

void memphis_heatmap_trim(struct memphis_heatmap *heatmap)
{
	free(heatmap->places);
	heatmap->places = NULL;
	heatmap->place_count = heatmap->place_room = 0;
	shrink_array(&heatmap->spots, &heatmap->spot_room, heatmap->spot_count, sizeof(*heatmap->spots));
	shrink_array(&heatmap->uses, &heatmap->use_room, heatmap->use_count, sizeof(*heatmap->uses));
	shrink_array(&heatmap->fields, &heatmap->field_room, heatmap->field_count, sizeof(*heatmap->fields));
	shrink_array(&heatmap->moments, &heatmap->moment_room, heatmap->moment_count,
		     sizeof(*heatmap->moments));
	shrink_array(&heatmap->regions, &heatmap->region_room, heatmap->region_count,
		     sizeof(*heatmap->regions));
}

int memphis_heatmap_fill_latencies(struct memphis_heatmap *heatmap,
				   struct memphis_heatmap_record *const *records, size_t count)
{
	struct memphis_heatmap_latency bins[MEMPHIS_WAIT_SOURCES][MEMPHIS_LATENCY_BINS] = {0}, *latency;
	enum memphis_wait_source source;
	unsigned int bin;
	size_t i;

	for (i = 0; i < count; i++) {
		source = memphis_wait_source(
			&(struct memphis_access){.source = records[i]->source, .flags = records[i]->flags});
		if (source == MEMPHIS_WAIT_SOURCES || !records[i]->latency_cycles)
			continue;
		latency = &bins[source][memphis_latency_bin(records[i]->latency_cycles)];
		latency->count++;
		latency->cycles += records[i]->latency_cycles;
	}
	for (source = 0; source < MEMPHIS_WAIT_SOURCES; source++)
		for (bin = 0; bin < MEMPHIS_LATENCY_BINS; bin++) {
			if (!bins[source][bin].count)
				continue;
			latency = memphis_append(heatmap->latencies, heatmap->latency_count,
						 heatmap->latency_room);
			if (!latency)
				return -ENOMEM;
			*latency = bins[source][bin];
			latency->source = source;
			latency->bin = (uint16_t)bin;
		}
	return 0;
}
