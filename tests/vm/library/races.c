/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads that open, close and leave calipers at the same moments. usage: races HOW
 * together  in each round, all threads open the first caliper at once and close the last one at once
 * busy      main returns while the others open, close and allocate
 * cancel    a thread is cancelled inside its caliper; what main does afterwards is in no caliper
 * "together" prints "thread TID" for each thread, "cancel" prints "main TID".
 */
#define _GNU_SOURCE
#include <memphis.h>

#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define THREADS 4
#define ROUNDS  25
#define BYTES   (1u << 20)

static pthread_barrier_t barrier;
static char *array;
static _Atomic int inside;
static sem_t worked;
long checksum;

/* Memory with pages of its own: pages that are only read are all the same one, which stays in the caches. */
static char *touched(void)
{
	char *memory = malloc(BYTES);

	return memory ? memset(memory, 1, BYTES) : NULL;
}

__attribute__((noinline)) static long walk(int times)
{
	long sum = 0;
	size_t i;

	while (times--)
		for (i = 0; i < BYTES; i += 64)
			sum += *(volatile const char *)&array[i];
	return sum;
}

static void *together(void *unused)
{
	int round;

	(void)unused;
	printf("thread %d\n", (int)syscall(SYS_gettid));
	for (round = 0; round < ROUNDS; round++) {
		pthread_barrier_wait(&barrier);
		if (memphis_begin("Own"))
			exit(1);
		checksum += walk(8);
		if (memphis_end("Own"))
			exit(2);
	}
	return NULL;
}

static void *busy(void *unused)
{
	(void)unused;
	for (;;) {
		char *volatile block;

		memphis_begin("Busy");
		memphis_begin("Inner");
		block = malloc(8192);
		block[0] = 1;
		memphis_end("Inner");
		free(block);
		memphis_end("Busy");
		inside = 1;
	}
	return NULL;
}

static void *cancelled(void *unused)
{
	(void)unused;
	memphis_begin("Cancelled");
	memphis_begin("Inner");
	/* These passes are worth about 200 samples. */
	checksum += walk(20);
	sem_post(&worked);
	for (;;) {
		checksum += walk(1);
		pthread_testcancel();
	}
	return NULL;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	pthread_t threads[THREADS];
	int i;

	array = touched();
	pthread_barrier_init(&barrier, NULL, THREADS);
	if (!strcmp(how, "together")) {
		for (i = 0; i < THREADS; i++)
			pthread_create(&threads[i], NULL, together, NULL);
		for (i = 0; i < THREADS; i++)
			pthread_join(threads[i], NULL);
	} else if (!strcmp(how, "busy")) {
		for (i = 0; i < THREADS; i++)
			pthread_create(&threads[i], NULL, busy, NULL);
		while (!inside)
			usleep(1000);
		usleep(50000);
	} else {
		printf("main %d\n", (int)syscall(SYS_gettid));
		fflush(stdout);
		sem_init(&worked, 0, 0);
		pthread_create(&threads[0], NULL, cancelled, NULL);
		/* This thread is sampled, too, and would have more samples the longer it looked. */
		while (sem_wait(&worked))
			;
		pthread_cancel(threads[0]);
		pthread_join(threads[0], NULL);
		checksum += walk(600);
	}
	return 7;
}
