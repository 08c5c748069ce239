// SPDX-License-Identifier: BSD-3-Clause
/* Arrays in frames of threads. */
#include "corpus.h"

#include <pthread.h>

static void *run(void *argument)
{
	double own[COUNT];

	TRUTH(own, BYTES, "run::own");
	return argument;
}

int main(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, run, NULL) || pthread_join(thread, NULL))
		return 1;
	return 0;
}
