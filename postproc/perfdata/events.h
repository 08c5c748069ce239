/* SPDX-License-Identifier: BSD-3-Clause */
/* The events of a perf.data file. Finds the event of a record by its id, and tells which events sample memory accesses. */
#ifndef MEMPHIS_PERFDATA_EVENTS_H
#define MEMPHIS_PERFDATA_EVENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/pool.h"
#include "perfdata/sample.h"

/*
 * What the samples of an event contain. Wait times are estimated with the period of the first kind, in this
 * order, that was recorded.
 */
enum memphis_perfdata_kind {
	/* No memory accesses: for example cycles, or the auxiliary event of load latency. */
	MEMPHIS_PERFDATA_OTHER,
	MEMPHIS_PERFDATA_IBS,
	MEMPHIS_PERFDATA_LOADS,     /* PEBS load latency */
	MEMPHIS_PERFDATA_BY_SOURCE, /* MEM_LOAD_L3_MISS_RETIRED */
	MEMPHIS_PERFDATA_ACCESSES,  /* other events whose samples have addresses */
};

struct memphis_perfdata_event {
	struct perf_event_attr attribute;
	struct memphis_perfdata_layout layout; /* of its samples */
	char *name;                            /* NULL if the file does not contain it */
	enum memphis_perfdata_kind kind;
	unsigned int source;            /* for BY_SOURCE: enum memphis_sampling_event */
	uint64_t lost, lost_samples;    /* losses that LOST records have counted, and LOST_SAMPLES records */
	uint64_t periods, period_count; /* sum and number of the known periods of its samples */
};

/* What an id refers to: an event on one CPU, or in one thread. */
struct memphis_perfdata_place {
	size_t event; /* index in `list` */
	uint32_t cpu; /* MEMPHIS_PERFDATA_NO_CPU if unknown */
};

#define MEMPHIS_PERFDATA_NO_CPU UINT32_MAX

struct memphis_perfdata_events {
	/* Never moved in memory, because waiting records point to their events. */
	struct memphis_perfdata_event *list;
	size_t count, room;
	struct memphis_strings ids;            /* each string is an id of 8 bytes */
	struct memphis_perfdata_place *places; /* for each id, by the number of its string */
	size_t place_room;
	uint32_t ibs_type; /* PMU type number of IBS, or 0 if there is none */
	bool named;        /* the names of the events were read */
	bool accesses;     /* at least one event samples memory accesses */
	bool placed;       /* the file tells to which CPUs the ids belong */
};

/*
 * Adds an event. `attribute` is its perf_event_attr, of which the file has `bytes` bytes. Returns its index,
 * or a negative errno: -EBADMSG if there are too few bytes or too many events.
 */
long memphis_perfdata_events_add(struct memphis_perfdata_events *events, const void *attribute, size_t bytes);

/* Adds an id of the event. Ignores the id if another event has it. Returns 0 or -ENOMEM. */
int memphis_perfdata_events_add_id(struct memphis_perfdata_events *events, size_t event, uint64_t id);

/* Sets the CPU of an id. Ignores ids that no event has. */
void memphis_perfdata_events_place(struct memphis_perfdata_events *events, uint64_t id, uint32_t cpu);

/* Sets the PMU type number of IBS. Later calls have no effect. */
void memphis_perfdata_events_set_ibs(struct memphis_perfdata_events *events, uint32_t type);
void memphis_perfdata_events_close(struct memphis_perfdata_events *events);

/*
 * Returns the event of a record, or NULL if the file does not contain its id. Sets *cpu to the CPU of the id,
 * or to MEMPHIS_PERFDATA_NO_CPU.
 */
struct memphis_perfdata_event *memphis_perfdata_events_of(const struct memphis_perfdata_events *events,
							  const struct perf_event_header *record,
							  uint32_t *cpu);

#endif
