// SPDX-License-Identifier: BSD-3-Clause
/* Writes the events of one location of an OTF2 archive, and defines the communicators to which its messages refer. */
#include "export/otf2_events.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/decode.h"
#include "read/spans.h"

#define DEPTH_MAX 128       /* maximum nesting depth of calipers (docs/format.md) */
#define RANKS_MAX (1 << 24) /* larger ranks occur only in damaged files */

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

/* Returns the time on the axis. If the previous event is later, returns the time of the previous event. */
static OTF2_TimeStamp monotonic_time(struct memphis_otf2_location *to, uint64_t ns)
{
	const uint64_t time = memphis_axis_ns(to->axis, to->index, ns);

	if (time > to->last_ns)
		to->last_ns = time;
	return to->last_ns;
}

/* Stream of the enter and leave events of a thread's regions. */
struct span_stream {
	struct memphis_otf2_stream stream;
	struct memphis_caliper_spans spans;
	size_t begun; /* number of spans that have been entered */
	/* stack of the spans that have been entered and not left */
	const struct memphis_caliper_span *open[DEPTH_MAX];
	size_t depth;
	const struct memphis_caliper_span *span; /* span of the current event */
	bool enters;
};

static int next_span_event(struct memphis_otf2_stream *stream, uint64_t *ns, struct memphis_error *error)
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

static OTF2_ErrorCode write_span(const struct memphis_otf2_stream *stream, struct memphis_otf2_location *to,
				 OTF2_TimeStamp time)
{
	const struct span_stream *own = (const struct span_stream *)stream;
	const uint32_t region = to->refs.regions[own->span->region];

	return own->enters ? OTF2_EvtWriter_Enter(to->writer, NULL, time, region)
			   : OTF2_EvtWriter_Leave(to->writer, NULL, time, region);
}

/* Stream of a thread's selected samples. */
struct sample_stream {
	struct memphis_otf2_stream stream;
	struct memphis_file file;
	struct memphis_decoder decoder;
	const struct memphis_selection *selection;
};

/* Starts reading the next chunk of samples. Returns 1, 0 at the end, or a negative errno. */
static int read_sample_chunk(struct sample_stream *own, struct memphis_error *error)
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

static int next_sample_event(struct memphis_otf2_stream *stream, uint64_t *ns, struct memphis_error *error)
{
	struct sample_stream *own = (struct sample_stream *)stream;
	struct memphis_access access;
	int rc;

	for (;;) {
		rc = memphis_decoder_next(&own->decoder);
		if (rc < 0)
			return memphis_fail(error, rc, "%s: a samples chunk is damaged", own->file.path);
		if (!rc) {
			rc = read_sample_chunk(own, error);
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

static int64_t node_number(uint16_t node)
{
	return node == MEMPHIS_NODE_UNKNOWN ? -1 : node;
}

static OTF2_ErrorCode write_sample(const struct memphis_otf2_stream *stream, struct memphis_otf2_location *to,
				   OTF2_TimeStamp time)
{
	static const OTF2_Type types[MEMPHIS_OTF2_MEMBERS] = {
		OTF2_TYPE_INT64, OTF2_TYPE_INT64, OTF2_TYPE_INT64, OTF2_TYPE_INT64, OTF2_TYPE_INT64};
	const struct memphis_sample *sample = &((const struct sample_stream *)stream)->decoder.sample;
	const OTF2_MetricValue values[MEMPHIS_OTF2_MEMBERS] = {
		{.signed_int = sample->latency_cycles},
		{.signed_int = sample->source},
		{.signed_int = !!(sample->flags & MEMPHIS_FLAG_REMOTE)},
		{.signed_int = node_number(sample->node)},
		{.signed_int = node_number(sample->home_node)},
	};

	return OTF2_EvtWriter_Metric(to->writer, NULL, time, to->refs.samples, MEMPHIS_OTF2_MEMBERS, types,
				     values);
}

/* Stream of a thread's messages and collective calls. */
struct message_stream {
	struct memphis_otf2_stream stream;
	const struct memphis_process *process;
	struct memphis_otf2_comms *comms;
	struct memphis_file file;
	struct memphis_chunk_view chunk;
	uint32_t at; /* number of events read from the chunk */
	struct memphis_mpi_event event;
	bool ends; /* the current stream event is the end of a receive or collective call */
	OTF2_CommRef comm;
};

/* Collective operations by the name of their function, without "MPI_" and without the "I" of non-blocking calls. */
static const struct {
	const char *name;
	OTF2_CollectiveOp op;
} collectives[] = {
	{"Barrier", OTF2_COLLECTIVE_OP_BARRIER},
	{"Bcast", OTF2_COLLECTIVE_OP_BCAST},
	{"Gather", OTF2_COLLECTIVE_OP_GATHER},
	{"Gatherv", OTF2_COLLECTIVE_OP_GATHERV},
	{"Scatter", OTF2_COLLECTIVE_OP_SCATTER},
	{"Scatterv", OTF2_COLLECTIVE_OP_SCATTERV},
	{"Allgather", OTF2_COLLECTIVE_OP_ALLGATHER},
	{"Allgatherv", OTF2_COLLECTIVE_OP_ALLGATHERV},
	{"Alltoall", OTF2_COLLECTIVE_OP_ALLTOALL},
	{"Alltoallv", OTF2_COLLECTIVE_OP_ALLTOALLV},
	{"Alltoallw", OTF2_COLLECTIVE_OP_ALLTOALLW},
	{"Allreduce", OTF2_COLLECTIVE_OP_ALLREDUCE},
	{"Reduce", OTF2_COLLECTIVE_OP_REDUCE},
	{"Reduce_scatter", OTF2_COLLECTIVE_OP_REDUCE_SCATTER},
	{"Reduce_scatter_block", OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK},
	{"Scan", OTF2_COLLECTIVE_OP_SCAN},
	{"Exscan", OTF2_COLLECTIVE_OP_EXSCAN},
	/* OTF2 has no neighbourhood collectives. They are exported as the same operation among all ranks. */
	{"Neighbor_allgather", OTF2_COLLECTIVE_OP_ALLGATHER},
	{"Neighbor_alltoall", OTF2_COLLECTIVE_OP_ALLTOALL},
	{"Neighbor_alltoallv", OTF2_COLLECTIVE_OP_ALLTOALLV},
};

/*
 * Returns true if the names are equal. Ignores the case of the first letter, because the name after "I"
 * begins with a small letter, as in MPI_Ibcast.
 */
static bool is_collective_name(const char *name, const char *collective)
{
	return (*name | 0x20) == (*collective | 0x20) && !strcmp(name + 1, collective + 1);
}

static OTF2_CollectiveOp collective_operation(const struct message_stream *own)
{
	const struct memphis_region *region = memphis_process_region(own->process, own->event.region);
	const char *name = region && !strncmp(region->name, "MPI_", 4) ? region->name + 4 : "";
	size_t i;

	for (i = 0; i < sizeof(collectives) / sizeof(*collectives); i++)
		if (is_collective_name(name, collectives[i].name) ||
		    (*name == 'I' && is_collective_name(name + 1, collectives[i].name)))
			return collectives[i].op;
	return OTF2_COLLECTIVE_OP_BARRIER;
}

/* Returns the number of a communicator, which is at least 1. Returns MEMPHIS_NO_STRING if memory is exhausted. */
static uint32_t comm_number(struct memphis_otf2_comms *comms, uint64_t comm)
{
	if (comms->last_number && comms->last == comm)
		return comms->last_number;
	comms->last_number = memphis_strings_add(&comms->identities, &comm, sizeof(comm));
	comms->last = comm;
	return comms->last_number;
}

/* Reads the next MPI_EVENTS chunk that is not empty. Returns 1, 0 at the end, or a negative errno. */
static int read_message_chunk(struct message_stream *own, struct memphis_error *error)
{
	int rc;

	own->at = 0;
	do
		rc = memphis_file_next(&own->file, &own->chunk, error);
	while (rc > 0 && (own->chunk.type != MEMPHIS_CHUNK_MPI_EVENTS || !own->chunk.count));
	if (rc <= 0) {
		own->chunk.count = 0;
		return rc;
	}
	rc = memphis_file_payload(&own->file, &own->chunk, error);
	return rc ? rc : 1;
}

static bool is_valid_event(const struct memphis_mpi_event *event)
{
	return event->kind >= MEMPHIS_MPI_SEND && event->kind <= MEMPHIS_MPI_COLLECTIVE &&
	       event->end_ns >= event->begin_ns;
}

static bool is_writable_event(const struct memphis_mpi_event *event)
{
	if (event->kind == MEMPHIS_MPI_COLLECTIVE)
		return event->comm && event->partner < RANKS_MAX;
	return event->comm && event->partner >= 0 && event->partner < RANKS_MAX;
}

/*
 * Reads the next event that can be exported, and counts the others in comms->unknown. Returns 1, 0 at the
 * end, or a negative errno.
 */
static int read_event(struct message_stream *own, struct memphis_error *error)
{
	uint32_t number;
	int rc;

	for (;; own->comms->unknown++) {
		rc = own->at == own->chunk.count ? read_message_chunk(own, error) : 1;
		if (rc <= 0)
			return rc;
		memcpy(&own->event, own->chunk.payload + own->at++ * sizeof(own->event), sizeof(own->event));
		if (!is_valid_event(&own->event))
			return memphis_fail(
				error, -EBADMSG,
				"%s: offset 0x%" PRIx64
				": the mpi-events chunk is malformed; the file is damaged, or its writer has a defect: please report it",
				own->file.path, own->chunk.offset);
		if (is_writable_event(&own->event))
			break;
	}
	number = comm_number(own->comms, own->event.comm);
	if (number == MEMPHIS_NO_STRING)
		return memphis_fail(error, -ENOMEM, "out of memory");
	own->comm = number - 1;
	if (own->event.partner >= 0 && (uint64_t)own->event.partner >= own->comms->ranks)
		own->comms->ranks = (uint64_t)own->event.partner + 1;
	return 1;
}

static int next_message_event(struct memphis_otf2_stream *stream, uint64_t *ns, struct memphis_error *error)
{
	struct message_stream *own = (struct message_stream *)stream;
	int rc;

	/* A collective call has two stream events: its begin and its end. */
	if (own->event.kind == MEMPHIS_MPI_COLLECTIVE && !own->ends) {
		own->ends = true;
	} else {
		rc = read_event(own, error);
		if (rc <= 0)
			return rc;
		own->ends = own->event.kind == MEMPHIS_MPI_RECEIVE;
	}
	stream->order = own->ends ? MEMPHIS_OTF2_END : MEMPHIS_OTF2_BEGIN;
	*ns = own->ends ? own->event.end_ns : own->event.begin_ns;
	return 1;
}

static OTF2_ErrorCode write_message(const struct memphis_otf2_stream *stream,
				    struct memphis_otf2_location *to, OTF2_TimeStamp time)
{
	const struct message_stream *own = (const struct message_stream *)stream;
	const struct memphis_mpi_event *event = &own->event;
	const uint32_t partner = (uint32_t)event->partner, tag = (uint32_t)event->tag;

	if (event->kind == MEMPHIS_MPI_SEND)
		return OTF2_EvtWriter_MpiSend(to->writer, NULL, time, partner, own->comm, tag,
					      event->sent_bytes);
	if (event->kind == MEMPHIS_MPI_RECEIVE)
		return OTF2_EvtWriter_MpiRecv(to->writer, NULL, time, partner, own->comm, tag,
					      event->received_bytes);
	if (!own->ends)
		return OTF2_EvtWriter_MpiCollectiveBegin(to->writer, NULL, time);
	return OTF2_EvtWriter_MpiCollectiveEnd(to->writer, NULL, time, collective_operation(own), own->comm,
					       event->partner >= 0 ? partner : OTF2_COLLECTIVE_ROOT_NONE,
					       event->sent_bytes, event->received_bytes);
}

static int open_messages(struct message_stream *messages, const struct memphis_otf2_location *to,
			 const struct memphis_thread *thread, struct memphis_error *error)
{
	*messages = (struct message_stream){
		.stream = {next_message_event, write_message, MEMPHIS_OTF2_BEGIN},
		.process = to->process,
		.comms = to->comms,
	};
	return memphis_file_open_part(&messages->file, thread->path, thread->begin, thread->end, error);
}

static void close_messages(struct message_stream *messages)
{
	memphis_file_close(&messages->file);
}

/* The next event of a stream. `stream` is NULL if the stream has no more events. */
struct head {
	struct memphis_otf2_stream *stream;
	uint64_t ns;
};

static int read_next_event(struct head *head, struct memphis_error *error)
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

/* Merges the events of all streams by time, and writes them. */
static int write_merged(struct memphis_otf2_location *to, struct memphis_otf2_stream *const *streams,
			size_t count, struct memphis_error *error)
{
	struct head heads[8];
	size_t i, first;
	int rc = 0;

	for (i = 0; i < count && !rc; i++) {
		heads[i].stream = streams[i];
		rc = read_next_event(&heads[i], error);
	}
	while (!rc) {
		for (first = 0, i = 1; i < count; i++)
			first = is_before(&heads[i], &heads[first]) ? i : first;
		if (!heads[first].stream)
			return 0;
		rc = memphis_otf2_check(heads[first].stream->put(heads[first].stream, to,
								 monotonic_time(to, heads[first].ns)),
					error);
		if (!rc)
			rc = read_next_event(&heads[first], error);
	}
	return rc;
}

int memphis_otf2_write_thread(struct memphis_otf2_location *to, const struct memphis_thread *thread,
			      struct memphis_error *error)
{
	struct span_stream spans = {.stream = {next_span_event, write_span, MEMPHIS_OTF2_ENTER}};
	struct sample_stream samples = {.stream = {next_sample_event, write_sample, MEMPHIS_OTF2_POINT},
					.selection = to->selection};
	struct message_stream messages;
	struct memphis_otf2_stream *const streams[] = {&spans.stream, &messages.stream, &samples.stream};
	int rc = memphis_file_open_part(&samples.file, thread->path, thread->begin, thread->end, error);

	if (rc)
		return rc;
	rc = open_messages(&messages, to, thread, error);
	if (rc) {
		memphis_file_close(&samples.file);
		return rc;
	}
	samples.file.ahead = MEMPHIS_FILE_AHEAD;
	rc = memphis_spans_read(&spans.spans, to->process, thread, error);
	if (!rc)
		rc = write_merged(to, streams, sizeof(streams) / sizeof(*streams), error);
	memphis_spans_close(&spans.spans);
	close_messages(&messages);
	memphis_file_close(&samples.file);
	return rc;
}

/*
 * Writes the readings in a chunk. Leaves out readings of unknown metrics, and of host-wide metrics that were
 * kept in another process of the same host.
 */
static int write_readings(struct memphis_otf2_location *to, const struct memphis_chunk_view *chunk,
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
		rc = memphis_otf2_check(OTF2_EvtWriter_Metric(to->writer, NULL,
							      monotonic_time(to, value.time_ns),
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
			rc = write_readings(to, &chunk, error);
		if (rc)
			break;
	}
	memphis_file_close(&file);
	return rc;
}

static void note_error(OTF2_ErrorCode *first, OTF2_ErrorCode code)
{
	if (*first == OTF2_SUCCESS)
		*first = code;
}

/*
 * Returns a malloc'ed array of the locations, indexed by rank. Ranks without files have the location
 * OTF2_UNDEFINED_LOCATION. Sets *size to the number of ranks. Returns NULL with a message in *error on
 * failure.
 */
static uint64_t *list_rank_locations(const struct memphis_otf2_comms *comms,
				     const struct memphis_otf2_rank *ranks, size_t count, uint64_t *size,
				     struct memphis_error *error)
{
	const char **paths;
	uint64_t *members;
	size_t i;

	*size = comms->ranks;
	for (i = 0; i < count; i++) {
		if (ranks[i].rank >= RANKS_MAX) {
			memphis_fail(error, -EBADMSG,
				     "%s: mpi_rank %" PRIu64 " is no rank; the file is damaged",
				     ranks[i].path, ranks[i].rank);
			return NULL;
		}
		*size = ranks[i].rank >= *size ? ranks[i].rank + 1 : *size;
	}
	members = calloc(*size + 1, sizeof(*members));
	paths = calloc(*size + 1, sizeof(*paths));
	if (!members || !paths)
		memphis_fail(error, -ENOMEM, "out of memory");
	for (i = 0; members && paths && i < *size; i++)
		members[i] = OTF2_UNDEFINED_LOCATION;
	for (i = 0; members && paths && i < count; i++) {
		if (paths[ranks[i].rank]) {
			memphis_fail(error, -EINVAL,
				     "%s, %s: both are MPI rank %" PRIu64
				     "; export the messages of one run at a time",
				     paths[ranks[i].rank], ranks[i].path, ranks[i].rank);
			free(members);
			members = NULL;
			break;
		}
		paths[ranks[i].rank] = ranks[i].path;
		members[ranks[i].rank] = ranks[i].location;
	}
	if (!paths) {
		free(members);
		members = NULL;
	}
	free(paths);
	return members;
}

int memphis_otf2_define_comms(OTF2_GlobalDefWriter *defs, const struct memphis_otf2_comms *comms,
			      const struct memphis_otf2_rank *ranks, size_t count,
			      OTF2_StringRef (*name)(void *state, const char *text), void *state,
			      OTF2_ErrorCode *failed, struct memphis_error *error)
{
	const uint32_t all = comms->identities.count;
	uint64_t size, comm, *members;
	OTF2_StringRef ref;
	char text[64];
	uint32_t i;

	if (all <= 1)
		return 0;
	members = list_rank_locations(comms, ranks, count, &size, error);
	if (!members)
		return -EINVAL;
	ref = name(state, "ranks");
	note_error(failed, OTF2_GlobalDefWriter_WriteGroup(defs, 0, ref, OTF2_GROUP_TYPE_COMM_LOCATIONS,
							   OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
							   (uint32_t)size, members));
	for (i = 0; i < size; i++)
		members[i] = i;
	note_error(failed, OTF2_GlobalDefWriter_WriteGroup(defs, 1, ref, OTF2_GROUP_TYPE_COMM_GROUP,
							   OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
							   (uint32_t)size, members));
	free(members);
	for (i = 1; i < all; i++) {
		memcpy(&comm, memphis_strings_get(&comms->identities, i), sizeof(comm));
		snprintf(text, sizeof(text), "communicator %u", i);
		ref = name(state, count && comm == ranks[0].world ? "MPI_COMM_WORLD" : text);
		note_error(failed, OTF2_GlobalDefWriter_WriteComm(defs, i - 1, ref, 1, OTF2_UNDEFINED_COMM,
								  OTF2_COMM_FLAG_NONE));
	}
	return 0;
}
