/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Preloaded into memphis node: nanosleep() replaces the directory machine/proc by later/proc, and the monotonic clock moves by exactly the time
 * that was slept.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static struct timespec slept;

int nanosleep(const struct timespec *time, struct timespec *rest)
{
	(void)rest;
	slept = *time;
	if (rename("machine/proc", "earlier") || rename("later/proc", "machine/proc"))
		abort();
	return 0;
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
	(void)clock;
	*time = slept;
	return 0;
}
