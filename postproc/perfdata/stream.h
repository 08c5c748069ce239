/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the header and the records of a perf.data file. Delivers the records in the order of their times. */
#ifndef MEMPHIS_PERFDATA_STREAM_H
#define MEMPHIS_PERFDATA_STREAM_H

#include "perfdata/inflate.h"
#include "perfdata/input.h"
#include "perfdata/origin.h"
#include "perfdata/queue.h"

/* Data that all files of a recording share. */
struct memphis_perfdata_header {
	struct memphis_perfdata_events events;
	struct memphis_perfdata_origin origin;
};

struct memphis_perfdata_stream {
	struct memphis_perfdata_input input;
	struct memphis_perfdata_inflater inflater;
	struct memphis_perfdata_header *header;
	struct memphis_perfdata_queue queue;
	bool ended;    /* all records are in the queue */
	bool end_lost; /* perf did not write the end of its compressed records */
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
