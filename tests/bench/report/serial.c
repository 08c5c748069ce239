// SPDX-License-Identifier: BSD-3-Clause
/*
 * To be preloaded into memphis: writes the CPU seconds of the process in which no thread but the first existed to the file MEMPHIS_BENCH_SERIAL.
 * The tool creates workers for each stage that it divides, and joins them at its end.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static unsigned int workers;
static double begun, divided;

static double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *context)
{
	int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
	void *symbol = dlsym(RTLD_NEXT, "pthread_create");

	memcpy(&next, &symbol, sizeof(next));
	if (!workers++)
		begun = cpu_seconds();
	return next(thread, attributes, start, context);
}

int pthread_join(pthread_t thread, void **result)
{
	int (*next)(pthread_t, void **);
	void *symbol = dlsym(RTLD_NEXT, "pthread_join");
	int rc;

	memcpy(&next, &symbol, sizeof(next));
	rc = next(thread, result);
	if (!--workers)
		divided += cpu_seconds() - begun;
	return rc;
}

static __attribute__((destructor)) void report(void)
{
	const char *path = getenv("MEMPHIS_BENCH_SERIAL");
	FILE *file = path ? fopen(path, "w") : NULL;

	if (!file)
		return;
	fprintf(file, "%.6f\n", cpu_seconds() - divided);
	fclose(file);
}
