/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads a perf file as a sequence of records, or at given offsets. Checks each record against its size and
 * the end of the file.
 */
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
	uint64_t offset, end; /* offset of the next record, and end of the last record */
	/* The file does not tell where it should end: it is a stream, or perf was killed. */
	bool may_be_cut;
	bool unfinished; /* perf was killed, or the file ends inside its last record */
	uint8_t *window; /* bytes of the file from `window_offset` on */
	size_t window_room, window_bytes;
	uint8_t *aligned; /* copy of the record if its address in the window is not aligned */
	size_t aligned_room;
	uint64_t window_offset;
};

/* Opens the file. Returns 0, or a negative errno with a message in *error. After a failure, there is nothing to close. */
int memphis_perfdata_input_open(struct memphis_perfdata_input *input, const char *path,
				struct memphis_error *error);
void memphis_perfdata_input_close(struct memphis_perfdata_input *input);

/*
 * Reads `bytes` bytes at `offset`. Returns 0, or a negative errno with a message in *error if the file does
 * not contain all of them. `what` names them in the message.
 */
int memphis_perfdata_input_read(const struct memphis_perfdata_input *input, void *to, size_t bytes,
				uint64_t offset, const char *what, struct memphis_error *error);

/* Sets the section whose records are read next. Returns 0, or -EBADMSG with a message in *error. */
int memphis_perfdata_input_begin(struct memphis_perfdata_input *input,
				 struct memphis_perfdata_section records, struct memphis_error *error);

/*
 * Finds the next record, which is valid until the next call. Skips the data that follow AUXTRACE and
 * TRACING_DATA records. Returns 1, 0 at the end, or a negative errno with a message in *error.
 */
int memphis_perfdata_input_next(struct memphis_perfdata_input *input, const struct perf_event_header **record,
				struct memphis_error *error);

/*
 * Ends the reading at an incomplete last record. Returns 0 if the file may be cut there, otherwise -EBADMSG
 * with a message in *error. `what` describes the problem.
 */
int memphis_perfdata_input_cut(struct memphis_perfdata_input *input, const char *what,
			       struct memphis_error *error);

/* Stores a message about damage at this offset. Returns -EBADMSG. */
int memphis_perfdata_input_damaged(const struct memphis_perfdata_input *input, uint64_t offset,
				   const char *what, struct memphis_error *error);

#endif
