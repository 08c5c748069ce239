// SPDX-License-Identifier: BSD-3-Clause
/*
 * Loads of known origin: DRAM of both nodes, the local L3, and lines that a thread on the other node has just
 * written. Prints how many samples of user code had each data source, one line "SOURCE FLAGS COUNT" each, for
 * comparison with the machine's exact counts. With "by-source" the events of loads by source take the samples, and lines
 * "counted EVENT COUNT" follow. usage: sources [by-source]
 */
#define _GNU_SOURCE
#include "session.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LARGE  (16u << 20)   /* larger than an L3 */
#define MEDIUM (1536u << 10) /* larger than an L2, smaller than an L3 */
#define SMALL  (256u << 10)  /* smaller than an L2, so that lines stay in the writer's cache */
#define LOADS  5000000u
#define ROUNDS 2000u
#define LINE   64

/* CPUs 0 and 1 belong to node 0, CPUs 2 and 3 to node 1. */
static uint64_t *shared;
static uint32_t turn; /* odd: the writer's turn */

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
	for (round = 0; round < ROUNDS; round++) {
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

	for (round = 0; round < ROUNDS; round++) {
		bytes = bytes_of(round);
		__atomic_store_n(&turn, 2 * round + 1, __ATOMIC_RELEASE);
		wait_for_turn(2 * round + 2);
		for (i = 0; i < bytes / sizeof(*shared); i += LINE / sizeof(*shared))
			(void)((volatile uint64_t *)shared)[i];
	}
}

static void print_counts(const struct thread_map *map)
{
	static unsigned int counts[MEMPHIS_SOURCES][2][2];
	uint64_t i;

	for (i = 0; i < map->status->head; i++) {
		const struct memphis_sample *sample = &map->records[i];

		need(sample->source < MEMPHIS_SOURCES, "a source that is known");
		need(!(sample->flags & MEMPHIS_FLAG_BY_SOURCE) || !sample->latency_cycles,
		     "no latency by source");
		if (sample->flags & MEMPHIS_FLAG_LOAD)
			counts[sample->source][!!(sample->flags & MEMPHIS_FLAG_REMOTE)]
			      [!!(sample->flags & MEMPHIS_FLAG_HITM)]++;
	}
	for (i = 0; i < 4 * MEMPHIS_SOURCES; i++)
		printf("%u %s%s %u\n", (unsigned int)i / 4, i & 2 ? "remote" : "local", i & 1 ? "-hitm" : "",
		       counts[i / 4][i >> 1 & 1][i & 1]);
}

/* What the hardware has counted, by enum memphis_sampling_event. */
static void print_events(int fd, __u32 events)
{
	struct memphis_stats stats;
	int i;

	need(!request(fd, MEMPHIS_IOC_STATS, &stats), "stats");
	need(!stats.starved_ns, "counters for all events");
	for (i = 0; i < MEMPHIS_EVENTS; i++)
		if (events & 1u << i)
			printf("counted %d %llu\n", i, stats.counts[i]);
}

int main(int argc, char **argv)
{
	const bool by_source = argc > 1 && !strcmp(argv[1], "by-source");
	struct memphis_config config = some_config();
	struct memphis_query query;
	uint64_t *near = buffer_on(0, LARGE), *far = buffer_on(2, LARGE), *warm = buffer_on(0, MEDIUM);
	struct thread_map map;
	struct memphis_accounting accounting;
	pthread_t writer;
	int fd = open_device();

	shared = buffer_on(0, SMALL);
	/* With PEBS a prime, which can't fall into step with a loop; the period counts loads only. */
	config.period = hardware()->kind == MEMPHIS_HARDWARE_IBS ? 32768 : 16381;
	config.drop = MEMPHIS_DROP_STORES;
	need(!request(fd, MEMPHIS_IOC_QUERY, &query), "query");
	if (by_source) {
		config.events = query.events & ~(1u << MEMPHIS_EVENT_ACCESS);
		config.period = 4093;
	}
	need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	map = attach_mapped(fd, 0, &config);
	need(!pthread_create(&writer, NULL, write_in_turn, NULL), "thread");
	run_on(0);
	need(!request(fd, MEMPHIS_IOC_START, NULL), "start");
	walk(near, LARGE, LOADS);
	walk(far, LARGE, LOADS);
	walk(warm, MEDIUM, LOADS);
	read_in_turn();
	need(!request(fd, MEMPHIS_IOC_STOP, NULL), "stop");
	pthread_join(writer, NULL);
	accounting = read_books(&map);
	need(!accounting.lost && books_sum(&accounting) == accounting.interrupts, "books");
	/* IBS starts each period at a random value from 0 to 127; PEBS counts it as a whole. */
	printf("period %.1f\n", config.period - (hardware()->kind == MEMPHIS_HARDWARE_IBS ? 63.5 : 0));
	print_counts(&map);
	if (by_source)
		print_events(fd, config.events);
	return 0;
}
