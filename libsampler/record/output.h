/* SPDX-License-Identifier: BSD-3-Clause */
/* What one pass of the drain does: rings, events, regions and metadata become chunks. Run by the drain alone. */
#ifndef MEMPHIS_OUTPUT_H
#define MEMPHIS_OUTPUT_H

#include "base/sys.h"

#define MEMPHIS_DRAIN_INTERVAL_MS 50

/* What a pass does besides. */
#define MEMPHIS_DRAIN_NOW      0x1
#define MEMPHIS_DRAIN_HOLDERS  0x2  /* search static memory for addresses of blocks */
#define MEMPHIS_DRAIN_SETTINGS 0x4  /* bring the changeable settings up to date */
#define MEMPHIS_DRAIN_CLOSE    0x8  /* last pass: end all files, end the thread */
#define MEMPHIS_DRAIN_ABANDON  0x10 /* end the thread, write nothing */
#define MEMPHIS_DRAIN_EXEC     0x20 /* note that another program takes over */

/* Get memory, before the first pass. 0 or -ENOMEM. */
int memphis_output_open(void);
/* Make the files that were deferred. 0; -EAGAIN during an exec; or -errno after memphis_session_fail(). */
int memphis_output_begin(void);
/* `what`: MEMPHIS_DRAIN_* */
void memphis_output_pass(unsigned int what);
void memphis_output_holders(void);
/* After the last pass: end every file. */
void memphis_output_close(void);

/* In the child of a fork, behind all else that looks at the parent's files: its drain may have been writing one. */
void memphis_output_forked(bool past_handlers);

/* Guesses for others: how many blocks came to life so far, and is there an event not yet seen? */
__u64 memphis_output_block_changes(void);

/* Anyone, of a session that does not watch another process: have objects come or gone since the last list of maps? */
int memphis_output_lacks_maps(void);
int memphis_output_events_waiting(void);

#endif
