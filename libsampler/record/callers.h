/* SPDX-License-Identifier: BSD-3-Clause */
/* Callers of samples in libraries, from the copies of the user's stack. Used by the drain only. */
#ifndef MEMPHIS_CALLERS_H
#define MEMPHIS_CALLERS_H

#include "core/thread.h"

#define MEMPHIS_CALLERS_SAMPLES_MAX 8192u /* per call */

/*
 * Writes chunks CHAINS and CALLERS for the `count` samples of the thread's last SAMPLES chunk, which begin at number `first` of
 * its ring, and gives their stacks back.
 */
void memphis_callers_write(struct memphis_thread_record *thread, __u64 first, __u32 count);

/* Returns true if the thread's ring of stacks is half full or more. */
bool memphis_callers_are_due(const struct memphis_thread_record *thread);

/* Gives back the stacks of the samples before number `end`. */
void memphis_callers_skip(struct memphis_thread_record *thread, __u64 end);

#endif
