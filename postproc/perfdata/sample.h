/* SPDX-License-Identifier: BSD-3-Clause */
/* The contents of records of the kernel: the fields of a sample, and those at the end of other records. */
#ifndef MEMPHIS_PERFDATA_SAMPLE_H
#define MEMPHIS_PERFDATA_SAMPLE_H

#include "perfdata/events.h"

/* Fields that the event does not ask for are 0. */
struct memphis_perfdata_sample {
	uint64_t ip, time_ns, address, period, weight, data_src, physical;
	uint32_t pid, tid, cpu;
	bool has_cpu;
	const void *raw;
	uint32_t raw_bytes;
	const uint8_t *chain; /* words, see PERF_SAMPLE_CALLCHAIN */
	uint64_t chain_words;
};

/* Reads a SAMPLE of the event. Returns false if the record is too short for its fields. */
bool memphis_perfdata_sample_read(const struct memphis_perfdata_event *event,
				  const struct perf_event_header *record,
				  struct memphis_perfdata_sample *sample);

/* Reads thread and time of another record. Returns false if it has none, as one that perf has synthesized. */
bool memphis_perfdata_trailer_read(const struct memphis_perfdata_event *event,
				   const struct perf_event_header *record,
				   struct memphis_perfdata_sample *sample);

/* Stores the time of a record, which may be too short. Returns false if it has none. */
bool memphis_perfdata_time(const struct memphis_perfdata_event *event, const struct perf_event_header *record,
			   uint64_t *time_ns);

/* Returns how many bytes at the record's end are thread, time and the like. */
size_t memphis_perfdata_trailer_bytes(const struct memphis_perfdata_event *event);

#endif
