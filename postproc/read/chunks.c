// SPDX-License-Identifier: BSD-3-Clause
/* Loads the contents of a chunk into the process or thread to which it belongs. */
#include "read/chunks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "read/callers.h"
#include "read/python_lines.h"

/* size in bytes of a part of a file; separate readers read the parts in parallel */
#define PART_BYTES     (4u << 20)
#define PLACES_MAX     1024u /* number of chunk offsets that are kept per thread */
#define PART_NAMES_MAX 65535u
#define MPI_SUMS_MAX   4096u /* maximum number of sums per thread; the library writes no more */

static struct memphis_span span_of(const struct memphis_chunk_view *chunk)
{
	return (struct memphis_span){(const char *)chunk->payload, chunk->bytes};
}

static int load_topology(struct memphis_process *process, struct memphis_span payload)
{
	struct memphis_span line, word, cpus;
	struct memphis_node *node;
	uint64_t number, bytes;

	while (memphis_next_line(&payload, &line)) {
		if (!memphis_next_field(&line, &word) || !memphis_span_is(word, "node"))
			continue;
		if (!memphis_next_number(&line, false, &number) || number >= MEMPHIS_NODE_UNKNOWN ||
		    !memphis_next_number(&line, false, &bytes) || !memphis_next_field(&line, &cpus))
			return -EBADMSG;
		node = memphis_append(process->nodes, process->node_count, process->node_room);
		if (!node)
			return -ENOMEM;
		node->node = (uint32_t)number;
		node->memory_bytes = bytes;
		node->cpus = strndup(cpus.text, cpus.bytes);
		node->distances = memphis_span_unescape(line);
		if (!node->cpus || !node->distances)
			return -ENOMEM;
	}
	return 0;
}

static int load_regions(struct memphis_process *process, struct memphis_span payload)
{
	struct memphis_region *region;
	struct memphis_span line;
	uint64_t id, parent;

	while (memphis_next_line(&payload, &line)) {
		if (!memphis_next_number(&line, false, &id) || !memphis_next_number(&line, false, &parent) ||
		    !id || id > UINT32_MAX || parent > UINT32_MAX)
			return -EBADMSG;
		region = memphis_append(process->regions, process->region_count, process->region_room);
		if (!region)
			return -ENOMEM;
		region->id = (uint32_t)id;
		region->parent = (uint32_t)parent;
		region->name = memphis_span_unescape(line);
		if (!region->name)
			return -ENOMEM;
	}
	return 0;
}

static int load_holders(struct memphis_process *process, const struct memphis_chunk_view *chunk)
{
	size_t count = process->log->holder_count + chunk->count;

	if (memphis_grow(&process->log->holders, &process->log->holder_room, count,
			 sizeof(*process->log->holders)))
		return -ENOMEM;
	if (chunk->bytes)
		memcpy(process->log->holders + process->log->holder_count, chunk->payload, chunk->bytes);
	process->log->holder_count = count;
	return 0;
}

static int load_namings(struct memphis_process *process, struct memphis_span payload)
{
	struct memphis_naming *naming;
	struct memphis_span line;
	char *name;

	while (memphis_next_line(&payload, &line)) {
		naming = memphis_append(process->log->namings, process->log->naming_count,
					process->log->naming_room);
		if (!naming)
			return -ENOMEM;
		if (!memphis_next_number(&line, false, &naming->time_ns) ||
		    !memphis_next_number(&line, true, &naming->address) ||
		    !memphis_next_number(&line, false, &naming->bytes))
			return -EBADMSG;
		name = memphis_span_unescape(line);
		naming->name =
			name ? memphis_strings_add_text(&process->log->names, name) : MEMPHIS_NO_STRING;
		free(name);
		if (naming->name == MEMPHIS_NO_STRING)
			return -ENOMEM;
	}
	return 0;
}

/* Loads the lines "NUMBER NAME". The writer numbers the names from 1 in the order in which it writes them. */
static int load_part_names(struct memphis_process *process, struct memphis_span payload)
{
	struct memphis_span line;
	uint64_t number;
	uint32_t *last;
	char *name;

	while (memphis_next_line(&payload, &line)) {
		if (!memphis_next_number(&line, false, &number) || !number || number > PART_NAMES_MAX)
			return -EBADMSG;
		while (process->log->part_name_count <= number) {
			last = memphis_append(process->log->part_names, process->log->part_name_count,
					      process->log->part_name_room);
			if (!last)
				return -ENOMEM;
			*last = 0;
		}
		name = memphis_span_unescape(line);
		last = &process->log->part_names[number];
		*last = name ? memphis_strings_add_text(&process->log->names, name) : MEMPHIS_NO_STRING;
		free(name);
		if (*last == MEMPHIS_NO_STRING)
			return -ENOMEM;
	}
	return 0;
}

static int keep_stack_id(struct memphis_thread_log *log, uint32_t id, uint32_t stack)
{
	struct memphis_stack_id *entry;

	if (log->stack_id_count && log->stack_ids[log->stack_id_count - 1].id >= id)
		return -EBADMSG;
	entry = memphis_append(log->stack_ids, log->stack_id_count, log->stack_id_room);
	if (!entry)
		return -ENOMEM;
	entry->id = id;
	entry->stack = stack;
	return 0;
}

static int load_stacks(struct memphis_process *process, struct memphis_thread_log *log,
		       const struct memphis_chunk_view *chunk)
{
	const uint8_t *next = chunk->payload, *end = next + chunk->bytes;
	struct memphis_stack header;
	uint32_t stack, i;
	int rc;

	for (i = 0; i < chunk->count; i++) {
		if ((size_t)(end - next) < sizeof(header))
			return -EBADMSG;
		memcpy(&header, next, sizeof(header));
		next += sizeof(header);
		if ((size_t)(end - next) / 8 < header.depth)
			return -EBADMSG;
		stack = memphis_stack_add(process, log, next, header.depth);
		next += (size_t)header.depth * 8;
		if (stack == MEMPHIS_NO_STRING)
			return -ENOMEM;
		rc = keep_stack_id(log, header.id, stack);
		if (rc)
			return rc;
	}
	return next == end ? 0 : -EBADMSG;
}

int memphis_process_note_stack(struct memphis_process *process, uint32_t stack, uint64_t time_ns)
{
	size_t old = process->log->stack_time_count;

	if (stack >= old) {
		if (memphis_grow(&process->log->stack_times_ns, &process->log->stack_time_room,
				 (size_t)stack + 1, sizeof(uint64_t)))
			return -ENOMEM;
		memset(process->log->stack_times_ns + old, 0, (stack + 1 - old) * sizeof(uint64_t));
		process->log->stack_time_count = (size_t)stack + 1;
	}
	if (!process->log->stack_times_ns[stack])
		process->log->stack_times_ns[stack] = time_ns;
	return 0;
}

static int load_allocations(struct memphis_process *process, struct memphis_thread_log *log,
			    const struct memphis_chunk_view *chunk)
{
	size_t old = log->allocation_count, i;
	struct memphis_allocation *allocation;

	if (memphis_grow(&log->allocations, &log->allocation_room, old + chunk->count, sizeof(*allocation)))
		return -ENOMEM;
	if (chunk->bytes)
		memcpy(log->allocations + old, chunk->payload, chunk->bytes);
	log->allocation_count += chunk->count;
	for (i = old; i < log->allocation_count; i++) {
		allocation = &log->allocations[i];
		allocation->stack = memphis_stack_of(log, allocation->stack);
		if (memphis_process_note_stack(process, allocation->stack, allocation->time_ns))
			return -ENOMEM;
	}
	return 0;
}

static int load_tls(struct memphis_thread_log *log, struct memphis_span payload)
{
	struct memphis_tls_block *block;
	struct memphis_span line;
	uint64_t bytes;

	while (memphis_next_line(&payload, &line)) {
		block = memphis_append(log->tls, log->tls_count, log->tls_room);
		if (!block)
			return -ENOMEM;
		if (!memphis_next_number(&line, true, &block->object) ||
		    !memphis_next_number(&line, true, &block->low) ||
		    !memphis_next_number(&line, false, &bytes) ||
		    __builtin_add_overflow(block->low, bytes, &block->high))
			return -EBADMSG;
	}
	return 0;
}

static int load_stack_frames(struct memphis_thread_log *log, const struct memphis_chunk_view *chunk)
{
	const uint8_t *next = chunk->payload, *end = next + chunk->bytes;
	struct memphis_stack_frames_view *view;
	size_t bytes;
	uint32_t i;

	for (i = 0; i < chunk->count; i++) {
		view = memphis_append(log->stack_frames, log->frames_count, log->frames_room);
		if (!view)
			return -ENOMEM;
		if ((size_t)(end - next) < sizeof(view->stack_frames))
			return -EBADMSG;
		memcpy(&view->stack_frames, next, sizeof(view->stack_frames));
		next += sizeof(view->stack_frames);
		bytes = (size_t)view->stack_frames.depth * sizeof(*log->frames);
		if ((size_t)(end - next) < bytes ||
		    (log->frames_count > 1 && view[-1].stack_frames.time_ns > view->stack_frames.time_ns))
			return -EBADMSG;
		view->first = log->frame_count;
		if (memphis_grow(&log->frames, &log->frame_room, view->first + view->stack_frames.depth,
				 sizeof(*log->frames)))
			return -ENOMEM;
		if (bytes)
			memcpy(log->frames + view->first, next, bytes);
		log->frame_count += view->stack_frames.depth;
		next += bytes;
	}
	return next == end ? 0 : -EBADMSG;
}

static int load_accounting(struct memphis_thread *thread, const struct memphis_chunk_view *chunk)
{
	if (chunk->count != 1)
		return -EBADMSG;
	memcpy(&thread->accounting, chunk->payload, sizeof(thread->accounting));
	return 0;
}

/* Returns the index of the region's entry. If there is none, returns the index at which it must be inserted. */
static size_t find_region_time(const struct memphis_thread *thread, uint32_t region)
{
	return memphis_bisect(at, thread->time_count, thread->times[at].region < region);
}

/*
 * Loads the times of regions. A later record replaces an earlier one of the same region. Ids are at most
 * 65535 (docs/format.md).
 */
static int load_region_times(struct memphis_thread *thread, const struct memphis_chunk_view *chunk)
{
	struct memphis_region_time time, *entry;
	uint32_t i, last = 0;
	size_t at;

	for (i = 0; i < chunk->count; i++, last = time.region) {
		memcpy(&time, chunk->payload + i * sizeof(time), sizeof(time));
		if (time.region <= last || time.region > UINT16_MAX)
			return -EBADMSG;
		at = find_region_time(thread, time.region);
		if (at == thread->time_count || thread->times[at].region != time.region) {
			if (!memphis_append(thread->times, thread->time_count, thread->time_room))
				return -ENOMEM;
			entry = &thread->times[at];
			memmove(entry + 1, entry, (thread->time_count - 1 - at) * sizeof(*entry));
		}
		thread->times[at] = time;
	}
	return 0;
}

/*
 * Returns the index of the entry with the same region and partner. If there is none, returns the index at
 * which it must be inserted.
 */
static size_t find_mpi_sum(const struct memphis_thread *thread, const struct memphis_mpi_sum *sum)
{
	const struct memphis_mpi_sum *list = thread->mpi;

	return memphis_bisect(at, thread->mpi_count,
			      list[at].region < sum->region ||
				      (list[at].region == sum->region && list[at].partner < sum->partner));
}

/* Loads sums over MPI or I/O calls. A later record replaces an earlier one of the same region and partner. */
static int load_mpi_sums(struct memphis_thread *thread, const struct memphis_chunk_view *chunk)
{
	struct memphis_mpi_sum sum, *entry;
	uint32_t i;
	size_t at;

	for (i = 0; i < chunk->count; i++) {
		memcpy(&sum, chunk->payload + i * sizeof(sum), sizeof(sum));
		if (sum.region > UINT16_MAX || sum.partner < MEMPHIS_MPI_OTHERS ||
		    (sum.partner >= MEMPHIS_MPI_FILE) != (chunk->type == MEMPHIS_CHUNK_IO))
			return -EBADMSG;
		at = find_mpi_sum(thread, &sum);
		if (at == thread->mpi_count || thread->mpi[at].region != sum.region ||
		    thread->mpi[at].partner != sum.partner) {
			if (thread->mpi_count >= MPI_SUMS_MAX)
				return -EBADMSG;
			if (!memphis_append(thread->mpi, thread->mpi_count, thread->mpi_room))
				return -ENOMEM;
			entry = &thread->mpi[at];
			memmove(entry + 1, entry, (thread->mpi_count - 1 - at) * sizeof(*entry));
		}
		thread->mpi[at] = sum;
	}
	return 0;
}

static bool is_counters(unsigned int type)
{
	return type == MEMPHIS_CHUNK_COUNTER_METRICS || type == MEMPHIS_CHUNK_COUNTERS ||
	       type == MEMPHIS_CHUNK_COUNTER_MARKS;
}

/* Loads the metrics and the marks of the counters. memphis_counters_read_all() reads the values later, as there are many. */
static int load_counters(struct memphis_process *process, const struct memphis_chunk_view *chunk)
{
	if (!process->counters)
		process->counters = calloc(1, sizeof(*process->counters));
	if (!process->counters)
		return -ENOMEM;
	if (chunk->type == MEMPHIS_CHUNK_COUNTER_METRICS)
		return memphis_counters_add_metrics(process->counters, span_of(chunk));
	if (chunk->type == MEMPHIS_CHUNK_COUNTER_MARKS)
		return memphis_counters_add_marks(process->counters, chunk->payload, chunk->count);
	return 0;
}

bool memphis_chunk_is_shared(unsigned int type)
{
	switch (type) {
	case MEMPHIS_CHUNK_ACCOUNTING:
	case MEMPHIS_CHUNK_THREAD:
	case MEMPHIS_CHUNK_STACK_FRAMES:
	case MEMPHIS_CHUNK_TLS:
	case MEMPHIS_CHUNK_REGION_TIMES:
	case MEMPHIS_CHUNK_MPI:
	case MEMPHIS_CHUNK_IO:
	case MEMPHIS_CHUNK_SPANS:
	case MEMPHIS_CHUNK_MPI_EVENTS:
		return false;
	}
	return true;
}

static int add_own(struct memphis_thread *thread, const struct memphis_chunk_view *chunk)
{
	switch (chunk->type) {
	case MEMPHIS_CHUNK_ACCOUNTING:
		return load_accounting(thread, chunk);
	case MEMPHIS_CHUNK_THREAD:
		return memphis_settings_add(&thread->metadata, span_of(chunk));
	case MEMPHIS_CHUNK_STACK_FRAMES:
		return load_stack_frames(thread->log, chunk);
	case MEMPHIS_CHUNK_TLS:
		return load_tls(thread->log, span_of(chunk));
	case MEMPHIS_CHUNK_REGION_TIMES:
		return load_region_times(thread, chunk);
	case MEMPHIS_CHUNK_MPI:
	case MEMPHIS_CHUNK_IO:
		return load_mpi_sums(thread, chunk);
	}
	return 0;
}

static int add_shared(struct memphis_processes *processes, struct memphis_process *process,
		      struct memphis_thread *thread, const struct memphis_chunk_view *chunk,
		      struct memphis_error *error)
{
	switch (chunk->type) {
	case MEMPHIS_CHUNK_NAMES:
		return load_namings(process, span_of(chunk));
	case MEMPHIS_CHUNK_SETTINGS:
		return memphis_settings_add(&process->settings, span_of(chunk));
	case MEMPHIS_CHUNK_LOSSES:
		return memphis_settings_add(&process->losses, span_of(chunk));
	case MEMPHIS_CHUNK_TOPOLOGY:
		return load_topology(process, span_of(chunk));
	case MEMPHIS_CHUNK_MAPS:
		process->has_maps = true;
		return memphis_maps_add(&process->log->maps, &processes->binaries, span_of(chunk), error);
	case MEMPHIS_CHUNK_PERF_MAP:
	case MEMPHIS_CHUNK_JITDUMP:
		return memphis_jit_add(&process->log->maps.jit, chunk->type == MEMPHIS_CHUNK_JITDUMP,
				       chunk->count, chunk->payload, chunk->bytes);
	case MEMPHIS_CHUNK_REGIONS:
		return load_regions(process, span_of(chunk));
	case MEMPHIS_CHUNK_HOLDERS:
		return load_holders(process, chunk);
	case MEMPHIS_CHUNK_FILES:
		return memphis_settings_add(&process->files, span_of(chunk));
	case MEMPHIS_CHUNK_PART_NAMES:
		return load_part_names(process, span_of(chunk));
	case MEMPHIS_CHUNK_PYTHON_LINES:
		return memphis_python_lines_load(process, span_of(chunk));
	}
	if (!thread)
		return is_counters(chunk->type) ? load_counters(process, chunk) : 0;
	switch (chunk->type) {
	case MEMPHIS_CHUNK_STACKS:
		return load_stacks(process, thread->log, chunk);
	case MEMPHIS_CHUNK_ALLOCATIONS:
		return load_allocations(process, thread->log, chunk);
	case MEMPHIS_CHUNK_CHAINS:
	case MEMPHIS_CHUNK_FRAMES:
		return memphis_chains_load(processes, process, thread->log, chunk, error);
	case MEMPHIS_CHUNK_CALLERS:
	case MEMPHIS_CHUNK_IN_FRAMES:
		return memphis_callers_load(thread->log, chunk, error);
	}
	return 0;
}

/*
 * Returns true for chunks whose payload is not loaded here. They have many records, and the code that needs
 * the records reads them from the file (counters.h, spans.h, export/otf2_events.c).
 */
static bool is_read_later(unsigned int type)
{
	return type == MEMPHIS_CHUNK_COUNTERS || type == MEMPHIS_CHUNK_SPANS ||
	       type == MEMPHIS_CHUNK_MPI_EVENTS;
}

static int fail(const struct memphis_file *file, const struct memphis_chunk_view *chunk, int rc,
		const struct memphis_error *detail, struct memphis_error *error)
{
	if (rc == -ENOMEM)
		return memphis_fail(error, rc, "%s: out of memory", file->path);
	return memphis_fail(
		error, rc,
		"%s: offset 0x%" PRIx64
		": the %s chunk is malformed%s%s; the file is damaged, or its writer has a defect: please report it",
		file->path, chunk->offset, memphis_chunk_name(chunk->type), *detail->text ? ": " : "",
		detail->text);
}

int memphis_chunk_load_own(struct memphis_thread *thread, struct memphis_file *file,
			   struct memphis_chunk_view *chunk, struct memphis_error *error)
{
	const struct memphis_error none = {.text = ""};
	int rc = is_read_later(chunk->type) ? 0 : memphis_file_payload(file, chunk, error);

	if (rc)
		return rc;
	rc = add_own(thread, chunk);
	return rc ? fail(file, chunk, rc, &none, error) : 0;
}

int memphis_chunk_load(struct memphis_processes *processes, struct memphis_process *process,
		       struct memphis_thread *thread, struct memphis_file *file,
		       struct memphis_chunk_view *chunk, struct memphis_error *error)
{
	struct memphis_error detail;
	int rc = is_read_later(chunk->type) ? 0 : memphis_file_payload(file, chunk, error);

	if (rc)
		return rc;
	detail.text[0] = 0;
	rc = add_shared(processes, process, thread, chunk, &detail);
	return rc ? fail(file, chunk, rc, &detail, error) : 0;
}

/* Stores the offset of every place_stride-th chunk. When the list is full, removes every second offset and doubles the stride. */
static int keep_place(struct memphis_thread_log *log, uint64_t number, uint64_t offset)
{
	uint64_t *place;
	size_t i;

	if (!log->place_stride)
		log->place_stride = 1;
	if (number % log->place_stride)
		return 0;
	if (log->place_count == PLACES_MAX) {
		for (i = 0; 2 * i < PLACES_MAX; i++)
			log->places[i] = log->places[2 * i];
		log->place_count = i;
		log->place_stride *= 2;
	}
	place = memphis_append(log->places, log->place_count, log->place_room);
	if (!place)
		return -ENOMEM;
	*place = offset;
	return 0;
}

int memphis_chunk_count_samples(struct memphis_thread *thread, const struct memphis_chunk_view *chunk)
{
	struct memphis_thread_log *log = thread->log;
	uint64_t *part;

	if (keep_place(log, thread->chunks, chunk->offset))
		return -ENOMEM;
	log->samples_offset = chunk->offset;
	log->samples_count = chunk->count;
	thread->samples += chunk->count;
	thread->chunks++;
	if (log->part_count && chunk->offset - log->parts[log->part_count - 1] < PART_BYTES)
		return 0;
	part = memphis_append(log->parts, log->part_count, log->part_room);
	if (!part)
		return -ENOMEM;
	*part = chunk->offset;
	return 0;
}
