/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes the events of one location of an OTF2 archive. The events of a thread come from three streams, which
 * are merged by time: the spans of its calipers, its messages, and its samples. All communicators have the
 * ranks of MPI_COMM_WORLD, because the members of other communicators are not recorded.
 */
#ifndef MEMPHIS_OTF2_EVENTS_H
#define MEMPHIS_OTF2_EVENTS_H

#include <otf2/otf2.h>

#include "base/pool.h"
#include "export/axis.h"
#include "profile/selection.h"

/* A value of each sample that is exported as a metric, of type OTF2_TYPE_INT64. */
struct memphis_otf2_member {
	const char *name, *description, *unit;
};

#define MEMPHIS_OTF2_MEMBERS 5
extern const struct memphis_otf2_member memphis_otf2_members[MEMPHIS_OTF2_MEMBERS];

/* References to definitions that the events of a process use. */
struct memphis_otf2_refs {
	const uint32_t *regions;  /* indexed as the process's `regions` */
	const uint32_t *counters; /* indexed as the process's `counters->metrics` */
	uint32_t samples;         /* metric class of samples */
};

/* The communicators of all events so far. */
struct memphis_otf2_comms {
	struct memphis_strings identities;
	uint64_t last; /* communicator that was looked up last; last_number is its number */
	uint32_t last_number;
	/* number of events that are left out because their partner or communicator is unknown */
	uint64_t unknown;
	uint64_t ranks; /* 1 + the highest rank that is the partner or root of an exported event */
};

struct memphis_otf2_location {
	const struct memphis_axis *axis;
	const struct memphis_selection *selection;
	const struct memphis_process *process;
	size_t index; /* index of the process in the profile and on the axis */
	struct memphis_otf2_refs refs;
	struct memphis_otf2_comms *comms;
	OTF2_EvtWriter *writer;
	/* time of the latest event on the axis; no event may be earlier than the one before it */
	uint64_t last_ns;
};

/* Order of events at the same time. Messages must lie inside the region of their call. */
enum memphis_otf2_order {
	MEMPHIS_OTF2_ENTER,
	MEMPHIS_OTF2_BEGIN, /* begin of an operation inside a region */
	MEMPHIS_OTF2_POINT,
	MEMPHIS_OTF2_END,
	MEMPHIS_OTF2_LEAVE
};

/* A source of events, sorted by time. */
struct memphis_otf2_stream {
	/*
	 * Finds the next event. Sets *ns to its time (CLOCK_MONOTONIC), and `order`. Returns 1, 0 at the end,
	 * or a negative errno with a message in *error.
	 */
	int (*next)(struct memphis_otf2_stream *stream, uint64_t *ns, struct memphis_error *error);
	/* Writes the event that next() has found, with the time `time` on the axis. */
	OTF2_ErrorCode (*put)(const struct memphis_otf2_stream *stream, struct memphis_otf2_location *to,
			      OTF2_TimeStamp time);
	enum memphis_otf2_order order;
};

/*
 * Write all events of a thread, and all readings of the process's counters. Return 0, or a negative errno
 * with a message in *error.
 */
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
 * Defines the communicators of all events, and their groups, which have the numbers from 0 on. Ranks without files are
 * members without a location. The callback
 * `name` defines a string and returns its reference. Sets *failed to the first error of OTF2, unless it is
 * already set. Returns 0, or a negative errno with a message in *error, for instance if two processes have
 * the same rank.
 */
int memphis_otf2_define_comms(OTF2_GlobalDefWriter *defs, const struct memphis_otf2_comms *comms,
			      const struct memphis_otf2_rank *ranks, size_t count,
			      OTF2_StringRef (*name)(void *state, const char *text), void *state,
			      OTF2_ErrorCode *failed, struct memphis_error *error);

/* Returns 0 if `code` is success. Otherwise, returns a negative errno with OTF2's message in *error. */
int memphis_otf2_check(OTF2_ErrorCode code, struct memphis_error *error);

#endif
