// SPDX-License-Identifier: BSD-3-Clause
/*
 * Reads chains of callers, stack frames, and the entries that tell which samples have them. The entries of
 * CALLERS and IN_FRAMES chunks are checked when the file is loaded. They are decoded a second time when the
 * samples are read.
 */
#include "read/callers.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "read/decode.h"

int memphis_callers_decode(const uint8_t **next, const uint8_t *end, uint64_t *skipped, uint64_t *code)
{
	return memphis_decode_varint(next, end, skipped) || memphis_decode_varint(next, end, code) ? -EBADMSG
												   : 0;
}

static int keep_chain(struct memphis_references *references, uint32_t id, uint32_t chain,
		      struct memphis_error *error)
{
	struct memphis_stack_id *entry;

	if (!id || (references->id_count && references->ids[references->id_count - 1].id >= id))
		return memphis_fail(error, -EBADMSG, "id %" PRIu32 " is not above the one before it", id);
	entry = memphis_append(references->ids, references->id_count, references->id_room);
	if (!entry)
		return -ENOMEM;
	entry->id = id;
	entry->stack = chain;
	return 0;
}

int memphis_chains_load(struct memphis_processes *processes, const struct memphis_process *process,
			struct memphis_thread_log *log, const struct memphis_chunk_view *chunk,
			struct memphis_error *error)
{
	const bool is_frame = chunk->type == MEMPHIS_CHUNK_FRAMES;
	const uint8_t *next = chunk->payload, *end = next + chunk->bytes;
	struct memphis_stack header;
	uint64_t *key = NULL;
	size_t room = 0;
	uint32_t chain, i;
	int rc = 0;

	for (i = 0; !rc && i < chunk->count; i++) {
		if ((size_t)(end - next) < sizeof(header)) {
			rc = -EBADMSG;
			break;
		}
		memcpy(&header, next, sizeof(header));
		next += sizeof(header);
		if (header.depth < (is_frame ? MEMPHIS_FRAME_WORDS : 1) ||
		    (size_t)(end - next) / 8 < header.depth) {
			rc = memphis_fail(error, -EBADMSG,
					  is_frame ? "frame %" PRIu32 " has %" PRIu32 " words"
						   : "chain %" PRIu32 " has %" PRIu32 " callers",
					  header.id, header.depth);
			break;
		}
		if (memphis_grow(&key, &room, (size_t)header.depth + 1, sizeof(*key))) {
			rc = -ENOMEM;
			break;
		}
		/* The same addresses are different code in another process, so the key begins with the index of the process. */
		key[0] = (uint64_t)(process - processes->list);
		memcpy(key + 1, next, (size_t)header.depth * 8);
		next += (size_t)header.depth * 8;
		chain = memphis_strings_add(&processes->chains, key, ((size_t)header.depth + 1) * 8);
		rc = chain == MEMPHIS_NO_STRING ? -ENOMEM
						: keep_chain(is_frame ? &log->in_frames : &log->callers,
							     header.id, chain, error);
	}
	free(key);
	return rc || next == end ? rc : -EBADMSG;
}

static uint64_t word_of(const struct memphis_processes *processes, uint32_t callers, size_t number)
{
	uint64_t word;

	memcpy(&word,
	       memphis_strings_get(&processes->chains, callers - MEMPHIS_CALLERS_CHAINS) +
		       number * sizeof(word),
	       sizeof(word));
	return word;
}

size_t memphis_chain_depth(const struct memphis_processes *processes, uint32_t callers, size_t *process)
{
	*process = (size_t)word_of(processes, callers, 0);
	return memphis_strings_bytes(&processes->chains, callers - MEMPHIS_CALLERS_CHAINS) /
		       sizeof(uint64_t) -
	       1;
}

uint64_t memphis_chain_pc(const struct memphis_processes *processes, uint32_t callers, size_t number)
{
	return word_of(processes, callers, number + 1);
}

bool memphis_frame_get(const struct memphis_processes *processes, uint32_t number,
		       struct memphis_sampled_frame *frame)
{
	if (number < MEMPHIS_CALLERS_CHAINS)
		return false;
	memcpy(frame,
	       memphis_strings_get(&processes->chains, number - MEMPHIS_CALLERS_CHAINS) + sizeof(uint64_t),
	       sizeof(*frame));
	return true;
}

bool memphis_is_program_code(const struct memphis_process *process, const char *path)
{
	const char *executable = memphis_setting(&process->settings, "executable"),
		   *list = memphis_setting(&process->settings, "program_code");
	size_t bytes;

	if (executable && !strcmp(path, executable))
		return true;
	for (; list && *list; list += bytes + (list[bytes] == ':')) {
		bytes = strcspn(list, ":");
		if (bytes && !strncmp(path, list, bytes) && (!path[bytes] || path[bytes] == '/'))
			return true;
	}
	return false;
}

/*
 * Returns the `callers` number (see callers.h) for the code of an entry, or 0 if the file does not define it.
 * The lowest bit of a code is 1 for a reason, and 0 for the id of a chain or frame.
 */
static uint32_t callers_of(const struct memphis_references *references, uint64_t code)
{
	const struct memphis_stack_id *ids = references->ids;
	const size_t count = references->id_count;
	const uint64_t id = code >> 1;
	size_t low;

	if (code & 1)
		return id < MEMPHIS_NO_CALLERS_REASONS ? (uint32_t)id : 0;
	/* Fast path: ids usually count from 1. */
	if (id && id <= count && ids[id - 1].id == id)
		return ids[id - 1].stack + MEMPHIS_CALLERS_CHAINS;
	low = memphis_bisect(at, count, ids[at].id < id);
	return low < count && ids[low].id == id ? ids[low].stack + MEMPHIS_CALLERS_CHAINS : 0;
}

static int check_entries(const struct memphis_thread_log *log, const struct memphis_references *references,
			 const struct memphis_chunk_view *chunk, struct memphis_error *error)
{
	const uint8_t *next = chunk->payload, *end = next + chunk->bytes;
	uint64_t left = log->samples_count, skipped, code;
	uint32_t i;

	for (i = 0; i < chunk->count; i++) {
		if (memphis_callers_decode(&next, end, &skipped, &code))
			return memphis_fail(error, -EBADMSG,
					    "entry %" PRIu32 " of %" PRIu32 " cannot be decoded", i + 1,
					    chunk->count);
		if (skipped >= left)
			return memphis_fail(error, -EBADMSG,
					    "entry %" PRIu32 " is for a sample beyond the %" PRIu32
					    " samples of the chunk before it",
					    i + 1, log->samples_count);
		left -= skipped + 1;
		if (!callers_of(references, code))
			return memphis_fail(error, -EBADMSG,
					    code & 1 ? "entry %" PRIu32 " has the unknown reason %" PRIu64
						     : "entry %" PRIu32 " refers to id %" PRIu64
						       ", which is not defined before",
					    i + 1, code >> 1);
	}
	return next == end ? 0 : memphis_fail(error, -EBADMSG, "bytes follow the last entry");
}

int memphis_callers_load(struct memphis_thread_log *log, const struct memphis_chunk_view *chunk,
			 struct memphis_error *error)
{
	struct memphis_references *references =
		chunk->type == MEMPHIS_CHUNK_IN_FRAMES ? &log->in_frames : &log->callers;
	struct memphis_entries_place *place;
	int rc;

	if (!log->samples_count)
		return memphis_fail(error, -EBADMSG, "no samples precede it");
	if (references->place_count &&
	    references->places[references->place_count - 1].samples == log->samples_offset)
		return memphis_fail(error, -EBADMSG, "it is the second one for the same samples");
	rc = check_entries(log, references, chunk, error);
	if (rc)
		return rc;
	place = memphis_append(references->places, references->place_count, references->place_room);
	if (!place)
		return -ENOMEM;
	*place = (struct memphis_entries_place){log->samples_offset, chunk->offset};
	return 0;
}

/* Returns the file offset of the CALLERS or IN_FRAMES chunk for the SAMPLES chunk at offset `samples`, or 0 if there is none. */
static uint64_t place_of(const struct memphis_references *references, uint64_t samples)
{
	const struct memphis_entries_place *places = references->places;
	const size_t low = memphis_bisect(at, references->place_count, places[at].samples < samples);

	return low < references->place_count && places[low].samples == samples ? places[low].entries : 0;
}

/*
 * Decodes the next entry. If the file was changed after it was loaded and an entry is invalid, all later
 * samples have no callers.
 */
static void advance(struct memphis_callers *callers)
{
	uint64_t code;

	if (callers->next == callers->end ||
	    memphis_callers_decode(&callers->next, callers->end, &callers->ahead, &code))
		callers->ahead = UINT64_MAX;
	else
		callers->callers = callers_of(callers->references, code);
}

int memphis_callers_begin(struct memphis_callers *callers, const struct memphis_references *references,
			  struct memphis_file *file, uint64_t offset, struct memphis_error *error)
{
	const uint64_t place = place_of(references, offset), back = file->offset;
	struct memphis_chunk_view chunk;
	int rc;

	callers->references = references;
	callers->next = callers->end = NULL;
	callers->ahead = UINT64_MAX;
	if (!place)
		return 0;
	file->offset = place;
	rc = memphis_file_next(file, &chunk, error);
	file->offset = back;
	if (rc > 0)
		rc = memphis_file_payload(file, &chunk, error);
	if (rc)
		return rc;
	if (memphis_grow(&callers->payload, &callers->room, (size_t)chunk.bytes + 1, 1))
		return memphis_fail(error, -ENOMEM, "%s: out of memory", file->path);
	memcpy(callers->payload, chunk.payload, chunk.bytes);
	callers->next = callers->payload;
	callers->end = callers->payload + chunk.bytes;
	advance(callers);
	return 0;
}

void memphis_callers_next(struct memphis_callers *callers, uint32_t *list, size_t count)
{
	size_t at = 0;

	memset(list, 0, count * sizeof(*list));
	while (callers->ahead < count - at) {
		at += callers->ahead;
		list[at++] = callers->callers;
		advance(callers);
	}
	if (callers->ahead != UINT64_MAX)
		callers->ahead -= count - at;
}

void memphis_callers_close(struct memphis_callers *callers)
{
	free(callers->payload);
	memset(callers, 0, sizeof(*callers));
}
