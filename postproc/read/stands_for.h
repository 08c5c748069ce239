/* SPDX-License-Identifier: BSD-3-Clause */
/* How many accesses of the program a sample stands for, which is not quite the period (docs/hardware.md). */
#ifndef MEMPHIS_STANDS_FOR_H
#define MEMPHIS_STANDS_FOR_H

#include "read/process.h"

struct memphis_stands_for {
	uint64_t accesses; /* as far as is known; 0 if the period counts cycles, or is not known */
	double low, high;  /* limits of what it may be */
};

/* Returns what a sample of the process with these settings stands for. */
struct memphis_stands_for memphis_stands_for(const struct memphis_settings *settings);

#endif
