/* SPDX-License-Identifier: BSD-3-Clause */
/* The events of a perf.data file: their attributes, by the ids of records, and which of them sample accesses to memory. */
#ifndef MEMPHIS_PERFDATA_EVENTS_H
#define MEMPHIS_PERFDATA_EVENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/pool.h"
#include "perfdata/perf_format.h"

/* What the samples of an event are. Waiting is estimated by the period of the first kind that was recorded. */
enum memphis_perfdata_kind {
	MEMPHIS_PERFDATA_OTHER, /* no accesses to memory: cycles, for example, or the auxiliary event of load latency */
	MEMPHIS_PERFDATA_IBS,
	MEMPHIS_PERFDATA_LOADS,     /* PEBS load latency */
	MEMPHIS_PERFDATA_BY_SOURCE, /* MEM_LOAD_L3_MISS_RETIRED */
	MEMPHIS_PERFDATA_ACCESSES,  /* other events with addresses */
};

struct memphis_perfdata_event {
	struct perf_event_attr attribute;
	char *name; /* NULL: not in the file */
	enum memphis_perfdata_kind kind;
	unsigned int source;         /* BY_SOURCE: enum memphis_sampling_event */
	uint64_t lost, lost_samples; /* of LOST, and of LOST_SAMPLES */
	uint64_t periods,
		period_count; /* sum and number of the periods of its samples, as far as they are known */
};

/* An id is that of an event on one CPU, or in one thread. */
struct memphis_perfdata_place {
	size_t event; /* index */
	uint32_t cpu; /* MEMPHIS_PERFDATA_NO_CPU: unknown */
};

#define MEMPHIS_PERFDATA_NO_CPU UINT32_MAX

struct memphis_perfdata_events {
	struct memphis_perfdata_event *list; /* never moves, since records that wait refer to their events */
	size_t count, room;
	struct memphis_strings ids;            /* each string is an id of 8 bytes */
	struct memphis_perfdata_place *places; /* by number of the string */
	size_t place_room;
	uint32_t ibs_type; /* number of the PMU; 0: none */
	bool named;        /* the events have their names */
	bool accesses;     /* an event samples accesses to memory */
	bool placed;       /* the CPUs of ids are known */
};

/* Adds an event with the `bytes` bytes of its attributes. Returns its index, or a negative errno: -EBADMSG if they are too few, or there are too many events. */
long memphis_perfdata_events_add(struct memphis_perfdata_events *events, const void *attribute, size_t bytes);

/* Adds an id of the event, unless it is that of another one. Returns 0 or -ENOMEM. */
int memphis_perfdata_events_add_id(struct memphis_perfdata_events *events, size_t event, uint64_t id);

/* Says to which CPU an id belongs. An id that is not among those of the events is left out. */
void memphis_perfdata_events_place(struct memphis_perfdata_events *events, uint64_t id, uint32_t cpu);

/* Says which number the PMU of IBS has. The first one counts. */
void memphis_perfdata_events_set_ibs(struct memphis_perfdata_events *events, uint32_t type);
void memphis_perfdata_events_close(struct memphis_perfdata_events *events);

/*
 * Returns the event of a record, or NULL if its id is not in the file. Stores the CPU that its id belongs to, or MEMPHIS_PERFDATA_NO_CPU, in *cpu.
 */
struct memphis_perfdata_event *memphis_perfdata_events_of(const struct memphis_perfdata_events *events,
							  const struct perf_event_header *record,
							  uint32_t *cpu);

#endif
