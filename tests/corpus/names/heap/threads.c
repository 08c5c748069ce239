// SPDX-License-Identifier: BSD-3-Clause
/* Blocks that threads allocate. */
#include "corpus.h"

#include <pthread.h>

static double *shared;

static void *run(void *argument)
{
	double *own = malloc(BYTES); /* site: own */

	shared = malloc(BYTES); /* site: shared */
	TRUTH(own, BYTES, "own");
	TRUTH(shared, BYTES, "shared");
	return argument;
}

int main(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, run, NULL) || pthread_join(thread, NULL))
		return 1;
	TRUTH(shared, BYTES, "shared");
	return 0;
}
