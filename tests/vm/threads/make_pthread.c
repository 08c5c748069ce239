// SPDX-License-Identifier: BSD-3-Clause
/* Creates POSIX threads. */
#include "work.h"

#include <pthread.h>
#include <stdint.h>

const char *const make_kind = "pthread";
static void (*to_run)(int);

static void *run(void *worker)
{
	to_run((int)(intptr_t)worker);
	return NULL;
}

int make_thread(void (*body)(int), int worker)
{
	pthread_t thread;

	to_run = body;
	return pthread_create(&thread, NULL, run, (void *)(intptr_t)worker) || pthread_detach(thread);
}
