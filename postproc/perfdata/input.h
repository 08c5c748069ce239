/* SPDX-License-Identifier: BSD-3-Clause */
/* The bytes of a file of perf's, as a sequence of records, and at given places. Each record is checked against its size and the end of the file. */
#ifndef MEMPHIS_PERFDATA_INPUT_H
#define MEMPHIS_PERFDATA_INPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "perfdata/perf_format.h"

struct memphis_perfdata_input {
	char *path;
	int fd;
	uint64_t bytes, changed_ns;
	uint64_t offset, end; /* of the next record, and of the last one */
	bool may_be_cut;      /* it does not say where it ends: a stream, or perf was killed */
	bool unfinished;      /* perf was killed, or the last record is cut */
	uint8_t *window;      /* bytes of the file from `window_offset` on */
	size_t window_room, window_bytes;
	uint8_t *aligned; /* a copy of the record, if it is at an odd place */
	size_t aligned_room;
	uint64_t window_offset;
};

/* Opens the file. Returns 0, or a negative errno with a message in *error; after a failure there is nothing to close. */
int memphis_perfdata_input_open(struct memphis_perfdata_input *input, const char *path,
				struct memphis_error *error);
void memphis_perfdata_input_close(struct memphis_perfdata_input *input);

/* Reads the bytes at `offset`, all of which must be in the file. Returns 0, or a negative errno with a message that says what they are. */
int memphis_perfdata_input_read(const struct memphis_perfdata_input *input, void *to, size_t bytes,
				uint64_t offset, const char *what, struct memphis_error *error);

/* Makes the records of the section the next ones. Returns 0, or -EBADMSG with a message in *error. */
int memphis_perfdata_input_begin(struct memphis_perfdata_input *input,
				 struct memphis_perfdata_section records, struct memphis_error *error);

/*
 * Finds the next record, which is valid until the next call. Returns 1, 0 at the end, or a negative errno with a message in *error. Data that follow
 * a record, of AUXTRACE and TRACING_DATA, are skipped.
 */
int memphis_perfdata_input_next(struct memphis_perfdata_input *input, const struct perf_event_header **record,
				struct memphis_error *error);

/* Ends the records, of which the last one is cut. Returns 0 if that may be, or -EBADMSG with a message in *error that says what is wrong. */
int memphis_perfdata_input_cut(struct memphis_perfdata_input *input, const char *what,
			       struct memphis_error *error);

/* Stores a message about the damage at this offset, and returns -EBADMSG. */
int memphis_perfdata_input_damaged(const struct memphis_perfdata_input *input, uint64_t offset,
				   const char *what, struct memphis_error *error);

#endif
