/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stamps for allocation events: the processor's time stamp counter where the kernel itself trusts it, turned into
 * CLOCK_MONOTONIC later, by the drain; a third of the cost of asking the clock each time.
 */
#ifndef MEMPHIS_CLOCK_H
#define MEMPHIS_CLOCK_H

#include "base/sys.h"

/* 1: stamps are counts of the time stamp counter. 0: they are nanoseconds already. */
extern int memphis_clock_counts;

/* Decide. Once, while the process has one thread. */
void memphis_clock_setup(void);

/*
 * A stamp before something becomes visible to other threads: stores leave the processor in order, after the
 * counter was read.
 */
static inline __u64 stamp_before(void)
{
	return likely(memphis_clock_counts) ? __builtin_ia32_rdtsc() : now_ns();
}

/* A stamp after something that other threads did was seen: waits for all loads before it. */
static inline __u64 stamp_after(void)
{
	unsigned int cpu;

	return likely(memphis_clock_counts) ? __builtin_ia32_rdtscp(&cpu) : now_ns();
}

/* The drain: note what stamp belongs to what time just now; returns the stamp. Stamps up to it can be converted. */
__u64 memphis_clock_mark(void);

/* The drain: CLOCK_MONOTONIC of a stamp, never falling with rising stamps. */
__u64 memphis_clock_ns(__u64 stamp);

#endif
