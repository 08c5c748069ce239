// SPDX-License-Identifier: BSD-3-Clause
/*
 * Two threads, each on a CPU of its own, open regions with loops whose instructions and loads are known. Prints, for each thread and region:
 * CPU THREAD REGION CALLS INSTRUCTIONS LOADS, without those of the calipers.
 */
#define _GNU_SOURCE
#include <memphis.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PASSES 50
#define ROUNDS 20000ul

/* Four instructions per round, two of them loads. */
static __attribute__((noinline)) void load(unsigned long rounds, const long *data)
{
	long value;

	__asm__ volatile("counted_first: movq (%2), %0\n"
			 "counted_second: addq 8(%2), %0\n"
			 "dec %1\n"
			 "jnz counted_first"
			 : "=&r"(value), "+r"(rounds)
			 : "r"(data)
			 : "cc", "memory");
}

/* Two instructions per round, without access to memory. */
static __attribute__((noinline)) void turn(unsigned long rounds)
{
	__asm__ volatile("1: dec %0\n jnz 1b" : "+r"(rounds) : : "cc");
}

static void bind_to(int number)
{
	cpu_set_t cpu;

	CPU_ZERO(&cpu);
	CPU_SET(number, &cpu);
	if (sched_setaffinity(0, sizeof(cpu), &cpu))
		abort();
}

static void *work(void *argument)
{
	const int number = *(int *)argument;
	const unsigned long rounds = ROUNDS * (unsigned long)number;
	long data[2] = {1, 2};

	bind_to(number);
	memphis_begin("Run");
	for (int pass = 0; pass < PASSES; pass++) {
		memphis_begin("Load");
		load(rounds, data);
		memphis_end("Load");
		memphis_begin("Turn");
		turn(rounds);
		memphis_end("Turn");
		memphis_begin("Nothing");
		memphis_end("Nothing");
	}
	memphis_end("Run");
	flockfile(stdout);
	printf("%d %d Load %d %lu %lu\n", number, gettid(), PASSES, 4 * PASSES * rounds, 2 * PASSES * rounds);
	printf("%d %d Turn %d %lu 0\n", number, gettid(), PASSES, 2 * PASSES * rounds);
	printf("%d %d Nothing %d 0 0\n", number, gettid(), PASSES);
	funlockfile(stdout);
	return NULL;
}

int main(void)
{
	int numbers[] = {1, 2};
	pthread_t other;

	if (pthread_create(&other, NULL, work, &numbers[1]))
		return 1;
	work(&numbers[0]);
	return pthread_join(other, NULL) != 0;
}
