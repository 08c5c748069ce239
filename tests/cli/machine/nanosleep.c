/* SPDX-License-Identifier: BSD-3-Clause */
/* Preloaded into memphis node: each nanosleep() sets the counter in the file COUNTER to VALUE. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int nanosleep(const struct timespec *time, struct timespec *rest)
{
	FILE *file = fopen(getenv("COUNTER"), "w");

	(void)time;
	(void)rest;
	if (!file || fprintf(file, "%s\n", getenv("VALUE")) < 0 || fclose(file))
		abort();
	return 0;
}
