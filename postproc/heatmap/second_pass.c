// SPDX-License-Identifier: BSD-3-Clause
/* Reads the samples of a process a second time, for heatmaps. */
#include "heatmap/second_pass.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "read/decode.h"
#include "profile/regions.h"
#include "dwarf/variables.h"

#define CACHE_SLOTS      4096 /* a power of two */
#define CACHE_PAGE_SHIFT 12
#define CHUNKS_MIN       16 /* minimum number of chunks to read from a thread, to cover its whole run */

struct memphis_second_pass_cached {
	struct memphis_answer answer; /* high is 0 if the slot is empty */
	uint64_t base;                /* start address of the variable or block; 0 if unknown */
	uint32_t owner;               /* number of the owner, or MEMPHIS_NONE if there is no variable */
};

/* Returns the start of the variable or block at `address`, or 0 if unknown. */
static uint64_t base_of(struct memphis_second_pass *pass, const struct memphis_answer *answer,
			uint64_t address, uint64_t time_ns)
{
	const struct memphis_owner *owner = &answer->owner;
	const struct memphis_maps *maps = &pass->join->list[pass->process].process->maps;
	const struct memphis_binary *binary;
	const struct memphis_map *map;
	uint64_t from_ns, to_ns;

	/* The answer has the bounds of the block, unless the block contains other variables. It then has the bounds of a single address. */
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

/* Returns the owner of the sample, from the cache if possible, or NULL if memory is exhausted. */
static const struct memphis_second_pass_cached *owner_at(struct memphis_second_pass *pass,
							 const struct memphis_sample *sample)
{
	struct memphis_second_pass_cached *cached =
		&pass->cache[sample->address >> CACHE_PAGE_SHIFT & (CACHE_SLOTS - 1)];
	struct memphis_answer *answer = &cached->answer;

	if (sample->address >= answer->low && sample->address < answer->high &&
	    sample->time_ns >= answer->from_ns && sample->time_ns < answer->to_ns)
		return cached;
	memset(cached, 0, sizeof(*cached));
	if (memphis_join_address(pass->join, pass->process, sample->address, sample->time_ns, answer)) {
		memset(cached, 0, sizeof(*cached));
		return NULL;
	}
	cached->owner = MEMPHIS_NONE;
	if (answer->owner.reason == MEMPHIS_ATTRIBUTED)
		cached->owner = memphis_owner_number(pass->numbers, &answer->owner);
	if (cached->owner != MEMPHIS_NONE)
		cached->base = base_of(pass, answer, sample->address, sample->time_ns);
	return cached;
}

/* Returns a bit mask in which bit n is set if the sample belongs to kind n. */
static uint32_t kinds_of(const struct memphis_second_pass *pass, const struct memphis_sample *sample)
{
	const struct memphis_access access = memphis_access_of(sample);
	uint32_t kinds = 0;
	unsigned int i;

	for (i = 0; i < pass->kind_count; i++)
		kinds |= (uint32_t)memphis_selection_takes(&pass->kinds[i], &access) << i;
	return kinds;
}

static int add_record(struct memphis_second_pass *pass, uint32_t thread, const struct memphis_sample *sample,
		      uint32_t callers)
{
	const struct memphis_joined_process *joined = &pass->join->list[pass->process];
	const struct memphis_second_pass_cached *cached = owner_at(pass, sample);
	struct memphis_heatmap_record *taken;

	if (!cached)
		return -ENOMEM;
	if (cached->owner == MEMPHIS_NONE || memphis_own_has(&joined->own, sample->pc, sample->address))
		return 0;
	taken = memphis_append(pass->samples, pass->count, pass->room);
	if (!taken)
		return -ENOMEM;
	taken->address = sample->address;
	taken->pc = sample->pc;
	taken->region = sample->region < pass->region_row_count ? pass->region_rows[sample->region]
								: MEMPHIS_REGION_UNKNOWN;
	taken->since_ns = sample->time_ns > joined->start_ns ? sample->time_ns - joined->start_ns : 0;
	taken->offset = cached->base ? sample->address - cached->base : MEMPHIS_NO_OFFSET;
	if (cached->base && cached->answer.owner.kind == MEMPHIS_OWNER_GROUP) {
		taken->block_end = cached->answer.high;
		taken->block_ns = cached->answer.from_ns;
	}
	taken->owner = cached->owner;
	taken->callers = callers;
	taken->thread = thread;
	taken->node = sample->node;
	taken->home = sample->home_node;
	taken->flags = sample->flags;
	taken->source = sample->source;
	taken->latency_cycles = sample->latency_cycles;
	if (!joined->regions || (sample->region < joined->region_count && joined->regions[sample->region]))
		taken->kinds = kinds_of(pass, sample);
	pass->stores |= (sample->flags & MEMPHIS_FLAG_STORE) != 0;
	return 0;
}

/* Reads the fraction part / of of the samples in the chunk, from the beginning of the chunk. */
static int read_chunk(struct memphis_second_pass *pass, uint32_t thread,
		      const struct memphis_chunk_view *chunk, uint64_t part, uint64_t of)
{
	uint64_t left = (chunk->count * part + of - 1) / of;
	struct memphis_decoder decoder;
	uint32_t callers;
	int rc = 0;

	memphis_decoder_start(&decoder, chunk->payload, chunk->bytes, chunk->count);
	for (; !rc && left && memphis_decoder_next(&decoder) > 0; left--) {
		memphis_callers_next(&pass->callers, &callers, 1);
		rc = add_record(pass, thread, &decoder.sample, callers);
	}
	return rc;
}

/* Reads the fraction part / of of the samples in each of the next `count` chunks of samples. */
static int read_chunks(struct memphis_second_pass *pass, uint32_t thread, struct memphis_file *file,
		       uint64_t count, uint64_t part, uint64_t of, struct memphis_error *error)
{
	struct memphis_chunk_view chunk;
	int rc = 0;

	while (count && (rc = memphis_file_next(file, &chunk, error)) > 0) {
		if (chunk.type != MEMPHIS_CHUNK_SAMPLES)
			continue;
		rc = memphis_callers_begin(&pass->callers,
					   pass->join->list[pass->process].process->threads[thread].log, file,
					   chunk.offset, error);
		if (!rc)
			rc = memphis_file_payload(file, &chunk, error);
		if (!rc && read_chunk(pass, thread, &chunk, part, of))
			rc = memphis_fail(error, -ENOMEM, "%s: out of memory", file->path);
		if (rc)
			return rc;
		count--;
	}
	return rc < 0 ? rc : 0;
}

static int read_thread(struct memphis_second_pass *pass, uint32_t number, struct memphis_error *error)
{
	const struct memphis_thread *thread = &pass->join->list[pass->process].process->threads[number];
	const struct memphis_thread_log *log = thread->log;
	uint64_t one_in = (pass->of + pass->wanted - 1) / pass->wanted, stride, count = 1, left;
	struct memphis_file file;
	size_t step = 1, i;
	int rc;

	if (!log->place_count)
		return 0;
	stride = thread->chunks / CHUNKS_MIN < one_in ? thread->chunks / CHUNKS_MIN : one_in;
	if (stride < log->place_stride) {
		/* Too few offsets are stored: read all chunks between them, too. */
		stride = 1;
		count = log->place_stride;
	} else {
		step = stride / log->place_stride;
		stride = step * log->place_stride;
	}
	rc = memphis_file_open(&file, thread->path, error);
	if (rc)
		return rc;
	for (i = 0; !rc && i < log->place_count; i += step) {
		file.offset = log->places[i];
		left = thread->chunks - i * log->place_stride;
		rc = read_chunks(pass, number, &file, count < left ? count : left, stride, one_in, error);
	}
	memphis_file_close(&file);
	return rc;
}

/*
 * Lists the kinds of samples for which evidence is needed. A saved profile of all samples may be filtered by any kind later, when the
 * samples are no longer available. Evidence is therefore found for all kinds now.
 */
static void list_kinds(struct memphis_second_pass *pass)
{
	const struct memphis_selection *selection = pass->join->selection;
	const struct memphis_select_kind *kind;

	pass->kinds[pass->kind_count++] = *selection;
	if (!selection->all_apart || strcmp(selection->kind->name, "all"))
		return;
	for (kind = memphis_select_kinds; kind->name && pass->kind_count < MEMPHIS_PASS_KINDS; kind++) {
		if (kind == selection->kind)
			continue;
		pass->kinds[pass->kind_count] = *selection;
		pass->kinds[pass->kind_count++].kind = kind;
	}
}

int memphis_second_pass_open(struct memphis_second_pass *pass, struct memphis_namer *namer,
			     const struct memphis_owner_numbers *numbers)
{
	memset(pass, 0, sizeof(*pass));
	pass->namer = namer;
	pass->join = namer->join;
	pass->numbers = numbers;
	list_kinds(pass);
	pass->cache = calloc(CACHE_SLOTS, sizeof(*pass->cache));
	pass->slots = calloc(namer->join->profile->variable_count + 1, sizeof(*pass->slots));
	return pass->cache && pass->slots ? 0 : -ENOMEM;
}

int memphis_second_pass_read(struct memphis_second_pass *pass, size_t process, uint64_t wanted,
			     struct memphis_error *error)
{
	const struct memphis_process *from = pass->join->list[process].process;
	uint32_t i;
	int rc = 0;

	memset(pass->cache, 0, CACHE_SLOTS * sizeof(*pass->cache));
	pass->process = process;
	pass->count = 0;
	pass->stores = false;
	pass->of = 0;
	for (i = 0; i < from->thread_count; i++)
		pass->of += from->threads[i].samples;
	pass->wanted = pass->of < wanted ? pass->of : wanted;
	free(pass->region_rows);
	if (memphis_regions_add(pass->join->profile, from, &pass->region_rows, &pass->region_row_count))
		return memphis_fail(error, -ENOMEM, "out of memory");
	for (i = 0; !rc && pass->of && i < from->thread_count; i++)
		rc = read_thread(pass, i, error);
	return rc;
}

uint32_t memphis_second_pass_instruction(struct memphis_second_pass *pass,
					 const struct memphis_heatmap_record *sample)
{
	const uint64_t time_ns = pass->join->list[pass->process].start_ns + sample->since_ns;
	struct {
		uint64_t pc;
		uint32_t code, callers;
	} key = {.callers = sample->callers};
	uint64_t from_ns, to_ns;
	uint32_t number;

	key.code = memphis_maps_code(&pass->join->list[pass->process].process->maps, sample->pc, time_ns,
				     &key.pc, &from_ns, &to_ns);
	number = memphis_strings_find(&pass->codes, &key, sizeof(key));
	if (number != MEMPHIS_NO_STRING)
		return pass->instructions[number - 1];
	number = memphis_strings_add(&pass->codes, &key, sizeof(key));
	if (number == MEMPHIS_NO_STRING ||
	    memphis_grow(&pass->instructions, &pass->instruction_room, number, sizeof(*pass->instructions)))
		return MEMPHIS_NONE;
	return pass->instructions[number - 1] =
		       memphis_reduce_instruction(pass->namer, key.code, key.pc, key.callers);
}

void memphis_second_pass_close(struct memphis_second_pass *pass)
{
	memphis_callers_close(&pass->callers);
	memphis_strings_close(&pass->codes);
	free(pass->instructions);
	free(pass->region_rows);
	free(pass->cache);
	free(pass->slots);
	free(pass->samples);
}
