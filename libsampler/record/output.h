/* SPDX-License-Identifier: BSD-3-Clause */
/* What one pass of the drain does: rings, events, regions and metadata become chunks. Run by the drain alone. */
#ifndef MEMPHIS_OUTPUT_H
#define MEMPHIS_OUTPUT_H

#include <stdbool.h>

#include "record/pass.h"

/* Get memory, before the first pass. 0 or -ENOMEM. */
int memphis_output_open(void);
/* Make the files that were deferred. 0; -EAGAIN during an exec; or -errno after memphis_session_fail(). */
int memphis_output_begin(void);
/* `what`: MEMPHIS_DRAIN_* */
void memphis_output_pass(unsigned int what);
/* After the last pass: end every file. */
void memphis_output_close(void);

/* In the child of a fork, behind all else that looks at the parent's files: its drain may have been writing one. */
void memphis_output_forked(bool past_handlers);

#endif
