// SPDX-License-Identifier: BSD-3-Clause
/* Implementation of pattern.h. */
#define _GNU_SOURCE
#include "pattern.h"
#include "session.h"

#include <pthread.h>
#include <stddef.h>

#define LARGE  (16u << 20)   /* larger than an L3 */
#define MEDIUM (1536u << 10) /* larger than an L2, smaller than an L3 */
#define SMALL  (256u << 10)  /* smaller than an L2, so that lines stay in the writer's cache */
#define LINE   64

static uint64_t *near, *far, *warm, *shared;
static unsigned int rounds;
static uint32_t turn; /* odd: the writer's turn */
static pthread_t writer;

static void wait_for_turn(uint32_t wanted)
{
	while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != wanted)
		__builtin_ia32_pause();
}

/*
 * Number of bytes that a round accesses, scattered between an eighth of SMALL and all of it. Rounds of equal
 * length would be half a period of instructions, and waiting for the handler would bring both into step: the
 * number of samples of a load would then depend on the speed of the CPUs.
 */
static size_t bytes_of(uint32_t round)
{
	return (1 + (round * 2654435761u >> 29)) * (SMALL / 8) - (round * 40503u >> 4 & 511) * LINE;
}

static void *write_in_turn(void *unused)
{
	uint32_t round;
	size_t i, bytes;

	(void)unused;
	run_on(2);
	for (round = 0; round < rounds; round++) {
		bytes = bytes_of(round);
		wait_for_turn(2 * round + 1);
		for (i = 0; i < bytes / sizeof(*shared); i += LINE / sizeof(*shared))
			((volatile uint64_t *)shared)[i] = round;
		__atomic_store_n(&turn, 2 * round + 2, __ATOMIC_RELEASE);
	}
	return NULL;
}

static void read_in_turn(void)
{
	uint32_t round;
	size_t i, bytes;

	for (round = 0; round < rounds; round++) {
		bytes = bytes_of(round);
		__atomic_store_n(&turn, 2 * round + 1, __ATOMIC_RELEASE);
		wait_for_turn(2 * round + 2);
		for (i = 0; i < bytes / sizeof(*shared); i += LINE / sizeof(*shared))
			(void)((volatile uint64_t *)shared)[i]; /* LINE: read */
	}
}

struct pattern_memory pattern_prepare(unsigned int times)
{
	near = buffer_on(0, LARGE);
	far = buffer_on(2, LARGE);
	warm = buffer_on(0, MEDIUM);
	shared = buffer_on(0, SMALL);
	rounds = times;
	return (struct pattern_memory){.far = (uintptr_t)far, .far_end = (uintptr_t)far + LARGE};
}

void pattern_start_writer(void)
{
	need(!pthread_create(&writer, NULL, write_in_turn, NULL), "thread");
}

void pattern_load(size_t loads)
{
	run_on(0);
	walk(near, LARGE, loads);
	walk(far, LARGE, loads);
	walk(warm, MEDIUM, loads);
	read_in_turn();
}

void pattern_join_writer(void)
{
	pthread_join(writer, NULL);
}
