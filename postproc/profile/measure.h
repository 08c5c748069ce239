/* SPDX-License-Identifier: BSD-3-Clause */
/* The numbers that are summed over samples, whatever the samples are grouped by. */
#ifndef MEMPHIS_MEASURE_H
#define MEMPHIS_MEASURE_H

#include <stdint.h>

struct memphis_measure {
	uint64_t count;
	uint64_t accesses; /* estimate: what the samples stand for (read/stands_for.h) */
	uint64_t latency_cycles, latency_max_cycles; /* sum and maximum */
	uint64_t latency_squares;                    /* sum of the squares */
	uint64_t doubt_ppm; /* of estimated variables: expected number of wrong samples, in millionths */
	uint64_t low, high; /* lowest and highest data address; not of totals (totals.h) */
};

/* Adds the numbers of `more`, whose count must not be 0. */
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
