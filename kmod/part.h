/* SPDX-License-Identifier: GPL-2.0-only */
/* The CPU in the kernel's log: what of it is sampled, or why it can't be, with its name. All is called at module load. */
#ifndef MEMPHIS_PART_H
#define MEMPHIS_PART_H

#include "decode/obstacle.h"

/**
 * memphis_part() - returns the part as CPUID describes it
 */
struct memphis_part memphis_part(void);

/**
 * memphis_part_announce() - logs one line with the part and what memphis_pmu offers of it
 */
void memphis_part_announce(void);

/**
 * memphis_part_refuse() - logs one line that names the part, what is missing, and what helps
 * @obstacle: what is missing
 */
void memphis_part_refuse(enum memphis_obstacle obstacle);

/**
 * memphis_part_pebs_obstacle() - finds out why perf has no event of load latency on an Intel CPU
 * @error: perf's error (negative), or 0 if it creates the event, but does not recognise it
 *
 * Return: the obstacle.
 */
enum memphis_obstacle memphis_part_pebs_obstacle(int error);

#endif
