// SPDX-License-Identifier: BSD-3-Clause
/* Thread-local arrays of the main thread and of another one. */
#include "corpus.h"

#include <pthread.h>

static __thread double scratch[COUNT];

static void *run(void *argument)
{
	static _Thread_local double inner[COUNT];

	TRUTH(scratch, BYTES, "scratch");
	TRUTH(inner, BYTES, "run::inner");
	return argument;
}

int main(void)
{
	pthread_t thread;

	TRUTH(scratch, BYTES, "scratch");
	if (pthread_create(&thread, NULL, run, NULL) || pthread_join(thread, NULL))
		return 1;
	return 0;
}
