/* SPDX-License-Identifier: BSD-3-Clause */
/* What was read around the samples of a process, in a .mprof file. */
#ifndef MEMPHIS_MPROF_CONTEXT_H
#define MEMPHIS_MPROF_CONTEXT_H

#include "profile/file/stream.h"

struct memphis_context;

/* A record for each metric; none for NULL. 0 or a negative errno with *error. */
int mprof_put_context(struct mprof_output *output, const struct memphis_context *context,
		      struct memphis_error *error);

#endif
