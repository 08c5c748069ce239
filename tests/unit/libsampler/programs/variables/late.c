/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Many blocks that live on and that nobody samples, then some that are sampled: at once, long after they came, and by another
 * thread when the one that made them has ended. Prints how many blocks of at least 4096 bytes there were.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <memphis.h>

#include "variables.h"

#define BLOCKS 1000
#define BYTES  8192

static double *crowd[BLOCKS], *left, *late, *waiting, *grown;

static void *leave(void *unused)
{
	left = malloc(BYTES);
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
		/* Each in a pass of its own with some others: none of them lives so short as to be dropped for that. */
		if (i % 100 == 99)
			err |= memphis_flush();
	}
	waiting = malloc(BYTES);
	grown = malloc(BYTES);
	err |= pthread_create(&thread, NULL, leave, NULL) || pthread_join(thread, &answer) || answer != NULL;
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
