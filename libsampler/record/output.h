/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sequence of one pass of the drain. A pass converts the new contents of rings, events, regions and
 * metadata to chunks. Used by the drain only.
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
 * Fork handler of the child. Must be called after all code that uses the parent's files. `past_handlers`: the
 * fork bypassed the fork handlers, so the drain may have been writing a file.
 */
void memphis_output_forked(bool past_handlers);

#endif
