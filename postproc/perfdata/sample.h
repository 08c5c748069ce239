/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the fields of a SAMPLE record, and the fields at the end of the kernel's other records. */
#ifndef MEMPHIS_PERFDATA_SAMPLE_H
#define MEMPHIS_PERFDATA_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>

#include "perfdata/perf_format.h"

/*
 * The places of fields that are words of 8 bytes, in bytes from the start of the record; 0 if the event does not
 * record the field. Fields after the first one of variable size are at another place in each sample.
 */
struct memphis_perfdata_layout {
	uint16_t identifier, ip, thread, time, address, id, cpu, period, weight, data_src, physical;
	uint16_t bytes;          /* size of the header and all fields before the first one of variable size */
	uint16_t first_variable; /* number of the first field of variable size, in the order of the record */
};

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

/* Returns the layout of the samples of an event. */
struct memphis_perfdata_layout memphis_perfdata_layout_of(const struct perf_event_attr *attribute);

/* Reads a SAMPLE record of the event. Returns false if the record is too short for its fields. */
bool memphis_perfdata_sample_read(const struct perf_event_attr *attribute,
				  const struct memphis_perfdata_layout *layout,
				  const struct perf_event_header *record,
				  struct memphis_perfdata_sample *sample);

/*
 * Reads thread and time at the end of another record. Returns false if the record has no such fields. Records
 * that perf has synthesized have none.
 */
bool memphis_perfdata_trailer_read(const struct perf_event_attr *attribute,
				   const struct perf_event_header *record,
				   struct memphis_perfdata_sample *sample);

/* Stores the time of a record of any type. Returns false if the record is too short or has no time. */
bool memphis_perfdata_time(const struct perf_event_attr *attribute,
			   const struct memphis_perfdata_layout *layout,
			   const struct perf_event_header *record, uint64_t *time_ns);

/* Returns the size in bytes of the fields (thread, time and others) at the end of records other than SAMPLE. */
size_t memphis_perfdata_trailer_bytes(const struct perf_event_attr *attribute);

#endif
