// SPDX-License-Identifier: BSD-3-Clause
/* A common time axis for all processes of a profile. */
#include "export/axis.h"

#include <errno.h>
#include <stdlib.h>

#include "read/process_name.h"

/*
 * Processes of one host have the same CLOCK_MONOTONIC. Its distance from the real time changes when the
 * system's clock is set. If the distances of two processes differ by more than this, they are taken for
 * processes of different hosts with the same name, or of different boots.
 */
#define SET_NS 1000000000

static uint64_t process_start_ns(const struct memphis_process *process)
{
	return memphis_setting_number(&process->settings, "start_time_ns", 0);
}

/* Returns the time of the first event. MPI calls are recorded from MPI_Init() on, which may be before the start of sampling. */
static uint64_t first_event_ns(const struct memphis_process *process)
{
	const uint64_t start = process_start_ns(process),
		       mpi = memphis_setting_number(&process->settings, "mpi_begin_ns", start);

	return mpi < start ? mpi : start;
}

/*
 * Returns the real time at which CLOCK_MONOTONIC was 0. A recording of perf may lack the real time. The
 * result is 0 then, so the axis shows the times of the recording's own clock.
 */
static uint64_t boot_time_ns(const struct memphis_process *process)
{
	const uint64_t start = process_start_ns(process);

	return memphis_setting_number(&process->settings, "start_realtime_ns", start) - start;
}

static uint64_t absolute_difference(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

int memphis_axis_open(struct memphis_axis *axis, const struct memphis_processes *processes)
{
	const struct memphis_process *process;
	uint64_t own;
	size_t i, j;

	axis->first_ns = UINT64_MAX;
	axis->boot_ns = calloc(processes->count + 1, sizeof(*axis->boot_ns));
	if (!axis->boot_ns)
		return -ENOMEM;
	for (i = 0; i < processes->count; i++) {
		process = &processes->list[i];
		axis->boot_ns[i] = boot_time_ns(process);
		for (j = 0; j < i; j++) {
			if (absolute_difference(axis->boot_ns[j], axis->boot_ns[i]) < SET_NS &&
			    memphis_process_same_host(&processes->list[j], process)) {
				axis->boot_ns[i] = axis->boot_ns[j];
				break;
			}
		}
		own = axis->boot_ns[i] + first_event_ns(process);
		axis->first_ns = own < axis->first_ns ? own : axis->first_ns;
	}
	return 0;
}

void memphis_axis_close(struct memphis_axis *axis)
{
	free(axis->boot_ns);
	axis->boot_ns = NULL;
}

uint64_t memphis_axis_ns(const struct memphis_axis *axis, size_t process, uint64_t ns)
{
	const uint64_t real = axis->boot_ns[process] + ns;

	return real > axis->first_ns ? real - axis->first_ns : 0;
}
