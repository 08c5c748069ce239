/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads a recording as one sequence of records. A recording is a single file, or a directory with a file for
 * each thread of perf.
 */
#ifndef MEMPHIS_PERFDATA_PARTS_H
#define MEMPHIS_PERFDATA_PARTS_H

#include "perfdata/stream.h"

struct memphis_perfdata_part {
	struct memphis_perfdata_stream stream;
	struct memphis_perfdata_record next;
	bool has_next, ended;
};

struct memphis_perfdata_parts {
	struct memphis_perfdata_part *list;
	size_t count, room;
};

/* Returns true if the path is a recording of perf. */
bool memphis_perfdata_parts_are(const char *path);

/*
 * Opens all files of the recording, and reads the header. Returns 0, or a negative errno with a message in
 * *error. The caller must close the parts in both cases.
 */
int memphis_perfdata_parts_open(struct memphis_perfdata_parts *parts, struct memphis_perfdata_header *header,
				const char *path, struct memphis_error *error);
void memphis_perfdata_parts_close(struct memphis_perfdata_parts *parts);

/* Returns true if perf was killed, or if a file ends inside a record. */
bool memphis_perfdata_parts_unfinished(const struct memphis_perfdata_parts *parts);

/* Returns true if perf did not write the end of its compressed records to one of the files. */
bool memphis_perfdata_parts_end_lost(const struct memphis_perfdata_parts *parts);

/* Finds the next record of all parts. Returns 1, 0 at the end, or a negative errno with a message in *error. */
int memphis_perfdata_parts_next(struct memphis_perfdata_parts *parts,
				const struct memphis_perfdata_record **record, struct memphis_error *error);

#endif
