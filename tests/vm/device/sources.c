// SPDX-License-Identifier: BSD-3-Clause
/*
 * The loads of pattern.h, sampled by the device. Prints how many samples of user code had each data source, one line "SOURCE FLAGS COUNT" each, for
 * comparison with the machine's exact counts. With "by-source" the events of loads by source take the samples, and lines
 * "counted EVENT COUNT" follow. usage: sources [by-source]
 */
#define _GNU_SOURCE
#include "pattern.h"
#include "session.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LOADS  5000000u
#define ROUNDS 2000u

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
	/* Events of loads by source are compared exactly, which needs fewer loads than a statistical comparison. */
	const unsigned int divisor = by_source ? 4 : 1;
	struct memphis_config config = some_config();
	struct memphis_query query;
	struct thread_map map;
	struct memphis_accounting accounting;
	int fd = open_device();

	pattern_prepare(ROUNDS / divisor);
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
	pattern_start_writer();
	run_on(0);
	need(!request(fd, MEMPHIS_IOC_START, NULL), "start");
	pattern_load(LOADS / divisor);
	need(!request(fd, MEMPHIS_IOC_STOP, NULL), "stop");
	pattern_join_writer();
	accounting = read_books(&map);
	need(!accounting.lost && books_sum(&accounting) == accounting.interrupts, "books");
	/* IBS starts each period at a random value from 0 to 127; PEBS counts it as a whole. */
	printf("period %.1f\n", config.period - (hardware()->kind == MEMPHIS_HARDWARE_IBS ? 63.5 : 0));
	print_counts(&map);
	if (by_source)
		print_events(fd, config.events);
	return 0;
}
