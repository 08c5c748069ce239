/* SPDX-License-Identifier: BSD-3-Clause */
/* One axis of time for all processes of a profile. */
#ifndef MEMPHIS_EXPORT_AXIS_H
#define MEMPHIS_EXPORT_AXIS_H

#include "read/process.h"

struct memphis_axis {
	/* By index of the process: the real time at which its CLOCK_MONOTONIC was 0. Processes of one host have the same value. */
	uint64_t *boot_ns;
	uint64_t first_ns; /* real time at which the first process began to be recorded */
};

/* Makes the axis. Returns 0 or -ENOMEM. */
int memphis_axis_open(struct memphis_axis *axis, const struct memphis_processes *processes);
void memphis_axis_close(struct memphis_axis *axis);

/* Returns the time since `first_ns` of CLOCK_MONOTONIC `ns` of a process; 0 if it is before that. */
uint64_t memphis_axis_ns(const struct memphis_axis *axis, size_t process, uint64_t ns);

#endif
