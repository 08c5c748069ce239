/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Timers with SIGEV_THREAD, for each of which the C library creates a thread. The thread allocates a small block and, with "large",
 * one that is tracked. Prints the number of blocks.
 */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TIMERS 20

static int large;
static _Atomic int made;
static sem_t expired;

static void expire(union sigval value)
{
	void *small = malloc(100), *block = large ? malloc(50000) : NULL;

	(void)value;
	made += (small != NULL) + (block != NULL);
	free(block);
	free(small);
	sem_post(&expired);
}

int main(int argc, char **argv)
{
	const struct itimerspec soon = {.it_value.tv_nsec = 1};
	struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = expire};
	timer_t timer;
	int i;

	large = argc > 1 && !strcmp(argv[1], "large");
	sem_init(&expired, 0, 0);
	for (i = 0; i < TIMERS; i++) {
		if (timer_create(CLOCK_MONOTONIC, &event, &timer) || timer_settime(timer, 0, &soon, NULL))
			return 1;
		while (sem_wait(&expired))
			;
		timer_delete(timer);
	}
	printf("%d\n", made);
	return 0;
}
