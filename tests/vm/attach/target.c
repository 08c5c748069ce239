// SPDX-License-Identifier: BSD-3-Clause
/*
 * A program to attach to while it runs. Two early threads, and data on node 0, wait for SIGUSR1. Then the
 * early threads read the static array `field` from node 1, and two late threads, created after the signal,
 * read malloc blocks. On SIGUSR2 instead, the program executes itself anew, and the new image reads for a
 * while. Exit status: 7, after SIGUSR2 9. usage: target READS
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ELEMENTS = 4 << 20, SMALL = 64, SMALL_ELEMENTS = 100 * 1024 / 8 };

static double field[ELEMENTS];
static double *block, *small[SMALL];
static uint64_t reads;
static pthread_barrier_t begin;

static void pin(unsigned cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		perror("target: sched_setaffinity");
}

static uint64_t next(uint64_t *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return *state >> 20;
}

static double read_field(uint64_t count, uint64_t state)
{
	double sum = 0;

	while (count--)
		sum += field[next(&state) % ELEMENTS]; /* LINE: field */
	return sum;
}

static void *early(void *number)
{
	pin((unsigned)(uintptr_t)number);
	pthread_barrier_wait(&begin);
	return (void *)(uintptr_t)(read_field(reads, (uintptr_t)number) > 0);
}

/* Sleeps first, so that the tool has time to attach the new thread. */
static void *late(void *number)
{
	uint64_t state = (uintptr_t)number, i;
	double sum = 0;

	pin((unsigned)(uintptr_t)number);
	usleep(3000000);
	for (i = 0; i < reads; i++) {
		sum += block[next(&state) % ELEMENTS];
		sum += small[next(&state) % SMALL][next(&state) % SMALL_ELEMENTS];
	}
	return (void *)(uintptr_t)(sum > 0);
}

static void touch(void)
{
	block = malloc(ELEMENTS * sizeof(*block));
	for (int i = 0; i < ELEMENTS; i++)
		field[i] = block[i] = 1;
	for (int i = 0; i < SMALL; i++) {
		small[i] = malloc(SMALL_ELEMENTS * sizeof(double));
		for (int j = 0; j < SMALL_ELEMENTS; j++)
			small[i][j] = 1;
	}
}

int main(int argc, char **argv)
{
	char *const again[] = {argv[0], "50000000", "again", NULL};
	pthread_t threads[4];
	sigset_t signals;
	int got;

	reads = argc > 1 ? strtoull(argv[1], NULL, 0) : 1000000;
	pin(0);
	if (argc > 2)
		return read_field(reads, 1) >= 0 ? 9 : 1;
	touch();
	sigemptyset(&signals);
	sigaddset(&signals, SIGUSR1);
	sigaddset(&signals, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &signals, NULL);
	pthread_barrier_init(&begin, NULL, 3);
	for (uintptr_t i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, early, (void *)(2 + i));
	printf("ready %d\n", (int)getpid());
	fflush(stdout);
	sigwait(&signals, &got);
	if (got == SIGUSR2) {
		pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
		execv("/proc/self/exe", again);
		return 1;
	}
	pthread_barrier_wait(&begin);
	for (uintptr_t i = 0; i < 2; i++)
		pthread_create(&threads[2 + i], NULL, late, (void *)(2 + i));
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	printf("done\n");
	return 7;
}
