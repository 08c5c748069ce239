/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Time stamps of allocation events. A stamp is the value of the time stamp counter if the kernel itself uses
 * this counter as its clock source, otherwise a time in nanoseconds. The drain converts stamps to
 * CLOCK_MONOTONIC later. Reading the counter takes a third of the time of clock_gettime().
 */
#ifndef MEMPHIS_CLOCK_H
#define MEMPHIS_CLOCK_H

#include "base/sys.h"

/* 1: stamps are values of the time stamp counter. 0: stamps are nanoseconds of CLOCK_MONOTONIC. */
extern INTERNAL int memphis_clock_counts;

/* Sets memphis_clock_counts. Must first be called while the process has one thread. Later calls have no effect. */
void memphis_clock_setup(void);

/*
 * Returns a stamp that is earlier than the moment at which later stores of the caller become visible to other
 * threads. The reason: the counter is read before the stores retire, and x86 makes stores visible in program
 * order. But the counter may be read before preceding loads, because RDTSC does not wait for them.
 */
static inline __u64 stamp_now(void)
{
	return likely(memphis_clock_counts) ? __builtin_ia32_rdtsc() : now_ns();
}

/* Returns a stamp that is also later than all preceding loads, because RDTSCP waits for them. It takes twice the time. */
static inline __u64 stamp_after(void)
{
	unsigned int cpu;

	return likely(memphis_clock_counts) ? __builtin_ia32_rdtscp(&cpu) : now_ns();
}

/*
 * Called by the drain. Reads both clocks and records the pair. Returns the stamp of the pair. Stamps up to
 * this one can be converted.
 */
__u64 memphis_clock_take_mark(void);

/* Called by the drain. Converts a stamp to CLOCK_MONOTONIC time in ns. The result is monotonic in `stamp`. */
__u64 memphis_clock_ns(__u64 stamp);

/* Called by the drain. Converts a difference of stamps to nanoseconds. Uses the mean rate of the counter up to the last mark. */
__u64 memphis_clock_duration_ns(__u64 stamps);

#endif
