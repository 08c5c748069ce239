/* SPDX-License-Identifier: BSD-3-Clause */
/* Chunk with the calls and times of a thread's regions. Used by the drain only. */
#ifndef MEMPHIS_REGION_TIMES_CHUNK_H
#define MEMPHIS_REGION_TIMES_CHUNK_H

#include "core/thread.h"

/*
 * Writes the numbers that have changed since the last call, if it is time or `now`. The regions must be in the process file before.
 * `ended`: the thread has ended.
 */
void memphis_region_times_chunk(struct memphis_thread *thread, bool ended, bool now);

#endif
