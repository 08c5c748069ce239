// SPDX-License-Identifier: BSD-3-Clause
/* Reads the header and the records of a perf.data file. */
#include "perfdata/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perfdata/sample.h"

#define FEATURE_BYTES_MAX (64u << 20)

bool memphis_perfdata_stream_is(const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	uint64_t magic = 0;
	bool is;

	if (fd < 0)
		return false;
	is = pread(fd, &magic, sizeof(magic), 0) == sizeof(magic) &&
	     (magic == MEMPHIS_PERFDATA_MAGIC || magic == __builtin_bswap64(MEMPHIS_PERFDATA_MAGIC) ||
	      magic == MEMPHIS_PERFDATA_MAGIC_OLD || magic == __builtin_bswap64(MEMPHIS_PERFDATA_MAGIC_OLD));
	close(fd);
	return is;
}

static int no_memory(const struct memphis_perfdata_stream *stream, struct memphis_error *error)
{
	return memphis_fail(error, -ENOMEM, "%s: out of memory", stream->input.path);
}

static int check_magic(const struct memphis_perfdata_input *input, uint64_t magic,
		       struct memphis_error *error)
{
	if (magic == MEMPHIS_PERFDATA_MAGIC)
		return 0;
	if (magic == __builtin_bswap64(MEMPHIS_PERFDATA_MAGIC))
		return memphis_fail(
			error, -EINVAL,
			"%s: recorded on a machine of the other byte order, which has none of the CPUs that Memphis knows",
			input->path);
	return memphis_fail(error, -EINVAL,
			    "%s: the format of perf before Linux 3.7; record again with a later perf",
			    input->path);
}

/* Reads the ids of an event from their section. */
static int read_ids(struct memphis_perfdata_stream *stream, size_t event, struct memphis_perfdata_section ids,
		    struct memphis_error *error)
{
	uint64_t list[512];
	size_t bytes, i;
	int rc = 0;

	for (; !rc && ids.bytes >= sizeof(*list); ids.offset += bytes, ids.bytes -= bytes) {
		bytes = ids.bytes < sizeof(list) ? ids.bytes & ~7ULL : sizeof(list);
		rc = memphis_perfdata_input_read(&stream->input, list, bytes, ids.offset,
						 "the ids of its events", error);
		for (i = 0; !rc && i < bytes / sizeof(*list); i++)
			if (memphis_perfdata_events_add_id(&stream->header->events, event, list[i]))
				rc = no_memory(stream, error);
	}
	return rc;
}

static int fail_event(const struct memphis_perfdata_stream *stream, long event, struct memphis_error *error)
{
	return event == -EBADMSG
		       ? memphis_perfdata_input_damaged(&stream->input, 16, "its events are malformed", error)
		       : no_memory(stream, error);
}

static int read_events(struct memphis_perfdata_stream *stream,
		       const struct memphis_perfdata_file_header *file, struct memphis_error *error)
{
	const uint64_t each = file->attribute_bytes;
	struct memphis_perfdata_section ids;
	uint8_t room[1024];
	uint64_t at, id_bytes = 0;
	long event;
	int rc = 0;

	if (each < PERF_ATTR_SIZE_VER0 + sizeof(ids) || each > sizeof(room))
		return memphis_perfdata_input_damaged(&stream->input, 16,
						      "the size of the events' attributes is invalid", error);
	for (at = 0; !rc && file->attributes.bytes - at >= each; at += each) {
		rc = memphis_perfdata_input_read(&stream->input, room, each, file->attributes.offset + at,
						 "its events", error);
		if (rc)
			break;
		event = memphis_perfdata_events_add(&stream->header->events, room, each - sizeof(ids));
		memcpy(&ids, room + each - sizeof(ids), sizeof(ids));
		/* The sections do not overlap, so the sum of their sizes cannot exceed the file. */
		if (event >= 0 && ids.bytes > stream->input.bytes - id_bytes)
			event = -EBADMSG;
		id_bytes += ids.bytes;
		rc = event < 0 ? fail_event(stream, event, error)
			       : read_ids(stream, (size_t)event, ids, error);
	}
	return rc;
}

/* Ignores contents with an unknown layout, as from some old versions of perf. */
static int add_feature(struct memphis_perfdata_stream *stream, unsigned int number, const uint8_t *contents,
		       size_t bytes, struct memphis_error *error)
{
	const int rc = memphis_perfdata_origin_add(&stream->header->origin, &stream->header->events, number,
						   contents, bytes);

	return rc && rc != -EBADMSG ? no_memory(stream, error) : 0;
}

/* Reads the feature sections. They follow the records, in the order of the feature numbers. */
static int read_features(struct memphis_perfdata_stream *stream,
			 const struct memphis_perfdata_file_header *file, struct memphis_error *error)
{
	uint64_t at = file->data.offset + file->data.bytes;
	struct memphis_perfdata_section section;
	uint8_t *contents;
	unsigned int i;
	int rc = 0;

	for (i = 0; !rc && i < MEMPHIS_PERFDATA_FEATURES; i++) {
		if (!(file->features[i / 64] >> (i % 64) & 1))
			continue;
		rc = memphis_perfdata_input_read(&stream->input, &section, sizeof(section), at,
						 "what it says of the machine", error);
		at += sizeof(section);
		if (rc || section.bytes > FEATURE_BYTES_MAX)
			continue;
		contents = malloc(section.bytes + 1);
		rc = contents ? memphis_perfdata_input_read(&stream->input, contents, section.bytes,
							    section.offset, "what it says of the machine",
							    error)
			      : no_memory(stream, error);
		if (!rc)
			rc = add_feature(stream, i, contents, section.bytes, error);
		free(contents);
	}
	return rc;
}

static int read_header(struct memphis_perfdata_stream *stream, struct memphis_error *error)
{
	struct memphis_perfdata_input *input = &stream->input;
	struct memphis_perfdata_file_header file = {0};
	struct memphis_perfdata_section rest;
	int rc;

	rc = memphis_perfdata_input_read(input, &file, MEMPHIS_PERFDATA_STREAM_BYTES, 0, "its header", error);
	if (!rc)
		rc = check_magic(input, file.magic, error);
	if (rc)
		return rc;
	if (file.bytes == MEMPHIS_PERFDATA_STREAM_BYTES) {
		rest = (struct memphis_perfdata_section){file.bytes, input->bytes - file.bytes};
		rc = memphis_perfdata_input_begin(input, rest, error);
		input->may_be_cut = true;
		return rc;
	}
	rc = memphis_perfdata_input_read(input, &file, sizeof(file), 0, "its header", error);
	if (!rc)
		rc = memphis_perfdata_input_begin(input, file.data, error);
	if (!rc)
		rc = read_events(stream, &file, error);
	/* perf writes these sections when it ends. If it was killed, they are missing. */
	if (!rc && !input->unfinished)
		rc = read_features(stream, &file, error);
	return rc;
}

int memphis_perfdata_stream_open(struct memphis_perfdata_stream *stream,
				 struct memphis_perfdata_header *header, const char *path,
				 struct memphis_error *error)
{
	int rc;

	memset(stream, 0, sizeof(*stream));
	stream->header = header;
	rc = memphis_perfdata_input_open(&stream->input, path, error);
	if (rc)
		return rc;
	header->origin.recorded_ns = stream->input.changed_ns;
	rc = read_header(stream, error);
	if (rc)
		memphis_perfdata_stream_close(stream);
	return rc;
}

int memphis_perfdata_stream_open_part(struct memphis_perfdata_stream *stream,
				      struct memphis_perfdata_header *header, const char *path,
				      bool may_be_cut, struct memphis_error *error)
{
	int rc;

	memset(stream, 0, sizeof(*stream));
	stream->header = header;
	rc = memphis_perfdata_input_open(&stream->input, path, error);
	stream->input.may_be_cut = may_be_cut;
	return rc;
}

void memphis_perfdata_stream_close(struct memphis_perfdata_stream *stream)
{
	memphis_perfdata_inflater_close(&stream->inflater);
	memphis_perfdata_input_close(&stream->input);
	memphis_perfdata_queue_close(&stream->queue);
	memset(stream, 0, sizeof(*stream));
}

void memphis_perfdata_header_close(struct memphis_perfdata_header *header)
{
	memphis_perfdata_events_close(&header->events);
	memphis_perfdata_origin_close(&header->origin);
}

/* Adds the event that the record describes. In streams, all events come this way. */
static int add_event(struct memphis_perfdata_stream *stream, const struct perf_event_header *record,
		     struct memphis_error *error)
{
	const uint8_t *body = (const uint8_t *)(record + 1);
	const size_t bytes = record->size - sizeof(*record);
	uint32_t own = 0;
	uint64_t id;
	size_t at;
	long event;

	if (bytes >= PERF_ATTR_SIZE_VER0)
		memcpy(&own, body + offsetof(struct perf_event_attr, size), sizeof(own));
	if (own < PERF_ATTR_SIZE_VER0 || own > bytes)
		return memphis_perfdata_input_damaged(&stream->input, stream->input.offset - record->size,
						      "an event is malformed", error);
	event = memphis_perfdata_events_add(&stream->header->events, body, own);
	for (at = own; event >= 0 && at + 8 <= bytes; at += 8) {
		memcpy(&id, body + at, 8);
		if (memphis_perfdata_events_add_id(&stream->header->events, (size_t)event, id))
			event = -ENOMEM;
	}
	return event < 0 ? fail_event(stream, event, error) : 0;
}

static int add_build_id(struct memphis_perfdata_stream *stream, const struct perf_event_header *record,
			struct memphis_error *error)
{
	const int rc = memphis_perfdata_origin_add_build_id(&stream->header->origin, record);

	if (rc == -EBADMSG)
		return memphis_perfdata_input_damaged(&stream->input, stream->input.offset - record->size,
						      "a build-id is malformed", error);
	return rc ? no_memory(stream, error) : 0;
}

static int add_feature_record(struct memphis_perfdata_stream *stream, const struct perf_event_header *record,
			      struct memphis_error *error)
{
	const uint8_t *body = (const uint8_t *)(record + 1);
	const size_t bytes = record->size - sizeof(*record);
	uint64_t number = UINT64_MAX;

	if (bytes >= sizeof(number))
		memcpy(&number, body, sizeof(number));
	return number < MEMPHIS_PERFDATA_FEATURES
		       ? add_feature(stream, (unsigned int)number, body + 8, bytes - 8, error)
		       : 0;
}

/* Reads a list of ids: their number, and for each the id, an index, the CPU and the thread. */
static int place_ids(struct memphis_perfdata_stream *stream, const struct perf_event_header *record,
		     struct memphis_error *error)
{
	const uint8_t *body = (const uint8_t *)(record + 1);
	const size_t bytes = record->size - sizeof(*record);
	uint64_t count = 0, words[4], i;

	(void)error;
	if (bytes >= sizeof(count))
		memcpy(&count, body, sizeof(count));
	for (i = 0; i < count && i < (bytes - sizeof(count)) / sizeof(words); i++) {
		memcpy(words, body + sizeof(count) + i * sizeof(words), sizeof(words));
		/* A CPU of -1 means that the event is on all CPUs. */
		if (words[2] < UINT32_MAX)
			memphis_perfdata_events_place(&stream->header->events, words[0], (uint32_t)words[2]);
	}
	return 0;
}

static int finish_round(struct memphis_perfdata_stream *stream, const struct perf_event_header *record,
			struct memphis_error *error)
{
	(void)record;
	return memphis_perfdata_queue_round(&stream->queue) ? no_memory(stream, error) : 0;
}

/* Functions for the records that perf itself writes. Other types of such records are not needed. */
static const struct own_record {
	uint32_t type;
	int (*take)(struct memphis_perfdata_stream *stream, const struct perf_event_header *record,
		    struct memphis_error *error);
} own_records[] = {
	{MEMPHIS_PERFDATA_RECORD_HEADER_ATTR, add_event},
	{MEMPHIS_PERFDATA_RECORD_HEADER_BUILD_ID, add_build_id},
	{MEMPHIS_PERFDATA_RECORD_HEADER_FEATURE, add_feature_record},
	{MEMPHIS_PERFDATA_RECORD_ID_INDEX, place_ids},
	{MEMPHIS_PERFDATA_RECORD_FINISHED_ROUND, finish_round},
};

static int take_own(struct memphis_perfdata_stream *stream, const struct perf_event_header *record,
		    struct memphis_error *error)
{
	size_t i;

	for (i = 0; i < sizeof(own_records) / sizeof(*own_records); i++)
		if (own_records[i].type == record->type)
			return own_records[i].take(stream, record, error);
	return 0;
}

static int fail_inflating(const struct memphis_perfdata_stream *stream, int rc, struct memphis_error *error)
{
	if (rc == -EBADMSG)
		return memphis_perfdata_input_damaged(
			&stream->input, stream->input.offset,
			"the records before it, which are compressed, are malformed", error);
	if (rc == -ENOTSUP)
		return memphis_fail(
			error, rc,
			"%s: compressed, which this memphis was built without: install libzstd-dev and build it again",
			stream->input.path);
	return no_memory(stream, error);
}

/* Finds the next record, and decompresses records if necessary. Returns 1, 0 at the end, or a negative errno. */
static int next_record(struct memphis_perfdata_stream *stream, const struct perf_event_header **record,
		       struct memphis_error *error)
{
	int rc;

	for (;;) {
		rc = memphis_perfdata_inflated_next(&stream->inflater, record);
		if (rc)
			return rc > 0 ? rc : fail_inflating(stream, rc, error);
		rc = memphis_perfdata_input_next(&stream->input, record, error);
		if (rc <= 0)
			break;
		if (!memphis_perfdata_is_compressed(*record))
			return rc;
		rc = memphis_perfdata_inflate(&stream->inflater, *record);
		if (rc)
			return fail_inflating(stream, rc, error);
	}
	/*
	 * perf ignores that zstd keeps the end of its output if the output buffer is full, and does not fetch it
	 * later. Source: zstd_compress_stream_to_records() in Linux, tools/perf/util/zstd.c, 6.12.
	 */
	if (!rc)
		stream->end_lost =
			!stream->input.unfinished && memphis_perfdata_inflated_cut(&stream->inflater);
	return rc;
}

/*
 * Reads one record. Returns 1 if the record must be delivered at once, 0 if it was queued or handled here, or
 * a negative errno.
 */
static int read_record(struct memphis_perfdata_stream *stream, struct memphis_perfdata_record *record,
		       struct memphis_error *error)
{
	const struct perf_event_header *header = NULL;
	int rc = next_record(stream, &header, error);

	if (rc < 0)
		return rc;
	if (!rc) {
		stream->ended = true;
		return memphis_perfdata_queue_end(&stream->queue) ? no_memory(stream, error) : 0;
	}
	if (header->type >= MEMPHIS_PERFDATA_RECORD_HEADER_ATTR)
		return take_own(stream, header, error);
	record->header = header;
	record->event = memphis_perfdata_events_of(&stream->header->events, header, &record->cpu);
	/* Records that perf has synthesized have no time. They come before all records with a time. */
	if (!record->event ||
	    !memphis_perfdata_time(&record->event->attribute, &record->event->layout, header,
				   &record->time_ns) ||
	    !record->time_ns || record->time_ns == UINT64_MAX) {
		record->time_ns = 0;
		return 1;
	}
	return memphis_perfdata_queue_add(&stream->queue, record) ? no_memory(stream, error) : 0;
}

int memphis_perfdata_stream_next(struct memphis_perfdata_stream *stream,
				 struct memphis_perfdata_record *record, struct memphis_error *error)
{
	int rc;

	while (!(rc = memphis_perfdata_queue_take(&stream->queue, record)) && !stream->ended) {
		rc = read_record(stream, record, error);
		if (rc)
			return rc;
	}
	return rc < 0 ? no_memory(stream, error) : rc;
}
