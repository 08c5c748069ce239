/* SPDX-License-Identifier: BSD-3-Clause */
/* The number of accesses of the program that a sample stands for, which is not quite the period (docs/hardware.md). */
#ifndef MEMPHIS_STANDS_FOR_H
#define MEMPHIS_STANDS_FOR_H

#include "read/process.h"

struct memphis_stands_for {
	uint64_t accesses; /* best estimate of the number; 0 if the period counts cycles, or is not known */
	double low, high;  /* limits of the number */
};

/* Returns how many accesses a sample of a process with these settings stands for. */
struct memphis_stands_for memphis_stands_for(const struct memphis_settings *settings);

#endif
