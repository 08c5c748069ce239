/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of a recording as one sequence of records: one file, or a directory with one for each of perf's own threads. */
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

/* Returns whether the path is that of a recording. */
bool memphis_perfdata_parts_are(const char *path);

/* Opens all files, and reads the header. Returns 0, or a negative errno with a message in *error; the parts must be closed in both cases. */
int memphis_perfdata_parts_open(struct memphis_perfdata_parts *parts, struct memphis_perfdata_header *header,
				const char *path, struct memphis_error *error);
void memphis_perfdata_parts_close(struct memphis_perfdata_parts *parts);

/* Returns whether perf was killed, or one of the parts that are read is cut. */
bool memphis_perfdata_parts_unfinished(const struct memphis_perfdata_parts *parts);

/* Finds the next record of all parts. Returns 1, 0 at the end, or a negative errno with a message in *error. */
int memphis_perfdata_parts_next(struct memphis_perfdata_parts *parts, struct memphis_perfdata_record *record,
				struct memphis_error *error);

#endif
