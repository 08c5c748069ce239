/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the header and the records of a perf.data file. Delivers the records in the order of their times. */
#ifndef MEMPHIS_PERFDATA_STREAM_H
#define MEMPHIS_PERFDATA_STREAM_H

#include "perfdata/events.h"
#include "perfdata/inflate.h"
#include "perfdata/input.h"
#include "perfdata/origin.h"

/* Data that all files of a recording share. */
struct memphis_perfdata_header {
	struct memphis_perfdata_events events;
	struct memphis_perfdata_origin origin;
};

/* A record that waits in the queue until all earlier records have been read. */
struct memphis_perfdata_waiting {
	uint64_t time_ns;
	size_t offset; /* offset in `bytes` of the queue */
};

struct memphis_perfdata_queue {
	/* Sorted from `next` to `ready`. These records can be delivered. */
	struct memphis_perfdata_waiting *list;
	size_t count, room, next, ready;
	uint8_t *bytes, *spare;
	size_t byte_count, byte_room, spare_room;
	/* Latest time so far, and latest time at the end of the previous round. */
	uint64_t latest_ns, round_ns;
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
	struct memphis_perfdata_event *event;   /* NULL if unknown */
	uint64_t time_ns;                       /* 0 if the record has none */
	/* CPU to which the record's id belongs, or MEMPHIS_PERFDATA_NO_CPU. */
	uint32_t cpu;
};

/* Returns true if the file begins with the magic number of perf. */
bool memphis_perfdata_stream_is(const char *path);

/*
 * Opens the file, and reads its header. Returns 0, or a negative errno with a message in *error. After a
 * failure, there is nothing to close.
 */
int memphis_perfdata_stream_open(struct memphis_perfdata_stream *stream,
				 struct memphis_perfdata_header *header, const char *path,
				 struct memphis_error *error);

/*
 * Opens a file that contains only records. The header comes from another file. `may_be_cut` is true if perf
 * was killed. Returns the same values as memphis_perfdata_stream_open().
 */
int memphis_perfdata_stream_open_part(struct memphis_perfdata_stream *stream,
				      struct memphis_perfdata_header *header, const char *path,
				      bool may_be_cut, struct memphis_error *error);
void memphis_perfdata_stream_close(struct memphis_perfdata_stream *stream);
void memphis_perfdata_header_close(struct memphis_perfdata_header *header);

/* Finds the next record of the kernel. Returns 1, 0 at the end, or a negative errno with a message in *error. */
int memphis_perfdata_stream_next(struct memphis_perfdata_stream *stream,
				 struct memphis_perfdata_record *record, struct memphis_error *error);

#endif
