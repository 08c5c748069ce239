/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Many long-lived blocks without samples, then some with samples: at once, long after their allocation, and by another thread after
 * the allocating one has ended. Prints the number of blocks of at least 4096 bytes.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <memphis.h>

#include "variables.h"

#define BLOCKS 1000
#define BYTES  8192

static double *crowd[BLOCKS], *left, *late, *waiting, *grown;
static pid_t leaver;

static void *leave(void *unused)
{
	left = malloc(BYTES);
	leaver = gettid();
	return memphis_flush() ? left : unused;
}

int main(void)
{
	int err = memphis_begin("all");
	pthread_t thread;
	void *answer;
	size_t i;

	for (i = 0; i < BLOCKS; i++) {
		crowd[i] = malloc(BYTES);
		/* Flush every 100 blocks, so that no block is released in the same pass and dropped as short-lived. */
		if (i % 100 == 99)
			err |= memphis_flush();
	}
	waiting = malloc(BYTES);
	grown = malloc(BYTES);
	err |= pthread_create(&thread, NULL, leave, NULL) || pthread_join(thread, &answer) || answer != NULL;
	idle_exited(leaver);
	for (i = 0; i < BLOCKS / 2; i++)
		free(crowd[i]);
	err |= memphis_flush();
	late = malloc(BYTES);
	idle_sample(late + 1);
	err |= memphis_flush();
	grown = realloc(grown, 2 * BYTES);
	err |= memphis_flush();
	for (i = 0; i < 3; i++) {
		idle_sample(waiting + i);
		idle_sample(late + i);
		idle_sample(left + i);
		idle_sample(grown + i);
	}
	err |= memphis_flush() | memphis_end("all");
	free(waiting);
	free(late);
	printf("%d\n", BLOCKS + 5);
	return err ? 1 : 0;
}
