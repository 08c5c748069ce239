/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Thread-local variables of the program, of a linked library and of a library that is loaded late (argument), each sampled in the
 * main thread, in a thread that ends, and in a thread that existed before sampling began and stays until the program's end.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <memphis.h>

#include "variables.h"

static _Thread_local double own[1000];
static _Thread_local char *buffer;
extern _Thread_local double linked[500];
static double *(*late)(void);
static pthread_barrier_t barrier;

static void touch(void)
{
	double *there = late();

	own[5] += there[7] + linked[9];
	idle_sample(&own[5]);
	idle_sample(&linked[9]);
	idle_sample(&there[7]);
	idle_sample(&buffer);
}

static void *ends(void *unused)
{
	touch();
	return unused;
}

static void *stays(void *unused)
{
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	touch();
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	void *library, *symbol;

	if (argc < 2)
		return 2;
	pthread_barrier_init(&barrier, NULL, 2);
	if (pthread_create(&threads[0], NULL, stays, NULL))
		return 3;
	pthread_barrier_wait(&barrier);
	library = dlopen(argv[1], RTLD_NOW);
	symbol = library ? dlsym(library, "late") : NULL;
	if (!symbol)
		return 4;
	memcpy(&late, &symbol, sizeof(late));
	if (memphis_begin("all"))
		return 5;
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	touch();
	if (pthread_create(&threads[1], NULL, ends, NULL) || pthread_join(threads[1], NULL))
		return 6;
	memphis_end("all");
	if (memphis_flush())
		return 7;
	/* threads[0] still exists when the program ends. */
	return 0;
}
