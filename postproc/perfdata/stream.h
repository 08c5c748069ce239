/* SPDX-License-Identifier: BSD-3-Clause */
/* The records of a perf.data file in the order of their times, and what its header says. */
#ifndef MEMPHIS_PERFDATA_STREAM_H
#define MEMPHIS_PERFDATA_STREAM_H

#include "perfdata/events.h"
#include "perfdata/inflate.h"
#include "perfdata/input.h"
#include "perfdata/origin.h"

/* What all files of a recording have in common. */
struct memphis_perfdata_header {
	struct memphis_perfdata_events events;
	struct memphis_perfdata_origin origin;
};

/* A record that waits for earlier ones. */
struct memphis_perfdata_waiting {
	uint64_t time_ns;
	size_t offset; /* in `bytes` of its queue */
};

struct memphis_perfdata_queue {
	struct memphis_perfdata_waiting *list; /* from `next` to `ready` sorted and to be delivered */
	size_t count, room, next, ready;
	uint8_t *bytes, *spare;
	size_t byte_count, byte_room, spare_room;
	uint64_t latest_ns, round_ns; /* latest time, and that of the round before */
};

struct memphis_perfdata_stream {
	struct memphis_perfdata_input input;
	struct memphis_perfdata_inflater inflater;
	struct memphis_perfdata_header *header;
	struct memphis_perfdata_queue queue;
	bool ended; /* all records are in the queue */
};

struct memphis_perfdata_record {
	const struct perf_event_header *header; /* valid until the next call */
	struct memphis_perfdata_event *event;   /* NULL: unknown */
	uint64_t time_ns;                       /* 0: none */
	uint32_t cpu;                           /* by the id of the record, or MEMPHIS_PERFDATA_NO_CPU */
};

/* Returns whether the file begins as one of perf's. */
bool memphis_perfdata_stream_is(const char *path);

/* Opens the file, and reads its header. Returns 0, or a negative errno with a message in *error; after a failure there is nothing to close. */
int memphis_perfdata_stream_open(struct memphis_perfdata_stream *stream,
				 struct memphis_perfdata_header *header, const char *path,
				 struct memphis_error *error);

/* Opens a file that has records only, of which the header is in another one; `may_be_cut`: perf was killed. Returns as memphis_perfdata_stream_open() does. */
int memphis_perfdata_stream_open_part(struct memphis_perfdata_stream *stream,
				      struct memphis_perfdata_header *header, const char *path,
				      bool may_be_cut, struct memphis_error *error);
void memphis_perfdata_stream_close(struct memphis_perfdata_stream *stream);
void memphis_perfdata_header_close(struct memphis_perfdata_header *header);

/* Finds the next record of the kernel. Returns 1, 0 at the end, or a negative errno with a message in *error. */
int memphis_perfdata_stream_next(struct memphis_perfdata_stream *stream,
				 struct memphis_perfdata_record *record, struct memphis_error *error);

#endif
