// SPDX-License-Identifier: BSD-3-Clause
#include "export/otf2_mpi.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RANKS_MAX (1 << 24) /* larger numbers are those of damaged files */

/* Names without "MPI_", and the "I" of those that do not block. */
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
	/* OTF2 has no operations among neighbours; these are the same among more ranks. */
	{"Neighbor_allgather", OTF2_COLLECTIVE_OP_ALLGATHER},
	{"Neighbor_alltoall", OTF2_COLLECTIVE_OP_ALLTOALL},
	{"Neighbor_alltoallv", OTF2_COLLECTIVE_OP_ALLTOALLV},
};

/* Compares with the first letter in either case: MPI_Ibcast. */
static bool is_named(const char *name, const char *collective)
{
	return (*name | 0x20) == (*collective | 0x20) && !strcmp(name + 1, collective + 1);
}

static OTF2_CollectiveOp operation(const struct memphis_otf2_messages *own)
{
	const struct memphis_region *region = memphis_process_region(own->process, own->event.region);
	const char *name = region && !strncmp(region->name, "MPI_", 4) ? region->name + 4 : "";
	size_t i;

	for (i = 0; i < sizeof(collectives) / sizeof(*collectives); i++)
		if (is_named(name, collectives[i].name) ||
		    (*name == 'I' && is_named(name + 1, collectives[i].name)))
			return collectives[i].op;
	return OTF2_COLLECTIVE_OP_BARRIER;
}

/* Returns the number of a communicator, from 1, or MEMPHIS_NO_STRING. */
static uint32_t number_of(struct memphis_otf2_comms *comms, uint64_t comm)
{
	if (comms->last_number && comms->last == comm)
		return comms->last_number;
	comms->last_number = memphis_strings_add(&comms->identities, &comm, sizeof(comm));
	comms->last = comm;
	return comms->last_number;
}

/* Begins the next chunk of events that has any. Returns 1, 0 at the end, or a negative errno. */
static int next_chunk(struct memphis_otf2_messages *own, struct memphis_error *error)
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

static bool is_valid(const struct memphis_mpi_event *event)
{
	return event->kind >= MEMPHIS_MPI_SEND && event->kind <= MEMPHIS_MPI_COLLECTIVE &&
	       event->end_ns >= event->begin_ns;
}

static bool is_known(const struct memphis_mpi_event *event)
{
	if (event->kind == MEMPHIS_MPI_COLLECTIVE)
		return event->comm && event->partner < RANKS_MAX;
	return event->comm && event->partner >= 0 && event->partner < RANKS_MAX;
}

/* Reads the next event that can be written. Returns 1, 0 at the end, or a negative errno. */
static int read_event(struct memphis_otf2_messages *own, struct memphis_error *error)
{
	uint32_t number;
	int rc;

	for (;; own->comms->unknown++) {
		rc = own->at == own->chunk.count ? next_chunk(own, error) : 1;
		if (rc <= 0)
			return rc;
		memcpy(&own->event, own->chunk.payload + own->at++ * sizeof(own->event), sizeof(own->event));
		if (!is_valid(&own->event))
			return memphis_fail(
				error, -EBADMSG,
				"%s: offset 0x%" PRIx64
				": the mpi-events chunk is malformed; the file is damaged, or its writer has a defect: please report it",
				own->file.path, own->chunk.offset);
		if (is_known(&own->event))
			break;
	}
	number = number_of(own->comms, own->event.comm);
	if (number == MEMPHIS_NO_STRING)
		return memphis_fail(error, -ENOMEM, "out of memory");
	own->comm = number - 1;
	if (own->event.partner >= 0 && (uint64_t)own->event.partner >= own->comms->ranks)
		own->comms->ranks = (uint64_t)own->event.partner + 1;
	return 1;
}

static int next_of_messages(struct memphis_otf2_stream *stream, uint64_t *ns, struct memphis_error *error)
{
	struct memphis_otf2_messages *own = (struct memphis_otf2_messages *)stream;
	int rc;

	/* A collective call has two events. */
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

static OTF2_ErrorCode put_message(const struct memphis_otf2_stream *stream, struct memphis_otf2_location *to,
				  OTF2_TimeStamp time)
{
	const struct memphis_otf2_messages *own = (const struct memphis_otf2_messages *)stream;
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
	return OTF2_EvtWriter_MpiCollectiveEnd(to->writer, NULL, time, operation(own), own->comm,
					       event->partner >= 0 ? partner : OTF2_COLLECTIVE_ROOT_NONE,
					       event->sent_bytes, event->received_bytes);
}

int memphis_otf2_messages_open(struct memphis_otf2_messages *messages, const struct memphis_otf2_location *to,
			       const struct memphis_thread *thread, struct memphis_error *error)
{
	*messages = (struct memphis_otf2_messages){
		.stream = {next_of_messages, put_message, MEMPHIS_OTF2_BEGIN},
		.process = to->process,
		.comms = to->comms,
	};
	return memphis_file_open_part(&messages->file, thread->path, thread->begin, thread->end, error);
}

void memphis_otf2_messages_close(struct memphis_otf2_messages *messages)
{
	memphis_file_close(&messages->file);
}

static void note(OTF2_ErrorCode *first, OTF2_ErrorCode code)
{
	if (*first == OTF2_SUCCESS)
		*first = code;
}

/* Returns the malloc'ed locations by rank; those of ranks without files are undefined. Sets *size to their number. */
static uint64_t *locations(const struct memphis_otf2_comms *comms, const struct memphis_otf2_rank *ranks,
			   size_t count, uint64_t *size, struct memphis_error *error)
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
	members = locations(comms, ranks, count, &size, error);
	if (!members)
		return -EINVAL;
	ref = name(state, "ranks");
	note(failed,
	     OTF2_GlobalDefWriter_WriteGroup(defs, 0, ref, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
					     OTF2_GROUP_FLAG_NONE, (uint32_t)size, members));
	for (i = 0; i < size; i++)
		members[i] = i;
	note(failed,
	     OTF2_GlobalDefWriter_WriteGroup(defs, 1, ref, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
					     OTF2_GROUP_FLAG_NONE, (uint32_t)size, members));
	free(members);
	for (i = 1; i < all; i++) {
		memcpy(&comm, memphis_strings_get(&comms->identities, i), sizeof(comm));
		snprintf(text, sizeof(text), "communicator %u", i);
		ref = name(state, count && comm == ranks[0].world ? "MPI_COMM_WORLD" : text);
		note(failed, OTF2_GlobalDefWriter_WriteComm(defs, i - 1, ref, 1, OTF2_UNDEFINED_COMM,
							    OTF2_COMM_FLAG_NONE));
	}
	return 0;
}
