/* SPDX-License-Identifier: BSD-3-Clause */
/* A common time axis for all processes of a profile. */
#ifndef MEMPHIS_EXPORT_AXIS_H
#define MEMPHIS_EXPORT_AXIS_H

#include "read/process.h"

struct memphis_axis {
	/* indexed by process: real time at which its CLOCK_MONOTONIC was 0; equal for processes of the same host */
	uint64_t *boot_ns;
	uint64_t first_ns; /* real time of the first event of all processes: 0 on the axis */
};

/* Computes the axis for all processes. Returns 0 or -ENOMEM. */
int memphis_axis_open(struct memphis_axis *axis, const struct memphis_processes *processes);
void memphis_axis_close(struct memphis_axis *axis);

/* Converts the time `ns` of the process's CLOCK_MONOTONIC to ns since `first_ns`. Returns 0 for earlier times. */
uint64_t memphis_axis_ns(const struct memphis_axis *axis, size_t process, uint64_t ns);

#endif
