// SPDX-License-Identifier: BSD-3-Clause
/* Loads the heatmaps of a profile. */
#include "profile/file/read_heatmap.h"

#include <string.h>

/* Returns whether the values between `from` and `to` fall into at most `count` steps of size 1 << shift. */
static bool has_steps(uint64_t from, uint64_t to, uint32_t shift, uint64_t count)
{
	return from <= to && shift < 64 && (to >> shift) - (from >> shift) < count;
}

/* Appends the rows of a record to an array of the last heatmap. `array` is the address of the pointer to this array. */
static int load_rows(struct mprof_reader *reader, const struct mprof_table *table,
		     const ProtobufCMessage *message, void *array, size_t *count, size_t *room)
{
	size_t more, i;
	char *rows;
	int rc;

	if (!reader->heatmap)
		return mprof_nonsense(reader, table->name, "rows without a heatmap");
	rc = mprof_check(reader, table, message, &more);
	if (rc)
		return rc;
	if (memphis_grow(array, room, *count + more, table->row_bytes))
		return mprof_no_memory(reader);
	memcpy(&rows, array, sizeof(rows));
	for (i = 0; i < more; i++)
		mprof_get_row(table, message, i, rows + (*count)++ * table->row_bytes);
	return 0;
}

int mprof_load_heatmap(struct mprof_reader *reader, const Mprof__Record *record)
{
	const Mprof__Heatmap *from = record->heatmap;
	struct memphis_profile *profile = reader->profile;
	struct memphis_heatmap *heatmap;
	size_t i;
	int rc;

	if (from->process >= profile->processes.count - reader->first_process)
		return mprof_nonsense(reader, "heatmap", "process");
	if (from->variable >= reader->variables.count)
		return mprof_nonsense(reader, "heatmap", "variable");
	if (!has_steps(from->low, from->high, from->bin_shift, MEMPHIS_HEATMAP_BINS))
		return mprof_nonsense(reader, "heatmap", "low");
	if (!has_steps(from->from_ns, from->to_ns, from->tick_shift, MEMPHIS_HEATMAP_TICKS))
		return mprof_nonsense(reader, "heatmap", "from_ns");
	heatmap = memphis_append(profile->heatmaps, profile->heatmap_count, profile->heatmap_room);
	if (!heatmap)
		return mprof_no_memory(reader);
	heatmap->process = (uint32_t)reader->first_process + from->process;
	heatmap->variable = reader->variables.list[from->variable];
	heatmap->low = from->low;
	heatmap->high = from->high;
	heatmap->bin_shift = from->bin_shift;
	heatmap->from_ns = from->from_ns;
	heatmap->to_ns = from->to_ns;
	heatmap->tick_shift = from->tick_shift;
	heatmap->samples = from->samples;
	heatmap->selected = from->selected;
	heatmap->one_in = from->one_in;
	heatmap->element_bytes = from->element_bytes;
	heatmap->renewed = from->renewed;
	heatmap->typed = from->typed;
	heatmap->contradicted = from->contradicted;
	reader->heatmap = heatmap;
	rc = load_rows(reader, &mprof_heatmap_regions, &record->heatmap->base, &heatmap->regions,
		       &heatmap->region_count, &heatmap->region_room);
	for (i = 0; !rc && i < heatmap->region_count; i++)
		heatmap->regions[i].region = reader->regions.list[heatmap->regions[i].region];
	if (!rc)
		rc = load_rows(reader, &mprof_heatmap_stores, &record->heatmap->base, &heatmap->stores,
			       &heatmap->store_count, &heatmap->store_room);
	for (i = 0; !rc && i < heatmap->store_count; i++)
		heatmap->stores[i].instruction = reader->instructions.list[heatmap->stores[i].instruction];
	if (!rc)
		rc = load_rows(reader, &mprof_heatmap_parts, &record->heatmap->base, &heatmap->parts,
			       &heatmap->part_count, &heatmap->part_room);
	for (i = 0; !rc && i < heatmap->part_count; i++)
		heatmap->parts[i].name = reader->strings.list[heatmap->parts[i].name];
	if (!rc)
		rc = load_rows(reader, &mprof_heatmap_latencies, &record->heatmap->base, &heatmap->latencies,
			       &heatmap->latency_count, &heatmap->latency_room);
	if (!rc)
		rc = load_rows(reader, &mprof_heatmap_loads, &record->heatmap->base, &heatmap->loads,
			       &heatmap->load_count, &heatmap->load_room);
	for (i = 0; !rc && i < heatmap->load_count; i++) {
		heatmap->loads[i].instruction = reader->instructions.list[heatmap->loads[i].instruction];
		if (!heatmap->loads[i].fetched || heatmap->loads[i].fetched > heatmap->loads[i].count)
			return mprof_nonsense(reader, "heatmap", "load_fetched");
	}
	if (!rc)
		rc = load_rows(reader, &mprof_heatmap_moments, &record->heatmap->base, &heatmap->moments,
			       &heatmap->moment_count, &heatmap->moment_room);
	for (i = 0; !rc && i < heatmap->moment_count; i++)
		heatmap->moments[i].instruction = reader->instructions.list[heatmap->moments[i].instruction];
	reader->bounds[MPROF_THREAD_OF_PROCESS] = profile->processes.list[heatmap->process].thread_count;
	return rc;
}

int mprof_load_spots(struct mprof_reader *reader, const Mprof__Record *record)
{
	struct memphis_heatmap *heatmap = reader->heatmap ? reader->heatmap : &reader->no_heatmap;

	return load_rows(reader, &mprof_spots, &record->spots->base, &heatmap->spots, &heatmap->spot_count,
			 &heatmap->spot_room);
}

int mprof_load_uses(struct mprof_reader *reader, const Mprof__Record *record)
{
	struct memphis_heatmap *heatmap = reader->heatmap ? reader->heatmap : &reader->no_heatmap;
	size_t before = heatmap->use_count, i;
	int rc;

	rc = load_rows(reader, &mprof_uses, &record->uses->base, &heatmap->uses, &heatmap->use_count,
		       &heatmap->use_room);
	for (i = before; !rc && i < heatmap->use_count; i++)
		if (heatmap->uses[i].first_store != MEMPHIS_NONE)
			heatmap->uses[i].first_store =
				reader->instructions.list[heatmap->uses[i].first_store];
	return rc;
}

int mprof_load_fields(struct mprof_reader *reader, const Mprof__Record *record)
{
	struct memphis_heatmap *heatmap = reader->heatmap ? reader->heatmap : &reader->no_heatmap;
	size_t before = heatmap->field_count, i;
	int rc;

	rc = load_rows(reader, &mprof_fields, &record->fields->base, &heatmap->fields, &heatmap->field_count,
		       &heatmap->field_room);
	for (i = before; !rc && i < heatmap->field_count; i++)
		heatmap->fields[i].name = reader->strings.list[heatmap->fields[i].name];
	return rc;
}

int mprof_load_words(struct mprof_reader *reader, const Mprof__Record *record)
{
	struct memphis_heatmap *heatmap = reader->heatmap ? reader->heatmap : &reader->no_heatmap;

	return load_rows(reader, &mprof_words, &record->words->base, &heatmap->words, &heatmap->word_count,
			 &heatmap->word_room);
}
