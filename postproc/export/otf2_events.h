/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events of one location of an OTF2 archive. Those of a thread are merged by time from streams: the spans of its calipers, its messages and
 * its samples. Ranks are those of MPI_COMM_WORLD in all communicators, since the members of the others are not recorded.
 */
#ifndef MEMPHIS_OTF2_EVENTS_H
#define MEMPHIS_OTF2_EVENTS_H

#include <otf2/otf2.h>

#include "base/pool.h"
#include "export/axis.h"
#include "profile/selection.h"

/* A number that each sample has, as a metric of OTF2 (a member of the class of samples), of type OTF2_TYPE_INT64. */
struct memphis_otf2_member {
	const char *name, *description, *unit;
};

#define MEMPHIS_OTF2_MEMBERS 5
extern const struct memphis_otf2_member memphis_otf2_members[MEMPHIS_OTF2_MEMBERS];

/* References to definitions, which the events of a process contain. */
struct memphis_otf2_refs {
	const uint32_t *regions;  /* by index in the process's `regions` */
	const uint32_t *counters; /* by index in the process's `counters->metrics` */
	uint32_t samples;         /* metric class of samples */
};

/* The communicators of all events so far: identities, of which the first has number 1. */
struct memphis_otf2_comms {
	struct memphis_strings identities;
	uint64_t last; /* identity that was looked up last, and its number */
	uint32_t last_number;
	uint64_t unknown; /* events that are left out: their partner or their communicator is unknown */
	uint64_t ranks;   /* 1 + the highest partner or root of the events that are not left out */
};

struct memphis_otf2_location {
	const struct memphis_axis *axis;
	const struct memphis_selection *selection;
	const struct memphis_process *process;
	size_t index; /* index of the process, on the axis */
	struct memphis_otf2_refs refs;
	struct memphis_otf2_comms *comms;
	OTF2_EvtWriter *writer;
	/* time of the latest event on the axis; events are never earlier than those before them */
	uint64_t last_ns;
};

/* At equal times, events are in this order: messages lie in the regions of their calls. */
enum memphis_otf2_order {
	MEMPHIS_OTF2_ENTER,
	MEMPHIS_OTF2_BEGIN, /* begin of an event inside a region */
	MEMPHIS_OTF2_POINT,
	MEMPHIS_OTF2_END,
	MEMPHIS_OTF2_LEAVE
};

/* A source of events that are sorted by time. */
struct memphis_otf2_stream {
	/*
	 * Finds the next event, and sets *ns to its CLOCK_MONOTONIC, and `order`. Returns 1, 0 at the end, or a negative errno with
	 * *error set.
	 */
	int (*next)(struct memphis_otf2_stream *stream, uint64_t *ns, struct memphis_error *error);
	/* Writes the event that next() has found, at this time of the archive. */
	OTF2_ErrorCode (*put)(const struct memphis_otf2_stream *stream, struct memphis_otf2_location *to,
			      OTF2_TimeStamp time);
	enum memphis_otf2_order order;
};

/* Write all events of a thread, and of the counters that were read around the samples. Return 0 or a negative errno, with *error set. */
int memphis_otf2_write_thread(struct memphis_otf2_location *to, const struct memphis_thread *thread,
			      struct memphis_error *error);
int memphis_otf2_write_counters(struct memphis_otf2_location *to, struct memphis_error *error);

/* A process of MPI_COMM_WORLD. */
struct memphis_otf2_rank {
	const char *path; /* path of the process file */
	uint64_t rank;
	OTF2_LocationRef location; /* location of its first thread */
	uint64_t world;            /* identity of MPI_COMM_WORLD */
};

/*
 * Defines the communicators of all events: groups from number 0 on. Ranks without files are members without a location. `name` makes the
 * reference of a string. Sets *failed to the first error of the library, unless it is set already. Returns 0, or a negative errno with
 * *error set: two processes have the same rank, or a process has none.
 */
int memphis_otf2_define_comms(OTF2_GlobalDefWriter *defs, const struct memphis_otf2_comms *comms,
			      const struct memphis_otf2_rank *ranks, size_t count,
			      OTF2_StringRef (*name)(void *state, const char *text), void *state,
			      OTF2_ErrorCode *failed, struct memphis_error *error);

/* Returns 0 if the library has succeeded, else a negative errno with its message in *error. */
int memphis_otf2_check(OTF2_ErrorCode code, struct memphis_error *error);

#endif
