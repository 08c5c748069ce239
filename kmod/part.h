/* SPDX-License-Identifier: GPL-2.0-only */
/* The CPU in the kernel's log: what of it is sampled, or why it can't be, with its name. All is called at module load. */
#ifndef MEMPHIS_PART_H
#define MEMPHIS_PART_H

#include "decode/obstacle.h"

/**
 * memphis_part() - returns the part as CPUID describes it
 */
struct memphis_cpu_part memphis_part(void);

/**
 * memphis_part_announce() - logs one line with the part and what memphis_pmu offers of it
 */
void memphis_part_announce(void);

/**
 * memphis_part_refuse() - logs one line that names the part, what is missing, and what helps
 * @pebs_error: on an Intel CPU, perf's error (negative) of an event of load latency; 0 if perf creates it, but does not recognise
 * it, or if none was tried
 */
void memphis_part_refuse(int pebs_error);

#endif
