/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts the samples of a chunk by node, and remembers remote loads. */
#ifndef MEMPHIS_TOP_SAMPLES_H
#define MEMPHIS_TOP_SAMPLES_H

#include "top/live.h"

/* Returns 0 or -ENOMEM. */
int memphis_samples_count(struct memphis_live *live, struct memphis_live_process *process,
			  const struct memphis_chunk_view *chunk);

#endif
