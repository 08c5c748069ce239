// SPDX-License-Identifier: BSD-3-Clause
/* Reads the time spans of a thread's calipers. */
#include "read/spans.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"

#define DEPTH_MAX 128 /* maximum nesting depth of calipers (docs/format.md) */

/* State while a thread's file is read. */
struct reading {
	struct memphis_caliper_spans *spans;
	const struct memphis_process *process;
	uint16_t *depths;  /* nesting depth, indexed by region; 0: not known yet */
	uint64_t last_ns;  /* the latest time in the chunks that were read so far */
	uint64_t until_ns; /* how long a thread whose end was not recorded existed, as far as others know */
};

/*
 * Returns the nesting depth of a region. Returns 0 if an ancestor is not described, or if there are more
 * ancestors than the library allows.
 */
static uint16_t depth_of(struct reading *reading, uint32_t index)
{
	const struct memphis_process *process = reading->process;
	const struct memphis_region *region = &process->regions[index];
	uint16_t depth;

	if (reading->depths[index])
		return reading->depths[index];
	for (depth = 1; region->parent && depth <= DEPTH_MAX; depth++) {
		region = memphis_process_region(process, region->parent);
		if (!region)
			return 0;
	}
	if (depth > DEPTH_MAX)
		return 0;
	reading->depths[index] = depth;
	return depth;
}

static int add_span(struct reading *reading, const struct memphis_region_span *from)
{
	const struct memphis_region *region = memphis_process_region(reading->process, from->region);
	struct memphis_caliper_span *span;
	uint32_t index;
	uint16_t depth;

	if (!from->region || from->region > UINT16_MAX || (from->end_ns && from->end_ns < from->begin_ns))
		return -EBADMSG;
	if (!region)
		return 0;
	index = (uint32_t)(region - reading->process->regions);
	depth = depth_of(reading, index);
	if (!depth)
		return 0;
	span = memphis_append(reading->spans->list, reading->spans->count, reading->spans->room);
	if (!span)
		return -ENOMEM;
	*span = (struct memphis_caliper_span){.begin_ns = from->begin_ns,
					      .end_ns = from->end_ns,
					      .region = index,
					      .depth = depth,
					      .open = !from->end_ns};
	if (from->begin_ns > reading->last_ns)
		reading->last_ns = from->begin_ns;
	if (from->end_ns > reading->last_ns)
		reading->last_ns = from->end_ns;
	return 0;
}

static int add_spans(struct reading *reading, const struct memphis_chunk_view *chunk)
{
	struct memphis_region_span span;
	uint32_t i;
	int rc = 0;

	for (i = 0; !rc && i < chunk->count; i++) {
		memcpy(&span, chunk->payload + i * sizeof(span), sizeof(span));
		rc = add_span(reading, &span);
	}
	return rc;
}

static int note_samples(struct reading *reading, const struct memphis_chunk_view *chunk)
{
	struct memphis_decoder decoder;
	int rc;

	memphis_decoder_start(&decoder, chunk->payload, chunk->bytes, chunk->count);
	while ((rc = memphis_decoder_next(&decoder)) > 0)
		;
	if (decoder.sample.time_ns > reading->last_ns)
		reading->last_ns = decoder.sample.time_ns;
	return rc;
}

static int fail(struct memphis_error *error, int rc, const struct memphis_file *file,
		const struct memphis_chunk_view *chunk)
{
	if (rc == -ENOMEM)
		return memphis_fail(error, rc, "%s: out of memory", file->path);
	return memphis_fail(
		error, rc,
		"%s: offset 0x%" PRIx64
		": the %s chunk is malformed; the file is damaged, or its writer has a defect: please report it",
		file->path, chunk->offset, memphis_chunk_name(chunk->type));
}

/* Reads all spans, and the last chunk of samples for its last time. */
static int read_chunks(struct reading *reading, struct memphis_file *file, struct memphis_error *error)
{
	struct memphis_chunk_view chunk, samples = {0};
	int rc;

	while ((rc = memphis_file_next(file, &chunk, error)) > 0) {
		if (chunk.type == MEMPHIS_CHUNK_SAMPLES && chunk.count)
			samples = chunk;
		if (chunk.type != MEMPHIS_CHUNK_SPANS)
			continue;
		rc = memphis_file_payload(file, &chunk, error);
		if (rc)
			return rc;
		rc = add_spans(reading, &chunk);
		if (rc)
			return fail(error, rc, file, &chunk);
	}
	if (rc || !samples.count)
		return rc;
	rc = memphis_file_payload(file, &samples, error);
	if (rc)
		return rc;
	rc = note_samples(reading, &samples);
	return rc ? fail(error, rc, file, &samples) : 0;
}

/*
 * Orders spans by begin, the outer one first. The same span may be recorded twice: once while it was open,
 * and once after it ended. The ended one sorts first.
 */
static int compare(const void *a, const void *b)
{
	const struct memphis_caliper_span *x = a, *y = b;

	if (x->begin_ns != y->begin_ns)
		return x->begin_ns < y->begin_ns ? -1 : 1;
	if (x->depth != y->depth)
		return x->depth < y->depth ? -1 : 1;
	if (x->region != y->region)
		return x->region < y->region ? -1 : 1;
	if (x->open != y->open)
		return x->open ? 1 : -1;
	return memphis_order(x->end_ns, y->end_ns);
}

static void drop_repeated(struct memphis_caliper_spans *spans)
{
	const struct memphis_caliper_span *before = NULL;
	size_t i, kept = 0;

	for (i = 0; i < spans->count; i++) {
		const struct memphis_caliper_span *span = &spans->list[i];

		if (span->open && before && before->begin_ns == span->begin_ns &&
		    before->region == span->region)
			continue;
		spans->list[kept] = *span;
		before = &spans->list[kept++];
	}
	spans->count = kept;
}

/*
 * Ends open spans at `last_ns`. Shortens each span so that it ends no later than the begin of the next span at the same
 * or an outer depth. This matters for open spans, whose end may have been lost.
 */
static void end_before_next(struct memphis_caliper_spans *spans, uint64_t last_ns)
{
	/* indexed by depth: begin of the next span that has this depth or is further out */
	uint64_t next[DEPTH_MAX + 1];
	struct memphis_caliper_span *span;
	size_t i, deepest = 0, depth;

	for (i = 0; i < spans->count; i++)
		deepest = spans->list[i].depth > deepest ? spans->list[i].depth : deepest;
	for (depth = 0; depth <= deepest; depth++)
		next[depth] = UINT64_MAX;
	for (i = spans->count; i-- > 0;) {
		span = &spans->list[i];
		if (span->open)
			span->end_ns = last_ns;
		if (span->end_ns > next[span->depth])
			span->end_ns = next[span->depth];
		for (depth = span->depth; depth <= deepest; depth++)
			next[depth] = span->begin_ns;
	}
}

/* Shortens each span so that it ends no later than the span around it. */
static void end_with_outer(struct memphis_caliper_spans *spans)
{
	const struct memphis_caliper_span *around[DEPTH_MAX];
	struct memphis_caliper_span *span;
	size_t depth = 0, i;

	for (i = 0; i < spans->count; i++) {
		span = &spans->list[i];
		while (depth && (around[depth - 1]->depth >= span->depth ||
				 around[depth - 1]->end_ns <= span->begin_ns))
			depth--;
		if (depth && span->end_ns > around[depth - 1]->end_ns)
			span->end_ns = around[depth - 1]->end_ns;
		around[depth++] = span;
	}
}

/* Returns the last time at which the thread is known to have existed. */
static uint64_t last_of(const struct reading *reading, const struct memphis_thread *thread)
{
	const uint64_t ended = memphis_setting_number(&thread->metadata, "end_time_ns", 0);

	if (!ended && reading->process->closed)
		return memphis_setting_number(&reading->process->settings, "stop_time_ns", reading->last_ns);
	if (!ended && reading->until_ns > reading->last_ns)
		return reading->until_ns;
	return ended > reading->last_ns ? ended : reading->last_ns;
}

static int read_spans(struct memphis_caliper_spans *spans, const struct memphis_process *process,
		      const struct memphis_thread *thread, uint64_t until_ns, struct memphis_error *error)
{
	struct reading reading = {.spans = spans, .process = process, .until_ns = until_ns};
	struct memphis_file file;
	int rc;

	memset(spans, 0, sizeof(*spans));
	if (!thread->log)
		return 0;
	rc = memphis_file_open_part(&file, thread->path, thread->begin, thread->end, error);
	if (rc)
		return rc;
	file.ahead = MEMPHIS_FILE_GLANCE;
	reading.depths = calloc(process->region_count + 1, sizeof(*reading.depths));
	rc = reading.depths ? read_chunks(&reading, &file, error)
			    : memphis_fail(error, -ENOMEM, "%s: out of memory", file.path);
	free(reading.depths);
	memphis_file_close(&file);
	if (rc || !spans->count)
		return rc;
	qsort(spans->list, spans->count, sizeof(*spans->list), compare);
	drop_repeated(spans);
	end_before_next(spans, last_of(&reading, thread));
	end_with_outer(spans);
	return 0;
}

int memphis_spans_read(struct memphis_caliper_spans *spans, const struct memphis_process *process,
		       const struct memphis_thread *thread, struct memphis_error *error)
{
	return read_spans(spans, process, thread, 0, error);
}

void memphis_spans_close(struct memphis_caliper_spans *spans)
{
	free(spans->list);
	memset(spans, 0, sizeof(*spans));
}

static int add_change(struct memphis_thread_log *log, const struct memphis_process *process, uint64_t from_ns,
		      const struct memphis_caliper_span *span)
{
	struct memphis_region_change *change =
		memphis_append(log->changes, log->change_count, log->change_room);

	if (!change)
		return -ENOMEM;
	change->from_ns = from_ns;
	change->region = span ? process->regions[span->region].id : 0;
	return 0;
}

/* The begin of a span changes the region to its own, and the end to that of the span around it. */
static int add_changes(struct memphis_thread_log *log, const struct memphis_process *process,
		       const struct memphis_caliper_spans *spans)
{
	const struct memphis_caliper_span *around[DEPTH_MAX], *span = spans->list, *end = span + spans->count;
	size_t depth = 0;
	int rc = 0;

	while (!rc && (span < end || depth)) {
		if (depth && (span == end || around[depth - 1]->end_ns <= span->begin_ns)) {
			depth--;
			rc = add_change(log, process, around[depth]->end_ns,
					depth ? around[depth - 1] : NULL);
		} else {
			rc = add_change(log, process, span->begin_ns, span);
			around[depth++] = span++;
		}
	}
	return rc;
}

int memphis_region_changes_read(const struct memphis_process *process, const struct memphis_thread *thread,
				struct memphis_error *error)
{
	struct memphis_caliper_spans spans;
	/* perf's samples, which another file has, are of the time until the end of a process that was killed. */
	int rc = read_spans(&spans, process, thread, UINT64_MAX, error);

	if (!rc && thread->log && add_changes(thread->log, process, &spans))
		rc = memphis_fail(error, -ENOMEM, "%s: out of memory", thread->path);
	memphis_spans_close(&spans);
	return rc;
}

void memphis_regions_place(const struct memphis_thread_log *log, struct memphis_columns *columns,
			   unsigned int count)
{
	const struct memphis_region_change *list = log->changes;
	unsigned int i;
	size_t before;

	for (i = 0; log->change_count && i < count; i++) {
		before = memphis_bisect(at, log->change_count, list[at].from_ns <= columns->time_ns[i]);
		columns->region[i] = before ? list[before - 1].region : 0;
	}
}
