// SPDX-License-Identifier: BSD-3-Clause
/* Loads the close-ups of a profile. */
#include <string.h>

#include "heatmap/heatmap.h"
#include "profile/file/read.h"

/* Is what stands between these not more than `count` steps of 1 << shift? */
static bool has_steps(uint64_t from, uint64_t to, uint32_t shift, uint64_t count)
{
	return from <= to && shift < 64 && (to >> shift) - (from >> shift) < count;
}

/* Appends a record's rows to one of the close-up's arrays. */
static int load_rows(struct mprof_reader *reader, const struct mprof_table *table,
		     const ProtobufCMessage *message, void *array, size_t *count, size_t *room)
{
	size_t more, i;
	char *rows;
	int rc;

	if (!reader->closeup)
		return mprof_nonsense(reader, table->name, "rows without a close-up");
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

int mprof_load_closeup(struct mprof_reader *reader, const Mprof__Record *record)
{
	const Mprof__Closeup *from = record->closeup;
	struct memphis_profile *profile = reader->profile;
	struct memphis_closeup *closeup;
	size_t i;
	int rc;

	if (from->process >= profile->processes.count - reader->first_process)
		return mprof_nonsense(reader, "closeup", "process");
	if (from->variable >= reader->variables.count)
		return mprof_nonsense(reader, "closeup", "variable");
	if (!has_steps(from->low, from->high, from->bin_shift, MEMPHIS_CLOSEUP_BINS))
		return mprof_nonsense(reader, "closeup", "low");
	if (!has_steps(from->from_ns, from->to_ns, from->tick_shift, MEMPHIS_CLOSEUP_TICKS))
		return mprof_nonsense(reader, "closeup", "from_ns");
	closeup = memphis_append(profile->closeups, profile->closeup_count, profile->closeup_room);
	if (!closeup)
		return mprof_no_memory(reader);
	closeup->process = (uint32_t)reader->first_process + from->process;
	closeup->variable = reader->variables.list[from->variable];
	closeup->low = from->low;
	closeup->high = from->high;
	closeup->bin_shift = from->bin_shift;
	closeup->from_ns = from->from_ns;
	closeup->to_ns = from->to_ns;
	closeup->tick_shift = from->tick_shift;
	closeup->samples = from->samples;
	closeup->selected = from->selected;
	closeup->one_in = from->one_in;
	closeup->element_bytes = from->element_bytes;
	closeup->renewed = from->renewed;
	reader->closeup = closeup;
	rc = load_rows(reader, &mprof_closeup_regions, &record->closeup->base, &closeup->regions,
		       &closeup->region_count, &closeup->region_room);
	for (i = 0; !rc && i < closeup->region_count; i++)
		closeup->regions[i].region = reader->regions.list[closeup->regions[i].region];
	if (!rc)
		rc = load_rows(reader, &mprof_closeup_stores, &record->closeup->base, &closeup->stores,
			       &closeup->store_count, &closeup->store_room);
	for (i = 0; !rc && i < closeup->store_count; i++)
		closeup->stores[i].instruction = reader->instructions.list[closeup->stores[i].instruction];
	reader->bounds[MPROF_THREAD_OF_PROCESS] = profile->processes.list[closeup->process].thread_count;
	return rc;
}

int mprof_load_spots(struct mprof_reader *reader, const Mprof__Record *record)
{
	struct memphis_closeup *closeup = reader->closeup ? reader->closeup : &reader->no_closeup;

	return load_rows(reader, &mprof_spots, &record->spots->base, &closeup->spots, &closeup->spot_count,
			 &closeup->spot_room);
}

int mprof_load_uses(struct mprof_reader *reader, const Mprof__Record *record)
{
	struct memphis_closeup *closeup = reader->closeup ? reader->closeup : &reader->no_closeup;
	size_t before = closeup->use_count, i;
	int rc;

	rc = load_rows(reader, &mprof_uses, &record->uses->base, &closeup->uses, &closeup->use_count,
		       &closeup->use_room);
	for (i = before; !rc && i < closeup->use_count; i++)
		if (closeup->uses[i].first_store != MEMPHIS_NONE)
			closeup->uses[i].first_store =
				reader->instructions.list[closeup->uses[i].first_store];
	return rc;
}

int mprof_load_fields(struct mprof_reader *reader, const Mprof__Record *record)
{
	struct memphis_closeup *closeup = reader->closeup ? reader->closeup : &reader->no_closeup;
	size_t before = closeup->field_count, i;
	int rc;

	rc = load_rows(reader, &mprof_fields, &record->fields->base, &closeup->fields, &closeup->field_count,
		       &closeup->field_room);
	for (i = before; !rc && i < closeup->field_count; i++)
		closeup->fields[i].name = reader->strings.list[closeup->fields[i].name];
	return rc;
}

int mprof_load_words(struct mprof_reader *reader, const Mprof__Record *record)
{
	struct memphis_closeup *closeup = reader->closeup ? reader->closeup : &reader->no_closeup;

	return load_rows(reader, &mprof_words, &record->words->base, &closeup->words, &closeup->word_count,
			 &closeup->word_room);
}
