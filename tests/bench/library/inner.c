/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measures pairs of calipers: inner and outermost ones, and for comparison a pair of calls of an empty function. Prints median and
 * minimum over many batches, in ns per pair. Then measures outermost pairs beside a growing number of threads, and the share of
 * a core that the library's drain thread takes beside many threads, in percent (in both columns).
 */
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <memphis.h>

#include "cpu_time.h"

#define BATCHES 301
#define INNER   5000
#define OUTER   500
#define CROWD   50 /* pairs per batch beside other threads */
#define BESIDE  61 /* batches beside other threads */
#define MANY    3000
#define SECONDS 3

static __attribute__((noinline, noclone)) int nothing(const char *name)
{
	__asm__ volatile("" : "+r"(name));
	return 0;
}

static int empty(void)
{
	return nothing("Bound") | nothing("Bound");
}

static int pair(void)
{
	return memphis_begin("Bound") | memphis_end("Bound");
}

static double timed(int (*what)(void), int times)
{
	double begin = cpu_ns();
	int j, err = 0;

	for (j = 0; j < times; j++)
		err |= what();
	if (err)
		exit(1);
	return (cpu_ns() - begin) / times;
}

static void measure(const char *name, int (*what)(void), int times)
{
	static double took[BATCHES];
	int i;

	for (i = 0; i < BATCHES; i++)
		took[i] = timed(what, times);
	qsort(took, BATCHES, sizeof(*took), compare);
	printf("%s %.2f %.2f\n", name, took[BATCHES / 2], took[0]);
}

static pthread_barrier_t there;

static void *stay(void *unused)
{
	pthread_barrier_wait(&there);
	pause();
	return unused;
}

/* Creates sleeping threads until there are `wanted` of them. */
static void crowd(int wanted)
{
	static int count;
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 64 << 10);
	pthread_barrier_init(&there, NULL, (unsigned int)(wanted - count) + 1);
	for (; count < wanted; count++)
		if (pthread_create(&thread, &attr, stay, NULL))
			exit(1);
	pthread_barrier_wait(&there);
}

static void measure_crowd(int others)
{
	static double took[BESIDE];
	int i;

	crowd(others);
	pair();
	for (i = 0; i < BESIDE; i++)
		took[i] = timed(pair, CROWD);
	qsort(took, BESIDE, sizeof(*took), compare);
	printf("outer_%d %.2f %.2f\n", others, took[BESIDE / 2], took[0]);
}

/* Returns the CPU time of the library's drain thread. */
static double drain_ns(void)
{
	char path[320], text[64];
	unsigned long long ns = 0;
	struct dirent *entry;
	DIR *tasks = opendir("/proc/self/task");
	FILE *file;

	while (tasks && !ns && (entry = readdir(tasks))) {
		snprintf(path, sizeof(path), "/proc/self/task/%s/comm", entry->d_name);
		file = fopen(path, "r");
		if (!file)
			continue;
		if (fgets(text, sizeof(text), file) && !strcmp(text, "memphis-drain\n")) {
			fclose(file);
			snprintf(path, sizeof(path), "/proc/self/task/%s/schedstat", entry->d_name);
			file = fopen(path, "r");
			if (!file || fscanf(file, "%llu", &ns) != 1)
				exit(1);
		}
		fclose(file);
	}
	closedir(tasks);
	return (double)ns;
}

static void measure_drain(void)
{
	double before;

	crowd(MANY);
	memphis_begin("Long");
	memphis_flush(); /* the files of all threads exist now */
	before = drain_ns();
	sleep(SECONDS);
	before = (drain_ns() - before) / (SECONDS * 1e7);
	printf("drain_%d %.2f %.2f\n", MANY, before, before);
	memphis_end("Long");
}

int main(void)
{
	measure("empty", empty, INNER);
	if (memphis_begin("TimeLoop"))
		return 1;
	measure("inner", pair, INNER);
	memphis_end("TimeLoop");
	measure("outer", pair, OUTER);
	measure_crowd(0);
	measure_crowd(1);
	measure_crowd(128);
	measure_crowd(256);
	measure_drain();
	return 0;
}
