/* SPDX-License-Identifier: BSD-3-Clause */
/* Transfer of a thread's samples and accounting from its ring to its file. Used by the drain only. */
#ifndef MEMPHIS_RING_H
#define MEMPHIS_RING_H

#include "core/thread.h"

/* Takes a snapshot of the ring's head and of the accounting, and records the data addresses of the samples up to that head. */
void memphis_ring_take_snapshot(struct memphis_thread_record *thread);

/*
 * Writes the samples and the accounting of the snapshot. If there are only a few samples, leaves them in the
 * ring until there are more, unless `final` is set.
 */
void memphis_ring_write_samples(struct memphis_thread_record *thread, int final);

#endif
