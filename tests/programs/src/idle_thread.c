/* SPDX-License-Identifier: BSD-3-Clause */
/* A preloaded library with a thread that does nothing, as many tools have one. */
#include <pthread.h>
#include <unistd.h>

static void *wait_for_ever(void *none)
{
	for (;;)
		pause();
	return none;
}

__attribute__((constructor)) static void begin(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, wait_for_ever, NULL);
}
