/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of loading a .mprof file, and the checks and messages that all loaders of records share. */
#ifndef MEMPHIS_MPROF_READER_H
#define MEMPHIS_MPROF_READER_H

#include <errno.h>

#include "base/error.h"
#include "profile/file/stream.h"
#include "profile/file/table.h"
#include "profile/heatmap.h"
#include "profile/profile.h"

/* By row number in the file: the row number in the profile. */
struct mprof_numbers {
	uint32_t *list;
	size_t count, room;
};

struct mprof_reader {
	struct mprof_input input;
	struct memphis_profile *profile;
	struct memphis_error *error;
	struct mprof_numbers strings, objects, variables, instructions, regions;
	uint32_t first_thread;                /* number in the profile of the file's first thread */
	size_t first_process;                 /* index in the profile of the file's first process */
	struct memphis_heatmap *heatmap;      /* the last heatmap; NULL: none yet */
	struct memphis_heatmap no_heatmap;    /* stands in for it until load_rows() has reported the error */
	struct memphis_process *process;      /* the last process; NULL: none yet */
	uint64_t metric_width_ns;             /* of the last process */
	uint64_t bounds[MPROF_BOUNDS];        /* exclusive */
	struct memphis_profile_frame *frames; /* buffer for the frames of one instruction */
	size_t frame_room;
	bool started, ended;
};

/* Reports -ENOMEM, with a message in *reader->error. */
int mprof_no_memory(const struct mprof_reader *reader);

/* Reports -EBADMSG: the value of the field `what` in the current record, of the kind `record`, is invalid. */
int mprof_nonsense(const struct mprof_reader *reader, const char *record, const char *what);

/* Does the text contain no NUL? */
bool mprof_is_text(ProtobufCBinaryData bytes);

/* The text, malloc'ed. NULL with *rc on failure, and if *rc was set before. */
char *mprof_text_of(const struct mprof_reader *reader, ProtobufCBinaryData bytes, const char *record,
		    const char *what, int *rc);

/* mprof_check_rows() with the reader's bounds and its message. 0 with the number of rows, or -EBADMSG. */
int mprof_check(struct mprof_reader *reader, const struct mprof_table *table, const ProtobufCMessage *message,
		size_t *count);

#endif
