/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sequence of one pass of the drain, in which rings, events, regions and metadata become chunks. Used by the
 * drain only.
 */
#ifndef MEMPHIS_OUTPUT_H
#define MEMPHIS_OUTPUT_H

#include <stdbool.h>

/* Interval between two passes of the drain over rings and events, and the requests that a pass can serve. */

#define MEMPHIS_DRAIN_INTERVAL_MS 50

#define MEMPHIS_DRAIN_NOW      0x1
#define MEMPHIS_DRAIN_HOLDERS  0x2  /* search static memory for pointers to blocks */
#define MEMPHIS_DRAIN_SETTINGS 0x4  /* write the settings that change while sampling */
#define MEMPHIS_DRAIN_CLOSE    0x8  /* last pass: finish all files, end the thread */
#define MEMPHIS_DRAIN_ABANDON  0x10 /* end the thread, write nothing */
#define MEMPHIS_DRAIN_EXEC     0x20 /* record that the process executes another program */

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
