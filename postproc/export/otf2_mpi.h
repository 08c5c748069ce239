/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI in an OTF2 archive: messages and collective calls as events, and the communicators that they name. Ranks are those of MPI_COMM_WORLD in
 * all communicators, since the members of the others are not recorded.
 */
#ifndef MEMPHIS_OTF2_MPI_H
#define MEMPHIS_OTF2_MPI_H

#include "base/pool.h"
#include "export/otf2_events.h"

/* The communicators of all events so far: identities, of which the first has number 1. */
struct memphis_otf2_comms {
	struct memphis_strings identities;
	uint64_t last; /* the last one that was looked up, and its number */
	uint32_t last_number;
	uint64_t unknown; /* events that are left out: their partner or their communicator is unknown */
	uint64_t ranks;   /* 1 + the highest partner or root of the others */
};

/* Events of a thread, read from its file. */
struct memphis_otf2_messages {
	struct memphis_otf2_stream stream;
	const struct memphis_process *process;
	struct memphis_otf2_comms *comms;
	struct memphis_file file;
	struct memphis_chunk_view chunk;
	uint32_t at; /* number of events of the chunk that were read */
	struct memphis_mpi_event event;
	bool ends; /* the event of the stream is the end of the collective call */
	OTF2_CommRef comm;
};

int memphis_otf2_messages_open(struct memphis_otf2_messages *messages, const struct memphis_otf2_location *to,
			       const struct memphis_thread *thread, struct memphis_error *error);
void memphis_otf2_messages_close(struct memphis_otf2_messages *messages);

/* A process of MPI_COMM_WORLD. */
struct memphis_otf2_rank {
	const char *path; /* of its file */
	uint64_t rank;
	OTF2_LocationRef location; /* of its first thread */
	uint64_t world;            /* identity of MPI_COMM_WORLD */
};

/*
 * Defines the communicators of all events: groups from number 0 on. Ranks without files are members without a location. `name` makes the
 * reference of a string. Sets *failed to the first error of the library, unless it is set. Returns 0, or a negative errno with *error set: two
 * processes are the same rank, or one is none.
 */
int memphis_otf2_define_comms(OTF2_GlobalDefWriter *defs, const struct memphis_otf2_comms *comms,
			      const struct memphis_otf2_rank *ranks, size_t count,
			      OTF2_StringRef (*name)(void *state, const char *text), void *state,
			      OTF2_ErrorCode *failed, struct memphis_error *error);

#endif
