// SPDX-License-Identifier: BSD-3-Clause
/*
 * Overlapping calipers of one thread and of several, and a thread without any. Every phase reads an array of
 * its own, and a line "THREAD TID ARRAY-ADDRESS PATH" is printed: the region that all samples of that array
 * must have.
 */
#define _GNU_SOURCE
#include <memphis.h>

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BYTES (1u << 20)
#define TIMES 40

static pthread_barrier_t barrier;

static void phase(const char *thread, const char *path)
{
	volatile char *array = calloc(1, BYTES);
	int times;
	size_t i;

	for (times = 0; times < TIMES; times++)
		for (i = 0; i < BYTES; i += 64)
			array[i]++;
	printf("%s %d %p %s\n", thread, (int)syscall(SYS_gettid), (void *)array, path);
}

/* Separates phases: nothing before a step runs at the same time as anything after it. */
static void step(void)
{
	pthread_barrier_wait(&barrier);
}

static void begin(const char *name)
{
	if (memphis_begin(name))
		exit(1);
}

static void end(const char *name)
{
	if (memphis_end(name))
		exit(2);
}

static void *first(void *unused)
{
	(void)unused;
	begin("One");
	step();
	step();
	phase("first", "One");
	begin("Inner");
	begin("Innermost");
	phase("first", "One/Inner/Innermost");
	end("One");
	phase("first", "Inner/Innermost");
	end("Inner");
	phase("first", "Innermost");
	if (memphis_end("One") != -EINVAL || memphis_end("Inner") != -EINVAL)
		exit(3);
	step();
	step();
	end("Innermost");
	step();
	phase("first", "Two");
	begin("Again");
	phase("first", "Again");
	step();
	step();
	step();
	end("Again");
	return NULL;
}

static void *second(void *unused)
{
	(void)unused;
	step();
	begin("Two");
	step();
	phase("second", "Two");
	step();
	step();
	step();
	step();
	end("Two");
	step();
	phase("second", "Again");
	step();
	return NULL;
}

/*
 * The main thread has no caliper. It has the region of the thread that opened the outermost
 * caliper; after the end of that caliper, the region of a thread that has one open.
 */
int main(void)
{
	pthread_t threads[2];

	pthread_barrier_init(&barrier, NULL, 3);
	if (pthread_create(&threads[0], NULL, first, NULL) || pthread_create(&threads[1], NULL, second, NULL))
		return 4;
	step();
	step();
	step();
	phase("none", "Innermost");
	step();
	step();
	phase("none", "Two");
	step();
	step();
	phase("none", "Again");
	step();
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 5;
}
