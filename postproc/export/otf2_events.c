// SPDX-License-Identifier: BSD-3-Clause
/* Events of one location of an OTF2 archive. */
#include "export/otf2_events.h"

#include <errno.h>
#include <string.h>

#include "export/otf2_mpi.h"
#include "read/decode.h"
#include "read/spans.h"

#define DEPTH_MAX 128 /* docs/format.md */

const struct memphis_otf2_member memphis_otf2_members[MEMPHIS_OTF2_MEMBERS] = {
	{"latency", "of the sampled access; 0: unknown, as of all stores", "cycles"},
	{"source",
	 "what served the access: 0 unknown, 1 L1, 2 L2, 3 L3, 4 another cache, 5 DRAM, 6 extension memory, 7 I/O, 8 fill buffer",
	 "#"},
	{"remote", "1: the hardware reports that another node served the access", "#"},
	{"node", "from which the access was made; -1: unknown", "#"},
	{"home", "node that owns the page; -1: unknown", "#"},
};

int memphis_otf2_check(OTF2_ErrorCode code, struct memphis_error *error)
{
	if (code == OTF2_SUCCESS)
		return 0;
	return memphis_fail(error, -EIO, "OTF2: %s", OTF2_Error_GetDescription(code));
}

/* Returns the time on the axis, or that of the event before if it is later. */
static OTF2_TimeStamp stamp(struct memphis_otf2_location *to, uint64_t ns)
{
	const uint64_t time = memphis_axis_ns(to->axis, to->index, ns);

	if (time > to->last_ns)
		to->last_ns = time;
	return to->last_ns;
}

/* Enters and leaves of regions. */
struct span_stream {
	struct memphis_otf2_stream stream;
	struct memphis_caliper_spans spans;
	size_t begun;                                       /* number of spans that were entered */
	const struct memphis_caliper_span *open[DEPTH_MAX]; /* spans that were entered and not left */
	size_t depth;
	const struct memphis_caliper_span *span; /* of the event */
	bool enters;
};

static int next_of_spans(struct memphis_otf2_stream *stream, uint64_t *ns, struct memphis_error *error)
{
	struct span_stream *own = (struct span_stream *)stream;
	const struct memphis_caliper_span *next =
		own->begun < own->spans.count ? &own->spans.list[own->begun] : NULL;

	(void)error;
	own->enters = next && (!own->depth || next->begin_ns < own->open[own->depth - 1]->end_ns);
	if (own->enters) {
		own->span = own->open[own->depth++] = next;
		own->begun++;
	} else if (own->depth) {
		own->span = own->open[--own->depth];
	} else {
		return 0;
	}
	*ns = own->enters ? own->span->begin_ns : own->span->end_ns;
	stream->order = own->enters ? MEMPHIS_OTF2_ENTER : MEMPHIS_OTF2_LEAVE;
	return 1;
}

static OTF2_ErrorCode put_span(const struct memphis_otf2_stream *stream, struct memphis_otf2_location *to,
			       OTF2_TimeStamp time)
{
	const struct span_stream *own = (const struct span_stream *)stream;
	const uint32_t region = to->refs.regions[own->span->region];

	return own->enters ? OTF2_EvtWriter_Enter(to->writer, NULL, time, region)
			   : OTF2_EvtWriter_Leave(to->writer, NULL, time, region);
}

/* Samples that are selected. */
struct sample_stream {
	struct memphis_otf2_stream stream;
	struct memphis_file file;
	struct memphis_decoder decoder;
	const struct memphis_selection *selection;
};

/* Begins the next chunk of samples. Returns 1, 0 at the end, or a negative errno. */
static int next_chunk(struct sample_stream *own, struct memphis_error *error)
{
	struct memphis_chunk_view chunk;
	int rc;

	do
		rc = memphis_file_next(&own->file, &chunk, error);
	while (rc > 0 && chunk.type != MEMPHIS_CHUNK_SAMPLES);
	if (rc <= 0)
		return rc;
	rc = memphis_file_payload(&own->file, &chunk, error);
	if (rc)
		return rc;
	memphis_decoder_start(&own->decoder, chunk.payload, chunk.bytes, chunk.count);
	return 1;
}

static int next_of_samples(struct memphis_otf2_stream *stream, uint64_t *ns, struct memphis_error *error)
{
	struct sample_stream *own = (struct sample_stream *)stream;
	struct memphis_access access;
	int rc;

	for (;;) {
		rc = memphis_decoder_next(&own->decoder);
		if (rc < 0)
			return memphis_fail(error, rc, "%s: a samples chunk is damaged", own->file.path);
		if (!rc) {
			rc = next_chunk(own, error);
			if (rc <= 0)
				return rc;
			continue;
		}
		access = memphis_access_of(&own->decoder.sample);
		if (memphis_selection_takes(own->selection, &access))
			break;
	}
	*ns = own->decoder.sample.time_ns;
	return 1;
}

static int64_t node_of(uint16_t node)
{
	return node == MEMPHIS_NODE_UNKNOWN ? -1 : node;
}

static OTF2_ErrorCode put_sample(const struct memphis_otf2_stream *stream, struct memphis_otf2_location *to,
				 OTF2_TimeStamp time)
{
	static const OTF2_Type types[MEMPHIS_OTF2_MEMBERS] = {
		OTF2_TYPE_INT64, OTF2_TYPE_INT64, OTF2_TYPE_INT64, OTF2_TYPE_INT64, OTF2_TYPE_INT64};
	const struct memphis_sample *sample = &((const struct sample_stream *)stream)->decoder.sample;
	const OTF2_MetricValue values[MEMPHIS_OTF2_MEMBERS] = {
		{.signed_int = sample->latency_cycles},
		{.signed_int = sample->source},
		{.signed_int = !!(sample->flags & MEMPHIS_FLAG_REMOTE)},
		{.signed_int = node_of(sample->node)},
		{.signed_int = node_of(sample->home_node)},
	};

	return OTF2_EvtWriter_Metric(to->writer, NULL, time, to->refs.samples, MEMPHIS_OTF2_MEMBERS, types,
				     values);
}

/* The next event of a stream; `stream` is NULL at the end. */
struct head {
	struct memphis_otf2_stream *stream;
	uint64_t ns;
};

static int advance(struct head *head, struct memphis_error *error)
{
	const int rc = head->stream->next(head->stream, &head->ns, error);

	if (!rc)
		head->stream = NULL;
	return rc < 0 ? rc : 0;
}

static bool is_before(const struct head *a, const struct head *b)
{
	if (!a->stream || !b->stream)
		return a->stream != NULL;
	return a->ns != b->ns ? a->ns < b->ns : a->stream->order < b->stream->order;
}

/* Writes the events of all streams, ordered by time. */
static int merge(struct memphis_otf2_location *to, struct memphis_otf2_stream *const *streams, size_t count,
		 struct memphis_error *error)
{
	struct head heads[8];
	size_t i, first;
	int rc = 0;

	for (i = 0; i < count && !rc; i++) {
		heads[i].stream = streams[i];
		rc = advance(&heads[i], error);
	}
	while (!rc) {
		for (first = 0, i = 1; i < count; i++)
			first = is_before(&heads[i], &heads[first]) ? i : first;
		if (!heads[first].stream)
			return 0;
		rc = memphis_otf2_check(
			heads[first].stream->put(heads[first].stream, to, stamp(to, heads[first].ns)), error);
		if (!rc)
			rc = advance(&heads[first], error);
	}
	return rc;
}

int memphis_otf2_write_thread(struct memphis_otf2_location *to, const struct memphis_thread *thread,
			      struct memphis_error *error)
{
	struct span_stream spans = {.stream = {next_of_spans, put_span, MEMPHIS_OTF2_ENTER}};
	struct sample_stream samples = {.stream = {next_of_samples, put_sample, MEMPHIS_OTF2_POINT},
					.selection = to->selection};
	struct memphis_otf2_messages messages;
	struct memphis_otf2_stream *const streams[] = {&spans.stream, &messages.stream, &samples.stream};
	int rc = memphis_file_open_part(&samples.file, thread->path, thread->begin, thread->end, error);

	if (rc)
		return rc;
	rc = memphis_otf2_messages_open(&messages, to, thread, error);
	if (rc) {
		memphis_file_close(&samples.file);
		return rc;
	}
	samples.file.ahead = MEMPHIS_FILE_AHEAD;
	rc = memphis_spans_read(&spans.spans, to->process, thread, error);
	if (!rc)
		rc = merge(to, streams, sizeof(streams) / sizeof(*streams), error);
	memphis_spans_close(&spans.spans);
	memphis_otf2_messages_close(&messages);
	memphis_file_close(&samples.file);
	return rc;
}

/* Writes the readings of a chunk; those of metrics that another process of the host has, or that are unknown, are left out. */
static int put_readings(struct memphis_otf2_location *to, const struct memphis_chunk_view *chunk,
			struct memphis_error *error)
{
	const struct memphis_counters *counters = to->process->counters;
	const OTF2_Type type = OTF2_TYPE_DOUBLE;
	struct memphis_counter_value value;
	OTF2_MetricValue point;
	uint32_t i;
	size_t j;
	int rc = 0;

	for (i = 0; !rc && i < chunk->count; i++) {
		memcpy(&value, chunk->payload + i * sizeof(value), sizeof(value));
		for (j = 0; j < counters->metric_count && counters->metrics[j].id != value.metric; j++)
			;
		if (j == counters->metric_count)
			continue;
		point.floating_point = value.value;
		rc = memphis_otf2_check(OTF2_EvtWriter_Metric(to->writer, NULL, stamp(to, value.time_ns),
							      to->refs.counters[j], 1, &type, &point),
					error);
	}
	return rc;
}

int memphis_otf2_write_counters(struct memphis_otf2_location *to, struct memphis_error *error)
{
	struct memphis_chunk_view chunk;
	struct memphis_file file;
	int rc = memphis_file_open(&file, to->process->path, error);

	if (rc)
		return rc;
	file.ahead = MEMPHIS_FILE_AHEAD;
	while ((rc = memphis_file_next(&file, &chunk, error)) > 0) {
		if (chunk.type != MEMPHIS_CHUNK_COUNTERS)
			continue;
		rc = memphis_file_payload(&file, &chunk, error);
		if (!rc)
			rc = put_readings(to, &chunk, error);
		if (rc)
			break;
	}
	memphis_file_close(&file);
	return rc;
}
