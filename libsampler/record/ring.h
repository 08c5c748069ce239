/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread's ring: samples and accounting on their way to the thread's file. Used by the drain alone. */
#ifndef MEMPHIS_RING_H
#define MEMPHIS_RING_H

#include "core/thread.h"

/* Take a snapshot of the ring's head and of the accounting, and note at which addresses the samples up to it fell. */
void memphis_ring_look(struct memphis_thread *thread);

/* Write the samples and the accounting of the snapshot, unless few can wait for more (`final`: they can't). */
void memphis_ring_write(struct memphis_thread *thread, int final);

#endif
