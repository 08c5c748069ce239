// SPDX-License-Identifier: BSD-3-Clause
/* Reads the samples of a process once more, for close-ups. */
#include "heatmap/look.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "read/decode.h"
#include "profile/regions.h"
#include "dwarf/variables.h"

#define CACHE_SLOTS      4096 /* a power of two */
#define CACHE_PAGE_SHIFT 12
#define CHUNKS_MIN       16 /* of a thread that are looked into, so that all times are seen */

struct memphis_look_cached {
	struct memphis_answer answer; /* high = 0: nothing cached */
	uint64_t base;                /* address of the variable or block; 0 = not known */
	uint32_t owner;
};

/* Where an owner begins that stands at `address`. */
static uint64_t base_of(struct memphis_look *look, const struct memphis_answer *answer, uint64_t address,
			uint64_t time_ns)
{
	const struct memphis_owner *owner = &answer->owner;
	uint64_t vaddr, from_ns, to_ns;
	const struct memphis_binary *binary;

	/* Of a block it is told unless other blocks stand inside. */
	if (owner->kind == MEMPHIS_OWNER_GROUP)
		return answer->high - answer->low > 1 ? answer->low : 0;
	if (owner->kind != MEMPHIS_OWNER_STATIC)
		return 0;
	if (memphis_maps_code(&look->join->list[look->process].process->maps, address, time_ns, &vaddr,
			      &from_ns, &to_ns) != owner->index)
		return 0;
	binary = look->join->processes->binaries.list[owner->index];
	return address - (vaddr - binary->variables->list[owner->item].low);
}

/* NULL without memory. */
static const struct memphis_look_cached *owner_at(struct memphis_look *look,
						  const struct memphis_sample *sample)
{
	struct memphis_look_cached *cached =
		&look->cache[sample->address >> CACHE_PAGE_SHIFT & (CACHE_SLOTS - 1)];
	struct memphis_answer *answer = &cached->answer;

	if (sample->address >= answer->low && sample->address < answer->high &&
	    sample->time_ns >= answer->from_ns && sample->time_ns < answer->to_ns)
		return cached;
	memset(cached, 0, sizeof(*cached));
	if (memphis_join_address(look->join, look->process, sample->address, sample->time_ns, answer)) {
		memset(cached, 0, sizeof(*cached));
		return NULL;
	}
	cached->owner = MEMPHIS_NONE;
	if (answer->owner.reason == MEMPHIS_ATTRIBUTED)
		cached->owner = memphis_owner_number(look->numbers, &answer->owner);
	if (cached->owner != MEMPHIS_NONE)
		cached->base = base_of(look, answer, sample->address, sample->time_ns);
	return cached;
}

static uint32_t kinds_of(const struct memphis_look *look, const struct memphis_sample *sample)
{
	const struct memphis_access access = memphis_access_of(sample);
	uint32_t kinds = 0;
	unsigned int i;

	for (i = 0; i < look->kind_count; i++)
		kinds |= (uint32_t)memphis_selection_takes(&look->kinds[i], &access) << i;
	return kinds;
}

static int add_record(struct memphis_look *look, uint32_t thread, const struct memphis_sample *sample)
{
	const struct memphis_joined_process *joined = &look->join->list[look->process];
	const struct memphis_look_cached *cached = owner_at(look, sample);
	struct memphis_heatmap_record *taken;

	if (!cached)
		return -ENOMEM;
	if (cached->owner == MEMPHIS_NONE || memphis_own_has(&joined->own, sample->pc, sample->address))
		return 0;
	taken = memphis_append(look->samples, look->count, look->room);
	if (!taken)
		return -ENOMEM;
	taken->address = sample->address;
	taken->pc = sample->pc;
	taken->region = sample->region < look->region_row_count ? look->region_rows[sample->region]
								: MEMPHIS_REGION_UNKNOWN;
	taken->since_ns = sample->time_ns > joined->start_ns ? sample->time_ns - joined->start_ns : 0;
	taken->offset = cached->base ? sample->address - cached->base : MEMPHIS_NO_OFFSET;
	if (cached->base && cached->answer.owner.kind == MEMPHIS_OWNER_GROUP) {
		taken->block_end = cached->answer.high;
		taken->block_ns = cached->answer.from_ns;
	}
	taken->owner = cached->owner;
	taken->thread = thread;
	taken->node = sample->node;
	taken->home = sample->home_node;
	taken->flags = sample->flags;
	if (!joined->regions || (sample->region < joined->region_count && joined->regions[sample->region]))
		taken->kinds = kinds_of(look, sample);
	look->stores |= (sample->flags & MEMPHIS_FLAG_STORE) != 0;
	return 0;
}

/* The first samples of a chunk: as many as `part` of `of` says. */
static int read_chunk(struct memphis_look *look, uint32_t thread, const struct memphis_chunk_view *chunk,
		      uint64_t part, uint64_t of)
{
	uint64_t left = (chunk->count * part + of - 1) / of;
	struct memphis_decoder decoder;
	int rc = 0;

	memphis_decoder_start(&decoder, chunk->payload, chunk->bytes, chunk->count);
	for (; !rc && left && memphis_decoder_next(&decoder) > 0; left--)
		rc = add_record(look, thread, &decoder.sample);
	return rc;
}

static int read_thread(struct memphis_look *look, uint32_t number, struct memphis_error *error)
{
	const struct memphis_thread *thread = &look->join->list[look->process].process->threads[number];
	const struct memphis_thread_log *log = thread->log;
	uint64_t one_in = (look->of + look->wanted - 1) / look->wanted, stride;
	struct memphis_chunk_view chunk;
	struct memphis_file file;
	size_t step, i;
	int rc;

	if (!log->place_count)
		return 0;
	stride = thread->chunks / CHUNKS_MIN < one_in ? thread->chunks / CHUNKS_MIN : one_in;
	step = stride < log->place_stride ? 1 : stride / log->place_stride;
	stride = step * log->place_stride;
	rc = memphis_file_open(&file, thread->path, error);
	if (rc)
		return rc;
	for (i = 0; rc >= 0 && i < log->place_count; i += step) {
		file.offset = log->places[i];
		rc = memphis_file_next(&file, &chunk, error);
		if (rc > 0 && !(rc = memphis_file_payload(&file, &chunk, error)) &&
		    read_chunk(look, number, &chunk, stride, one_in))
			rc = memphis_fail(error, -ENOMEM, "%s: out of memory", file.path);
	}
	memphis_file_close(&file);
	return rc;
}

/* A profile of all samples is asked for any of them later, when the samples are not there any more. */
static void list_kinds(struct memphis_look *look)
{
	const struct memphis_selection *selection = look->join->selection;
	const struct memphis_select_kind *kind;

	look->kinds[look->kind_count++] = *selection;
	if (!selection->all_apart || strcmp(selection->kind->name, "all"))
		return;
	for (kind = memphis_select_kinds; kind->name && look->kind_count < MEMPHIS_LOOK_KINDS; kind++) {
		if (kind == selection->kind)
			continue;
		look->kinds[look->kind_count] = *selection;
		look->kinds[look->kind_count++].kind = kind;
	}
}

int memphis_look_open(struct memphis_look *look, struct memphis_namer *namer,
		      const struct memphis_owner_numbers *numbers)
{
	memset(look, 0, sizeof(*look));
	look->namer = namer;
	look->join = namer->join;
	look->numbers = numbers;
	list_kinds(look);
	look->cache = calloc(CACHE_SLOTS, sizeof(*look->cache));
	return look->cache ? 0 : -ENOMEM;
}

int memphis_look_read(struct memphis_look *look, size_t process, uint64_t wanted, struct memphis_error *error)
{
	const struct memphis_process *from = look->join->list[process].process;
	uint32_t i;
	int rc = 0;

	memset(look->cache, 0, CACHE_SLOTS * sizeof(*look->cache));
	look->process = process;
	look->count = 0;
	look->stores = false;
	look->of = 0;
	for (i = 0; i < from->thread_count; i++)
		look->of += from->threads[i].samples;
	look->wanted = look->of < wanted ? look->of : wanted;
	free(look->region_rows);
	if (memphis_regions_add(look->join->profile, from, &look->region_rows, &look->region_row_count))
		return memphis_fail(error, -ENOMEM, "out of memory");
	for (i = 0; !rc && look->of && i < from->thread_count; i++)
		rc = read_thread(look, i, error);
	return rc;
}

uint32_t memphis_look_instruction(struct memphis_look *look, const struct memphis_heatmap_record *sample)
{
	const uint64_t time_ns = look->join->list[look->process].start_ns + sample->since_ns;
	struct {
		uint64_t pc;
		uint32_t code, zero;
	} key = {0};
	uint64_t from_ns, to_ns;
	uint32_t number;

	key.code = memphis_maps_code(&look->join->list[look->process].process->maps, sample->pc, time_ns,
				     &key.pc, &from_ns, &to_ns);
	number = memphis_strings_find(&look->codes, &key, sizeof(key));
	if (number != MEMPHIS_NO_STRING)
		return look->instructions[number - 1];
	number = memphis_strings_add(&look->codes, &key, sizeof(key));
	if (number == MEMPHIS_NO_STRING ||
	    memphis_grow(&look->instructions, &look->instruction_room, number, sizeof(*look->instructions)))
		return MEMPHIS_NONE;
	return look->instructions[number - 1] =
		       memphis_reduce_instruction(look->join->profile, key.code, key.pc);
}

void memphis_look_close(struct memphis_look *look)
{
	memphis_strings_close(&look->codes);
	free(look->instructions);
	free(look->region_rows);
	free(look->cache);
	free(look->samples);
}
