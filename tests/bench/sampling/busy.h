/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Instructions that the machine has executed for all tasks, those of the kernel included, without idle time. For a machine with one CPU
 * whose clock counts instructions (machine/run --deterministic=instructions).
 */
#ifndef BUSY_H
#define BUSY_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define NS_PER_INSTRUCTION 2
#define SETTLED_NS         200000000

/*
 * Returns the number of instructions. The kernel adds the time of a task when the task leaves the CPU: the sleep makes this process leave
 * it, and the kernel's deferred work and threads that write samples finish what they have to do.
 */
static inline uint64_t busy_instructions(void)
{
	const struct timespec settled = {.tv_nsec = SETTLED_NS};
	FILE *file;
	char line[4096];
	uint64_t ns = 0;
	int found = 0;

	nanosleep(&settled, NULL);
	file = fopen("/proc/schedstat", "r");
	/* The seventh number of the CPU's line (Linux, Documentation/scheduler/sched-stats). */
	while (file && !found && fgets(line, sizeof(line), file))
		found = sscanf(line, "cpu0 %*s %*s %*s %*s %*s %*s %" SCNu64, &ns);
	if (!found) {
		perror("/proc/schedstat");
		exit(97);
	}
	fclose(file);
	return ns / NS_PER_INSTRUCTION;
}

#endif
