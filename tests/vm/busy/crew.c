// SPDX-License-Identifier: BSD-3-Clause
/*
 * Threads in groups that run at the same time, one group after another; the program does not use the library.
 * usage: crew THREADS AT-ONCE READS [LINGER-MS]
 * LINGER-MS: each thread sleeps at its end when only the kernel still lists it, after all destructors of
 * libraries that were loaded before.
 */
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define AT_ONCE_MAX 256

static volatile char block[64 << 10];
static pthread_barrier_t all_there;
static unsigned long reads;
static long checksum;
static pthread_key_t farewell;
static unsigned int linger_us;

/*
 * Destructors of keys created later run later within a round. The sleep is in the last of the rounds, so it
 * comes after all others.
 */
static void linger(void *round)
{
	if ((long)round < PTHREAD_DESTRUCTOR_ITERATIONS)
		pthread_setspecific(farewell, (void *)((long)round + 1));
	else
		usleep(linger_us);
}

static void *work(void *unused)
{
	long sum = 0;

	(void)unused;
	pthread_barrier_wait(&all_there);
	for (unsigned long i = 0; i < reads; i++)
		sum += block[i * 64 % sizeof(block)];
	__atomic_add_fetch(&checksum, sum, __ATOMIC_RELAXED);
	if (linger_us)
		pthread_setspecific(farewell, (void *)1L);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[AT_ONCE_MAX];
	unsigned long count, at_once, i, made;

	if (argc != 4 && argc != 5)
		return 2;
	count = strtoul(argv[1], NULL, 10);
	at_once = strtoul(argv[2], NULL, 10);
	reads = strtoul(argv[3], NULL, 10);
	if (argc == 5)
		linger_us = 1000 * (unsigned int)strtoul(argv[4], NULL, 10);
	if (pthread_key_create(&farewell, linger))
		return 1;
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
