/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers that are added up over samples. Totals, cells and hash tables all use them. */
#ifndef MEMPHIS_MEASURE_H
#define MEMPHIS_MEASURE_H

#include <stdint.h>

struct memphis_measure {
	uint64_t count;
	uint64_t accesses; /* estimated number of accesses that the samples represent (read/stands_for.h) */
	uint64_t latency_cycles, latency_max_cycles; /* sum and maximum */
	uint64_t latency_squares;                    /* sum of the squares */
	/* of samples whose variable is estimated: expected number of wrong ones, in millionths */
	uint64_t doubt_ppm;
	uint64_t low, high; /* lowest and highest data address; not set in totals (totals.h) */
};

/* Adds the numbers of `more`, which must have at least one sample. */
static inline void memphis_measure_add(struct memphis_measure *sum, const struct memphis_measure *more)
{
	if (!sum->count || more->low < sum->low)
		sum->low = more->low;
	if (!sum->count || more->high > sum->high)
		sum->high = more->high;
	if (more->latency_max_cycles > sum->latency_max_cycles)
		sum->latency_max_cycles = more->latency_max_cycles;
	sum->count += more->count;
	sum->accesses += more->accesses;
	sum->latency_cycles += more->latency_cycles;
	sum->latency_squares += more->latency_squares;
	sum->doubt_ppm += more->doubt_ppm;
}

#endif
