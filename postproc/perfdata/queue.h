/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Puts the records of a perf.data file into the order of their times. perf empties the buffers of all CPUs in
 * rounds, one buffer after the other. A record of round n + 1 is never older than the latest record of round
 * n - 1. So at the end of round n, all records up to that time can be delivered.
 */
#ifndef MEMPHIS_PERFDATA_QUEUE_H
#define MEMPHIS_PERFDATA_QUEUE_H

#include "perfdata/events.h"

struct memphis_perfdata_record {
	const struct perf_event_header *header; /* valid until the next record is requested */
	struct memphis_perfdata_event *event;   /* NULL if unknown */
	uint64_t time_ns;                       /* 0 if the record has none */
	/* CPU to which the record's id belongs, or MEMPHIS_PERFDATA_NO_CPU. */
	uint32_t cpu;
};

/* A record that waits until all earlier records have been read. */
struct memphis_perfdata_waiting {
	uint64_t time_ns;
	struct memphis_perfdata_event *event;
	uint32_t offset : 31, round : 1; /* in rounds[round].bytes of the queue */
	uint32_t cpu;
};

/* The bytes of the records of a round. */
struct memphis_perfdata_round {
	uint8_t *bytes;
	size_t used, room;
};

struct memphis_perfdata_queue {
	struct memphis_perfdata_waiting *list; /* records that wait */
	size_t count, room;
	/* Sorted by time. The records from `next` on can be delivered. */
	struct memphis_perfdata_waiting *ready, *spare;
	size_t ready_count, ready_room, spare_room, next;
	/* The present round, and the previous one, whose records are delivered when the present one ends. */
	struct memphis_perfdata_round rounds[2];
	unsigned int present;
	bool scattered; /* records of both rounds wait while others are delivered */
	/* Latest time so far, and latest time at the end of the previous round. */
	uint64_t latest_ns, round_ns;
};

/* Adds a record with a time, and copies its bytes. Returns 0 or -ENOMEM. */
int memphis_perfdata_queue_add(struct memphis_perfdata_queue *queue,
			       const struct memphis_perfdata_record *record);

/* The end of a round, or of the file. Returns 0 or -ENOMEM. */
int memphis_perfdata_queue_round(struct memphis_perfdata_queue *queue);
int memphis_perfdata_queue_end(struct memphis_perfdata_queue *queue);

/*
 * Takes the earliest record that can be delivered. Returns 1, 0 if there is none, or -ENOMEM. After 0, records
 * may be added.
 */
int memphis_perfdata_queue_take(struct memphis_perfdata_queue *queue, struct memphis_perfdata_record *record);
void memphis_perfdata_queue_close(struct memphis_perfdata_queue *queue);

#endif
