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

/* By number in the file: number in the profile. */
struct mprof_numbers {
	uint32_t *list;
	size_t count, room;
};

struct mprof_reader {
	struct mprof_input input;
	struct memphis_profile *profile;
	struct memphis_error *error;
	struct mprof_numbers strings, objects, variables, instructions, regions;
	uint32_t first_thread;           /* of this file, in the profile */
	size_t first_process;            /* likewise */
	struct memphis_heatmap *heatmap; /* the last one; NULL: none yet */
	struct memphis_heatmap no_heatmap;
	struct memphis_process *process; /* the last one; NULL: none yet */
	uint64_t metric_width_ns;        /* its */
	uint64_t bounds[MPROF_BOUNDS];
	struct memphis_profile_frame *frames; /* of one instruction */
	size_t frame_room;
	bool started, ended;
};

int mprof_no_memory(const struct mprof_reader *reader);

/* What the current record, of that kind, says as `what` can't be. -EBADMSG */
int mprof_nonsense(const struct mprof_reader *reader, const char *record, const char *what);

bool mprof_is_text(ProtobufCBinaryData bytes);

/* A malloc'ed text; NULL without memory, or with *rc where it is none. */
char *mprof_text_of(const struct mprof_reader *reader, ProtobufCBinaryData bytes, const char *record,
		    const char *what, int *rc);

/* Do all values of the table's columns stay below their bounds? 0 with the number of rows, or -EBADMSG. */
int mprof_check(struct mprof_reader *reader, const struct mprof_table *table, const ProtobufCMessage *message,
		size_t *count);

#endif
