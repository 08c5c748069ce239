/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of loading a .mprof file, and the checks and error messages that all functions for loading records use. */
#ifndef MEMPHIS_MPROF_READER_H
#define MEMPHIS_MPROF_READER_H

#include <errno.h>

#include "base/error.h"
#include "profile/file/stream.h"
#include "profile/file/table.h"
#include "profile/heatmap.h"
#include "profile/profile.h"

/* Translates row numbers of the file to row numbers of the profile: list[number in the file] is the number in the profile. */
struct mprof_numbers {
	uint32_t *list;
	size_t count, room;
};

struct mprof_reader {
	struct mprof_input input;
	struct memphis_profile *profile;
	struct memphis_error *error;
	struct mprof_numbers strings, objects, variables, instructions, chains, regions;
	uint32_t first_thread;           /* number in the profile of the file's first thread */
	size_t first_process;            /* index in the profile of the file's first process */
	struct memphis_heatmap *heatmap; /* the last heatmap, or NULL if there was none yet */
	/* an empty heatmap, used to report an error while `heatmap` is NULL */
	struct memphis_heatmap no_heatmap;
	struct memphis_process *process;      /* the last process, or NULL if there was none yet */
	uint64_t metric_width_ns;             /* metric_width_ns of the last process */
	uint64_t bounds[MPROF_BOUNDS];        /* exclusive upper bound of each class of values */
	struct memphis_profile_frame *frames; /* buffer for the frames of one instruction */
	size_t frame_room;
	bool started, ended;
};

/* Returns -ENOMEM and sets the message in *reader->error. */
int mprof_no_memory(const struct mprof_reader *reader);

/*
 * Returns -EBADMSG, with a message in *reader->error: the field `what` of the current record has an invalid value.
 * `record` is the name of this kind of records.
 */
int mprof_nonsense(const struct mprof_reader *reader, const char *record, const char *what);

/* Returns whether the text is free of NUL bytes. */
bool mprof_is_text(ProtobufCBinaryData bytes);

/*
 * Returns a copy of the text, which the caller must free. Returns NULL and sets *rc after a failure. Also returns NULL
 * if *rc was already set.
 */
char *mprof_text_of(const struct mprof_reader *reader, ProtobufCBinaryData bytes, const char *record,
		    const char *what, int *rc);

/*
 * Checks the rows of the message with mprof_check_rows() and the reader's bounds. Returns 0 and sets *count to the
 * number of rows, or returns -EBADMSG with a message in *reader->error.
 */
int mprof_check(struct mprof_reader *reader, const struct mprof_table *table, const ProtobufCMessage *message,
		size_t *count);

#endif
