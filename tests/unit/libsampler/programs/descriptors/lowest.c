/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs rely on getting the lowest free descriptor. With two sampled threads, descriptors are created and closed for over 6 s,
 * longer than the library's interval for reading thread names. Prints how many had another number than the first.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <memphis.h>

static volatile int ended;

static void *wait_for_end(void *unused)
{
	while (!ended)
		usleep(10000);
	return unused;
}

int main(void)
{
	struct timespec now, begun;
	unsigned long others = 0;
	pthread_t thread;
	int lowest, fd;

	if (pthread_create(&thread, NULL, wait_for_end, NULL))
		return 1;
	memphis_begin("Work");
	/* Meanwhile the library lists the threads, creates its files and records the block. */
	free(malloc(100000));
	memphis_flush();
	usleep(500000);
	memphis_flush();
	lowest = dup(0);
	close(lowest);
	clock_gettime(CLOCK_MONOTONIC, &begun);
	do {
		fd = dup(0);
		others += fd != lowest;
		close(fd);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (now.tv_sec - begun.tv_sec < 7);
	memphis_end("Work");
	ended = 1;
	pthread_join(thread, NULL);
	printf("lowest %d, others %lu\n", lowest, others);
	return 0;
}
