/* SPDX-License-Identifier: BSD-3-Clause */
/* The order of one pass of the drain, in which rings, events, regions and metadata become chunks. For the drain alone. */
#ifndef MEMPHIS_OUTPUT_H
#define MEMPHIS_OUTPUT_H

#include <stdbool.h>

#include "record/pass.h"

/* Allocate memory, and write the first metadata if files are not deferred. 0 or -ENOMEM. */
int memphis_output_open(void);
/* Create deferred files. 0; -EAGAIN during an exec; or -errno after memphis_session_fail(). */
int memphis_output_begin(void);
/* Make one pass. `what`: MEMPHIS_DRAIN_* */
void memphis_output_pass(unsigned int what);
/* After the last pass: finish every file. */
void memphis_output_close(void);

/* In the child of a fork, after all that uses the parent's files. `past_handlers`: the drain may have been writing one. */
void memphis_output_forked(bool past_handlers);

#endif
