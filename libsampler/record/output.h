/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sequence of one pass of the drain, in which rings, events, regions and metadata become chunks. Used by the
 * drain only.
 */
#ifndef MEMPHIS_OUTPUT_H
#define MEMPHIS_OUTPUT_H

#include <stdbool.h>

#include "record/pass.h"

/* Allocates memory, and writes the first metadata. Returns 0 or -ENOMEM. */
int memphis_output_open(void);
/* Makes one pass. `what`: MEMPHIS_DRAIN_*. */
void memphis_output_pass(unsigned int what);
/* Finishes all files, after the last pass. */
void memphis_output_close(void);

/*
 * Fork handler of the child, called after all code that uses the parent's files. `past_handlers`: the fork
 * bypassed the fork handlers, so the drain may have been writing a file.
 */
void memphis_output_forked(bool past_handlers);

#endif
