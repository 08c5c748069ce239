// SPDX-License-Identifier: BSD-3-Clause
/* Reads the samples of a process a second time, to make heatmaps. Workers read the files of several threads in parallel. */
#include "heatmap/second_pass.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "attribute/estimate.h"
#include "base/workers.h"
#include "heatmap/met_owners.h"
#include "read/callers.h"
#include "read/decode.h"
#include "read/spans.h"
#include "profile/population.h"
#include "profile/profile.h"
#include "dwarf/variables.h"

#define CACHE_SLOTS      4096 /* a power of two */
#define CACHE_PAGE_SHIFT 12
/* minimum number of chunks to read from a thread, so that they cover the whole run */
#define CHUNKS_MIN 16

struct cached {
	struct memphis_answer answer; /* high is 0 if the slot is empty */
	uint64_t base;                /* start address of the variable or block; 0 if unknown */
	/*
	 * The number of the owner, or MET plus the index in the reader's list of owners without a number.
	 * MEMPHIS_NONE: the address belongs to no variable.
	 */
	uint32_t owner;
};

#define MET ((uint32_t)1 << 31)

/* The data that one worker needs to read samples. */
struct reader {
	struct memphis_columns columns;
	struct memphis_callers callers, frames;
	struct cached cache[CACHE_SLOTS + 1]; /* the last element is for addresses in a stack frame */
	struct memphis_met_owners met;
};

struct reading {
	struct memphis_second_pass *pass;
	struct reader *readers; /* one per worker */
};

/* Returns the start address of the variable or block that contains `address`, or 0 if it is unknown. */
static uint64_t find_base(const struct memphis_second_pass *pass, const struct memphis_answer *answer,
			  uint64_t address, uint64_t time_ns)
{
	const struct memphis_owner *owner = &answer->owner;
	const struct memphis_maps *maps = &pass->join->list[pass->process].process->log->maps;
	const struct memphis_binary *binary;
	const struct memphis_map *map;
	uint64_t from_ns, to_ns;

	/*
	 * low and high are the bounds of the block. If the block contains other variables, they are the bounds of a
	 * single address.
	 */
	if (owner->kind == MEMPHIS_OWNER_GROUP)
		return answer->high - answer->low > 1 ? answer->low : 0;
	if (owner->kind != MEMPHIS_OWNER_STATIC)
		return 0;
	map = memphis_maps_find(maps, address, time_ns, &from_ns, &to_ns);
	if (!map || map->instance == MEMPHIS_NO_INSTANCE ||
	    maps->instances[map->instance].binary != owner->index)
		return 0;
	binary = pass->join->processes->binaries.list[owner->index];
	return maps->instances[map->instance].bias + binary->variables->list[owner->item].low;
}

/*
 * Sets cached->owner to the owner's number. If the owner has no number yet, adds it to reader->met, and sets
 * cached->owner to its index there plus the flag MET. Returns 0 or -ENOMEM.
 */
static int number_owner(const struct memphis_second_pass *pass, struct reader *reader, struct cached *cached)
{
	cached->owner = MEMPHIS_NONE;
	if (cached->answer.owner.reason != MEMPHIS_ATTRIBUTED &&
	    cached->answer.owner.kind != MEMPHIS_OWNER_NEAR)
		return 0;
	cached->owner = memphis_owner_number(pass->numbers, &cached->answer.owner);
	if (cached->owner != MEMPHIS_NONE)
		return 0;
	cached->owner = memphis_met_owner(&reader->met, &cached->answer.owner);
	if (cached->owner == MEMPHIS_NONE)
		return -ENOMEM;
	cached->owner |= MET;
	return 0;
}

/*
 * Returns the owner of the address, from the cache if possible. Returns NULL if memory is exhausted. Answers for stack
 * frames are not cached, because the variable at an address depends on the frame.
 */
static const struct cached *find_owner(const struct memphis_second_pass *pass, struct reader *reader,
				       uint64_t address, uint64_t time_ns, uint32_t frame)
{
	struct cached *cached =
		&reader->cache[frame ? CACHE_SLOTS : address >> CACHE_PAGE_SHIFT & (CACHE_SLOTS - 1)];
	struct memphis_answer *answer = &cached->answer;

	if (!frame && address >= answer->low && address < answer->high && time_ns >= answer->from_ns &&
	    time_ns < answer->to_ns)
		return cached;
	memset(cached, 0, sizeof(*cached));
	if (memphis_join_address(pass->join, pass->process, address, time_ns, frame, answer) ||
	    number_owner(pass, reader, cached)) {
		memset(cached, 0, sizeof(*cached));
		return NULL;
	}
	if (cached->owner != MEMPHIS_NONE)
		cached->base = find_base(pass, answer, address, time_ns);
	return cached;
}

/*
 * Returns the populations of the sample as a bit mask: bit n belongs to enum memphis_population n. Clears the bit of
 * MEMPHIS_FETCHES unless all loads are sampled with equal probability.
 */
static uint8_t population_bits(const struct memphis_second_pass *pass, const struct memphis_access *access)
{
	unsigned int kinds = 0, i;

	for (i = 0; i < MEMPHIS_POPULATIONS; i++)
		kinds |= (unsigned int)memphis_population_has(i, access) << i;
	return (uint8_t)(pass->all_loads ? kinds : kinds & ~(1u << MEMPHIS_FETCHES));
}

/* Adds a record for the sample in this row of the reader's columns. Skips samples without a variable. */
static int add_record(const struct memphis_second_pass *pass, struct reader *reader, uint32_t thread,
		      unsigned int row)
{
	const struct memphis_joined_process *joined = &pass->join->list[pass->process];
	struct memphis_second_pass_thread *of_thread = &pass->threads[thread];
	const struct memphis_columns *columns = &reader->columns;
	const uint64_t address = columns->address[row], time_ns = columns->time_ns[row];
	const struct memphis_access access = memphis_access_unpack(columns->way[row]);
	const uint32_t region = columns->region[row];
	const struct cached *cached = find_owner(pass, reader, address, time_ns, columns->frame[row]);
	const struct memphis_selection *selection = pass->join->selection;
	struct memphis_heatmap_record *taken;

	/* Any sampled store shows that the hardware samples stores, even a store that belongs to no variable. */
	of_thread->stores |= (access.flags & MEMPHIS_FLAG_STORE) != 0;
	if (!cached)
		return -ENOMEM;
	if (cached->owner == MEMPHIS_NONE || memphis_own_has(&joined->own, columns->pc[row], address))
		return 0;
	if (cached->owner & MET)
		reader->met.list[cached->owner & ~MET].samples++;
	taken = memphis_append(of_thread->list, of_thread->count, of_thread->room);
	if (!taken)
		return -ENOMEM;
	taken->address = address;
	taken->pc = columns->pc[row];
	taken->region = region < pass->region_row_count ? pass->region_rows[region] : MEMPHIS_REGION_UNKNOWN;
	taken->since_ns = time_ns > joined->start_ns ? time_ns - joined->start_ns : 0;
	taken->offset = cached->base ? address - cached->base : MEMPHIS_NO_OFFSET;
	if (cached->base && cached->answer.owner.kind == MEMPHIS_OWNER_GROUP) {
		taken->block_end = cached->answer.high;
		taken->block_ns = cached->answer.from_ns;
	}
	taken->owner = cached->owner;
	taken->instruction = taken->place = MEMPHIS_NONE;
	taken->callers = columns->callers[row];
	taken->thread = thread;
	taken->node = access.node;
	taken->home = access.home;
	taken->flags = access.flags;
	taken->source = access.source;
	taken->latency_cycles = (uint16_t)columns->latency_cycles[row];
	if (joined->regions && !(region < joined->region_count && joined->regions[region]))
		return 0;
	taken->selected = memphis_selection_takes(selection, &access);
	if (selection->node < 0 || access.node == selection->node)
		taken->kinds = population_bits(pass, &access);
	return 0;
}

/* Reads the first part / of samples of the chunk, for example one quarter of them. */
static int read_chunk(const struct memphis_second_pass *pass, struct reader *reader, uint32_t thread,
		      const struct memphis_chunk_view *chunk, uint64_t part, uint64_t of)
{
	uint64_t left = (chunk->count * part + of - 1) / of;
	struct memphis_decoder decoder;
	int count, row, rc = 0;

	memphis_decoder_start(&decoder, chunk->payload, chunk->bytes, chunk->count);
	while (left && (count = memphis_decoder_block(&decoder, &reader->columns)) > 0) {
		if ((uint64_t)count > left)
			count = (int)left;
		left -= (uint64_t)count;
		memphis_regions_place(pass->join->list[pass->process].process->threads[thread].log,
				      &reader->columns, (unsigned int)count);
		memphis_callers_next(&reader->callers, reader->columns.callers, (size_t)count);
		memphis_callers_next(&reader->frames, reader->columns.frame, (size_t)count);
		for (row = 0; !rc && row < count; row++)
			rc = add_record(pass, reader, thread, (unsigned int)row);
		if (rc)
			return rc;
	}
	return 0;
}

/* Reads the fraction part / of of the samples in each of the next `count` sample chunks. Skips chunks of other types. */
static int read_chunks(const struct memphis_second_pass *pass, struct reader *reader, uint32_t thread,
		       struct memphis_file *file, uint64_t count, uint64_t part, uint64_t of,
		       struct memphis_error *error)
{
	const struct memphis_thread_log *log = pass->join->list[pass->process].process->threads[thread].log;
	struct memphis_chunk_view chunk;
	int rc = 0;

	while (count && (rc = memphis_file_next(file, &chunk, error)) > 0) {
		if (chunk.type != MEMPHIS_CHUNK_SAMPLES)
			continue;
		rc = memphis_callers_begin(&reader->callers, &log->callers, file, chunk.offset, error);
		if (!rc)
			rc = memphis_callers_begin(&reader->frames, &log->in_frames, file, chunk.offset,
						   error);
		if (!rc)
			rc = memphis_file_payload(file, &chunk, error);
		if (!rc && read_chunk(pass, reader, thread, &chunk, part, of))
			rc = memphis_fail(error, -ENOMEM, "%s: out of memory", file->path);
		if (rc)
			return rc;
		count--;
	}
	return rc < 0 ? rc : 0;
}

static int read_thread(void *context, unsigned int worker, size_t number, struct memphis_error *error)
{
	const struct reading *reading = context;
	const struct memphis_second_pass *pass = reading->pass;
	const struct memphis_thread *thread = &pass->join->list[pass->process].process->threads[number];
	const struct memphis_thread_log *log = thread->log;
	uint64_t one_in = (pass->of + pass->wanted - 1) / pass->wanted, stride, count = 1, left;
	struct memphis_file file;
	size_t step = 1, i;
	int rc;

	if (!log->place_count)
		return 0;
	pass->threads[number].reader = worker;
	stride = thread->chunks / CHUNKS_MIN < one_in ? thread->chunks / CHUNKS_MIN : one_in;
	if (stride < log->place_stride) {
		/* Too few chunk offsets are stored for this stride, so all chunks after each offset are read. */
		stride = 1;
		count = log->place_stride;
	} else {
		step = stride / log->place_stride;
		stride = step * log->place_stride;
	}
	rc = memphis_file_open_part(&file, thread->path, thread->begin, thread->end, error);
	if (rc)
		return rc;
	for (i = 0; !rc && i < log->place_count; i += step) {
		file.offset = log->places[i];
		left = thread->chunks - i * log->place_stride;
		rc = read_chunks(pass, &reading->readers[worker], (uint32_t)number, &file,
				 count < left ? count : left, stride, one_in, error);
	}
	memphis_file_close(&file);
	return rc;
}

/* Allocates a slot for each variable of the profile, including those that were added since the last call. */
static int make_slots(struct memphis_second_pass *pass)
{
	free(pass->slots);
	pass->slots = calloc(pass->join->profile->variable_count + 1, sizeof(*pass->slots));
	return pass->slots ? 0 : -ENOMEM;
}

int memphis_second_pass_open(struct memphis_second_pass *pass, struct memphis_namer *namer,
			     struct memphis_owner_numbers *numbers)
{
	memset(pass, 0, sizeof(*pass));
	pass->namer = namer;
	pass->join = namer->join;
	pass->numbers = numbers;
	return make_slots(pass);
}

static void drop_records(struct memphis_second_pass *pass)
{
	size_t i;

	for (i = 0; i < pass->thread_count; i++)
		free(pass->threads[i].list);
	free(pass->threads);
	free(pass->samples);
	pass->threads = NULL;
	pass->samples = NULL;
	pass->thread_count = pass->count = 0;
	pass->stores = false;
}

/* Gives names and numbers to the owners that the readers have added to their lists. */
static int name_owners(struct memphis_second_pass *pass, struct reader *readers, unsigned int count)
{
	struct memphis_met_owners **lists = calloc(count + 1, sizeof(*lists));
	unsigned int i;
	int rc;

	for (i = 0; lists && i < count; i++)
		lists[i] = &readers[i].met;
	rc = lists ? memphis_met_owners_name(lists, count, pass->namer, pass->numbers) : -ENOMEM;
	free(lists);
	return rc;
}

/*
 * Counts the samples in or near small heap blocks. Samples in recorded blocks have a known owner. memphis_estimate()
 * uses them to estimate the owners of the samples outside recorded blocks.
 */
struct small {
	struct memphis_counts counts;
	bool estimated; /* at least one sample is outside the recorded blocks */
};

static const struct memphis_owner *record_owner(const struct memphis_second_pass *pass,
						const struct reader *reader,
						const struct memphis_heatmap_record *record)
{
	return record->owner & MET ? &reader->met.list[record->owner & ~MET].owner
				   : &pass->numbers->owners[record->owner];
}

static bool is_small_block(const struct memphis_second_pass *pass, const struct memphis_owner *owner)
{
	return owner->kind == MEMPHIS_OWNER_NEAR ||
	       (owner->kind == MEMPHIS_OWNER_GROUP &&
		pass->join->list[owner->process].blocks.groups[owner->index].small);
}

/*
 * Counts the record if its address is in or near a small block. Stores the index of the counting cell, plus 1, in
 * record->load. Returns 0 or -ENOMEM.
 */
static int count_small_block(const struct memphis_second_pass *pass, struct small *small,
			     struct memphis_heatmap_record *record, const struct memphis_owner *owner)
{
	const uint64_t time_ns = pass->join->list[pass->process].start_ns + record->since_ns;
	struct memphis_count_key key = {.owner = *owner, .callers = record->callers};
	uint64_t from_ns, to_ns;
	struct memphis_count *cell;

	if (!is_small_block(pass, owner))
		return 0;
	key.code = memphis_maps_code(&pass->join->list[pass->process].process->log->maps, record->pc, time_ns,
				     &key.pc, &from_ns, &to_ns);
	cell = memphis_counts_cell(&small->counts, &key);
	if (!cell)
		return -ENOMEM;
	cell->measure.count++;
	small->estimated |= owner->kind == MEMPHIS_OWNER_NEAR;
	record->load = (uint32_t)(cell - small->counts.cells) + 1;
	return 0;
}

/*
 * Sets the owner of the record to the estimated owner, or to MEMPHIS_NONE if no estimate is certain enough. Returns 0
 * or -ENOMEM.
 */
static int set_estimated_owner(struct memphis_second_pass *pass, const struct memphis_count *cell,
			       struct memphis_heatmap_record *record)
{
	struct memphis_owner owner = cell->key.owner;

	record->owner = MEMPHIS_NONE;
	if (owner.kind != MEMPHIS_OWNER_ESTIMATE)
		return 0;
	/* Samples with an estimated owner belong to the same variable as samples with an exact one. */
	owner.kind = MEMPHIS_OWNER_GROUP;
	record->owner = memphis_owner_add(pass->namer, pass->numbers, &owner);
	record->estimated = true;
	record->doubt =
		(uint16_t)((double)cell->measure.doubt_ppm / 1e6 / (double)cell->measure.count * UINT16_MAX);
	return record->owner == MEMPHIS_NONE ? -ENOMEM : 0;
}

/* Replaces indices in the lists of new owners by the numbers that these owners have now. */
static int number_records(struct memphis_second_pass *pass, const struct reader *readers,
			  const struct small *small)
{
	struct memphis_second_pass_thread *thread;
	struct memphis_heatmap_record *record;
	const struct memphis_met_owner *met;
	int rc = 0;

	for (thread = pass->threads; thread < pass->threads + pass->thread_count; thread++)
		for (record = thread->list; !rc && record < thread->list + thread->count; record++) {
			if (!(record->owner & MET))
				continue;
			met = &readers[thread->reader].met.list[record->owner & ~MET];
			record->owner = met->number;
			if (met->owner.kind == MEMPHIS_OWNER_NEAR)
				rc = set_estimated_owner(pass, &small->counts.cells[record->load - 1],
							 record);
		}
	return rc;
}

/* Finds the owners of records whose owner had no number when they were read. */
static int find_owners(struct memphis_second_pass *pass, struct reader *readers, unsigned int count)
{
	struct memphis_second_pass_thread *thread;
	struct memphis_heatmap_record *record;
	struct small small = {.estimated = false};
	int rc = name_owners(pass, readers, count);

	for (thread = pass->threads; thread < pass->threads + pass->thread_count; thread++)
		for (record = thread->list; !rc && record < thread->list + thread->count; record++)
			rc = count_small_block(pass, &small, record,
					       record_owner(pass, &readers[thread->reader], record));
	if (!rc && small.estimated)
		rc = memphis_estimate(pass->join, &small.counts, memphis_is_one_variable, pass->namer);
	if (!rc)
		rc = number_records(pass, readers, &small);
	memphis_counts_close(&small.counts);
	return rc ? rc : make_slots(pass);
}

/* Reads the samples of all threads of the process. Workers read several threads in parallel. */
static int read_threads(struct memphis_second_pass *pass, size_t count, struct memphis_error *error)
{
	const unsigned int workers = memphis_workers(pass->join->processes->jobs, count);
	struct reading reading = {pass, calloc(workers, sizeof(*reading.readers))};
	unsigned int i;
	int rc = -ENOMEM;

	pass->threads = calloc(count, sizeof(*pass->threads));
	if (pass->threads)
		pass->thread_count = count;
	if (pass->threads && reading.readers)
		rc = memphis_workers_run(workers, count, read_thread, &reading, error);
	else
		memphis_fail(error, rc, "out of memory");
	if (!rc && find_owners(pass, reading.readers, workers))
		rc = memphis_fail(error, -ENOMEM, "out of memory");
	for (i = 0; reading.readers && i < workers; i++) {
		memphis_callers_close(&reading.readers[i].callers);
		memphis_callers_close(&reading.readers[i].frames);
		memphis_met_owners_close(&reading.readers[i].met);
	}
	free(reading.readers);
	return rc;
}

/* Collects the records of all threads. Skips records whose owner has no name. */
static int collect_records(struct memphis_second_pass *pass)
{
	struct memphis_second_pass_thread *thread;
	size_t all = 0, i, j;

	for (i = 0; i < pass->thread_count; i++)
		all += pass->threads[i].count;
	pass->samples = malloc((all + 1) * sizeof(*pass->samples));
	if (!pass->samples)
		return -ENOMEM;
	for (i = 0; i < pass->thread_count; i++) {
		thread = &pass->threads[i];
		for (j = 0; j < thread->count; j++)
			if (thread->list[j].owner != MEMPHIS_NONE)
				pass->samples[pass->count++] = &thread->list[j];
		pass->stores |= thread->stores;
	}
	return 0;
}

static bool has_value(const struct memphis_process *process, const char *key, const char *value)
{
	const char *setting = memphis_setting(&process->settings, key);

	return setting && !strcmp(setting, value);
}

bool memphis_samples_all_loads(const struct memphis_process *process)
{
	const char *filter = memphis_setting(&process->settings, "hardware_filter");

	return has_value(process, "hardware", "ibs") && has_value(process, "count", "ops") &&
	       has_value(process, "min_latency", "0") && has_value(process, "drop", "none") &&
	       (!filter || !strcmp(filter, "none"));
}

int memphis_second_pass_read(struct memphis_second_pass *pass, size_t process, uint64_t wanted,
			     struct memphis_error *error)
{
	const struct memphis_process *from = pass->join->list[process].process;
	uint32_t i;
	int rc = 0;

	drop_records(pass);
	pass->process = process;
	pass->all_loads = memphis_samples_all_loads(from);
	pass->of = 0;
	for (i = 0; i < from->thread_count; i++)
		pass->of += from->threads[i].samples;
	pass->wanted = pass->of < wanted ? pass->of : wanted;
	free(pass->region_rows);
	if (memphis_regions_add(pass->join->profile, from, &pass->region_rows, &pass->region_row_count))
		return memphis_fail(error, -ENOMEM, "out of memory");
	if (pass->of)
		rc = read_threads(pass, from->thread_count, error);
	if (!rc && collect_records(pass))
		rc = memphis_fail(error, -ENOMEM, "out of memory");
	return rc;
}

uint32_t memphis_second_pass_instruction(struct memphis_second_pass *pass,
					 struct memphis_heatmap_record *sample)
{
	const uint64_t time_ns = pass->join->list[pass->process].start_ns + sample->since_ns;
	struct {
		uint64_t pc;
		uint32_t code, callers;
	} key = {.callers = sample->callers};
	uint64_t from_ns, to_ns;
	uint32_t number;

	if (sample->instruction != MEMPHIS_NONE)
		return sample->instruction;
	key.code = memphis_maps_code(&pass->join->list[pass->process].process->log->maps, sample->pc, time_ns,
				     &key.pc, &from_ns, &to_ns);
	number = memphis_strings_find(&pass->codes, &key, sizeof(key));
	if (number != MEMPHIS_NO_STRING)
		return sample->instruction = pass->instructions[number - 1];
	number = memphis_strings_add(&pass->codes, &key, sizeof(key));
	if (number == MEMPHIS_NO_STRING ||
	    memphis_grow(&pass->instructions, &pass->instruction_room, number, sizeof(*pass->instructions)))
		return MEMPHIS_NONE;
	return sample->instruction = pass->instructions[number - 1] =
		       memphis_reduce_instruction(pass->namer, key.code, key.pc, key.callers);
}

uint32_t memphis_second_pass_place(struct memphis_second_pass *pass, struct memphis_heatmap_record *sample)
{
	if (sample->place == MEMPHIS_NONE)
		sample->place = memphis_program_place(&pass->places, pass->join->profile,
						      memphis_second_pass_instruction(pass, sample));
	return sample->place;
}

void memphis_second_pass_close(struct memphis_second_pass *pass)
{
	drop_records(pass);
	memphis_strings_close(&pass->codes);
	free(pass->instructions);
	memphis_program_places_close(&pass->places);
	memphis_load_orders_close(&pass->orders);
	free(pass->region_rows);
	free(pass->slots);
}
