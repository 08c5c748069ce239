/* SPDX-License-Identifier: BSD-3-Clause */
/* The sampling period: the number of accesses of the program that a sample stands for, which is not quite the period (docs/hardware.md). */
#ifndef MEMPHIS_STANDS_FOR_H
#define MEMPHIS_STANDS_FOR_H

#include "base/text.h"
#include "read/process.h"

struct memphis_stands_for {
	uint64_t accesses; /* best estimate of the number; 0 if the period counts cycles, or is not known */
	double low, high;  /* limits of the number */
};

/* Returns how many accesses a sample of a process with these settings stands for. */
struct memphis_stands_for memphis_stands_for(const struct memphis_settings *settings);

/*
 * Appends how a process with these settings gets `times` as many samples: "sample 4 times as often (--period 2048) or as long", or, where the machine has no
 * period as short, "sample with --period 4096, the shortest here, and run 2 times as long".
 */
void memphis_put_more_samples(const struct memphis_settings *settings, uint64_t times,
			      struct memphis_text *text);

#endif
