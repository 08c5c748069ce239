// SPDX-License-Identifier: BSD-3-Clause
#include "base/clock.h"

#include <errno.h>
#include <time.h>

double memphis_clock_s(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

void memphis_clock_wait(double seconds)
{
	struct timespec time = {.tv_sec = (time_t)seconds,
				.tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};

	while (nanosleep(&time, &time) && errno == EINTR)
		;
}
