/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the fields of a SAMPLE record, and the fields at the end of the kernel's other records. */
#ifndef MEMPHIS_PERFDATA_SAMPLE_H
#define MEMPHIS_PERFDATA_SAMPLE_H

#include "perfdata/events.h"

/* The fields of a sample. Fields that the event does not record are 0. */
struct memphis_perfdata_sample {
	uint64_t ip, time_ns, address, period, weight, data_src, physical;
	uint32_t pid, tid, cpu;
	bool has_cpu;
	const void *raw;
	uint32_t raw_bytes;
	const uint8_t *chain; /* see PERF_SAMPLE_CALLCHAIN */
	uint64_t chain_words;
	/* Registers in user mode, in the order of the bits of the mask; NULL if it was not there. */
	const uint8_t *registers;
	uint64_t register_mask;
	const uint8_t *stack; /* a copy of the stack, from the stack pointer on */
	uint64_t stack_bytes;
};

/* Reads a SAMPLE record of the event. Returns false if the record is too short for its fields. */
bool memphis_perfdata_sample_read(const struct memphis_perfdata_event *event,
				  const struct perf_event_header *record,
				  struct memphis_perfdata_sample *sample);

/*
 * Reads thread and time at the end of another record. Returns false if the record has no such fields. Records
 * that perf has synthesized have none.
 */
bool memphis_perfdata_trailer_read(const struct memphis_perfdata_event *event,
				   const struct perf_event_header *record,
				   struct memphis_perfdata_sample *sample);

/* Stores the time of a record of any size. Returns false if the record is too short or has no time. */
bool memphis_perfdata_time(const struct memphis_perfdata_event *event, const struct perf_event_header *record,
			   uint64_t *time_ns);

/* Returns the size in bytes of the fields (thread, time and others) at the end of records other than SAMPLE. */
size_t memphis_perfdata_trailer_bytes(const struct memphis_perfdata_event *event);

#endif
