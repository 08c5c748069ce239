// SPDX-License-Identifier: BSD-3-Clause
/*
 * Threads, so many alive at the same time, crew after crew; knows nothing of sampling.
 * usage: crew THREADS AT-ONCE READS
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define AT_ONCE_MAX 256

static volatile char block[64 << 10];
static pthread_barrier_t all_there;
static unsigned long reads;
static long checksum;

static void *work(void *unused)
{
	long sum = 0;

	(void)unused;
	pthread_barrier_wait(&all_there);
	for (unsigned long i = 0; i < reads; i++)
		sum += block[i * 64 % sizeof(block)];
	__atomic_add_fetch(&checksum, sum, __ATOMIC_RELAXED);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[AT_ONCE_MAX];
	unsigned long count, at_once, i, made;

	if (argc != 4)
		return 2;
	count = strtoul(argv[1], NULL, 10);
	at_once = strtoul(argv[2], NULL, 10);
	reads = strtoul(argv[3], NULL, 10);
	if (!at_once || at_once > AT_ONCE_MAX || count % at_once)
		return 2;
	pthread_barrier_init(&all_there, NULL, (unsigned int)at_once);
	for (made = 0; made < count; made += at_once) {
		for (i = 0; i < at_once; i++)
			if (pthread_create(&threads[i], NULL, work, NULL))
				return 1;
		for (i = 0; i < at_once; i++)
			pthread_join(threads[i], NULL);
	}
	printf("%lu threads\n", made);
	return 0;
}
