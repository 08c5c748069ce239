/* SPDX-License-Identifier: BSD-3-Clause */
/* The state while loading a .mprof file, and the checks and error messages shared by all record loaders. */
#ifndef MEMPHIS_MPROF_READER_H
#define MEMPHIS_MPROF_READER_H

#include <errno.h>

#include "base/error.h"
#include "profile/file/stream.h"
#include "profile/file/table.h"
#include "profile/heatmap.h"
#include "profile/profile.h"

/* Translates row numbers in the file, which are the indexes, to row numbers in the profile. */
struct mprof_numbers {
	uint32_t *list;
	size_t count, room;
};

struct mprof_reader {
	struct mprof_input input;
	struct memphis_profile *profile;
	struct memphis_error *error;
	struct mprof_numbers strings, objects, variables, instructions, chains, regions;
	uint32_t first_thread;                /* number in the profile of the first thread in the file */
	size_t first_process;                 /* index in the profile of the first process in the file */
	struct memphis_heatmap *heatmap;      /* the last heatmap; NULL if there was none yet */
	struct memphis_heatmap no_heatmap;    /* empty; used while `heatmap` is NULL, to report an error */
	struct memphis_process *process;      /* the last process; NULL if there was none yet */
	uint64_t metric_width_ns;             /* of the last process */
	uint64_t bounds[MPROF_BOUNDS];        /* exclusive upper bounds of values */
	struct memphis_profile_frame *frames; /* buffer for the frames of one instruction */
	size_t frame_room;
	bool started, ended;
};

/* Returns -ENOMEM and sets the message in *reader->error. */
int mprof_no_memory(const struct mprof_reader *reader);

/* Returns -EBADMSG and sets the message: the field `what` of the current record, which is of the kind `record`, has an invalid value. */
int mprof_nonsense(const struct mprof_reader *reader, const char *record, const char *what);

/* Returns whether the text is free of NUL bytes. */
bool mprof_is_text(ProtobufCBinaryData bytes);

/* Returns a malloc'ed copy of the text. On failure, or if *rc was already set, returns NULL with the error in *rc. */
char *mprof_text_of(const struct mprof_reader *reader, ProtobufCBinaryData bytes, const char *record,
		    const char *what, int *rc);

/*
 * Calls mprof_check_rows() with the reader's bounds. Returns 0 and sets *count to the number of rows, or returns -EBADMSG with a message.
 */
int mprof_check(struct mprof_reader *reader, const struct mprof_table *table, const ProtobufCMessage *message,
		size_t *count);

#endif
