/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs 2000 threads, one after the other. "idle": each does nothing; "caliper": each opens a caliper once. */
#include <pthread.h>
#include <string.h>

#include <memphis.h>

#define THREADS 2000

static void *work(void *caliper)
{
	if (caliper) {
		memphis_begin("Work");
		memphis_end("Work");
	}
	return NULL;
}

int main(int argc, char **argv)
{
	static int caliper;
	pthread_t thread;
	int i;

	for (i = 0; i < THREADS; i++)
		if (pthread_create(&thread, NULL, work,
				   argc > 1 && !strcmp(argv[1], "caliper") ? &caliper : NULL) ||
		    pthread_join(thread, NULL))
			return 1;
	return 0;
}
