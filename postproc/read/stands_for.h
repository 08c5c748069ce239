/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Computes the number of accesses of the program that one sample represents. It differs slightly from the
 * sampling period (docs/hardware.md).
 */
#ifndef MEMPHIS_STANDS_FOR_H
#define MEMPHIS_STANDS_FOR_H

#include "base/text.h"
#include "read/process.h"

struct memphis_stands_for {
	uint64_t accesses; /* best estimate of the number; 0 if the period counts cycles or is unknown */
	double low, high;  /* lower and upper limit of the number */
};

/* Returns how many accesses one sample represents in a process with these settings. */
struct memphis_stands_for memphis_stands_for(const struct memphis_settings *settings);

/*
 * Appends advice on how to get `times` as many samples in a process with these settings: "sample 4 times as
 * often (--period 2048) or as long". If the machine does not allow so short a period: "sample with --period
 * 4096, the shortest here, and run 2 times as long".
 */
void memphis_put_more_samples(const struct memphis_settings *settings, uint64_t times,
			      struct memphis_text *text);

#endif
