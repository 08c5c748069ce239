/* SPDX-License-Identifier: BSD-3-Clause */
/* The records that perf writes to the buffer of a sampling event. */
#ifndef MEMPHIS_PERF_RECORD_H
#define MEMPHIS_PERF_RECORD_H

#include <stdbool.h>

#include <linux/perf_event.h>

#include "backend/perf_pmu.h"

/* Registers of the program in each sample with a stack. The order is that of their numbers in perf. */
enum { MEMPHIS_PERF_BP, MEMPHIS_PERF_SP, MEMPHIS_PERF_IP, MEMPHIS_PERF_REGISTERS };

/* The contents of a PERF_RECORD_SAMPLE. A field is 0 if the event's attributes do not ask for it. */
struct memphis_perf_fields {
	__u64 ip, time_ns, address, weight, data_src;
	__u32 cpu;
	const void *raw;
	__u32 raw_bytes;
	__u64 interrupted_ip; /* instruction of the program that the interrupt hit; 0: unknown */
	__u64 user[MEMPHIS_PERF_REGISTERS], sampled[MEMPHIS_PERF_REGISTERS];
	const void *stack; /* copy of the memory at user[MEMPHIS_PERF_SP] */
	__u64 stack_bytes;
};

/* Reads a PERF_RECORD_SAMPLE of an event with this sample_type. Returns false if the record is too short for its fields. */
bool memphis_perf_read_fields(const struct perf_event_header *header, __u64 sample_type,
			      struct memphis_perf_fields *fields);

/* Returns the time of a PERF_RECORD_SAMPLE by perf's clock, or 0 for other records. */
__u64 memphis_perf_time(const struct perf_event_header *header, __u64 sample_type);

/*
 * Decodes a sample of a sampling event. On success, returns MEMPHIS_REASON_NONE and sets all members of
 * *sample except region and home node. Otherwise returns the reason for dropping the record.
 */
unsigned int memphis_perf_decode(const struct memphis_perf_pmu *pmu, __u32 event,
				 const struct perf_event_header *header,
				 const struct memphis_perf_fields *fields, struct memphis_sample *sample);

/*
 * Copies the stack of a sample to *stack, in the way of the module (memphis/device.h). There is room for
 * `bytes` after *stack. The member `sample` of *stack remains 0.
 */
void memphis_perf_stack(const struct memphis_perf_pmu *pmu, const struct memphis_perf_fields *fields,
			struct memphis_user_stack *stack, __u32 bytes);

/*
 * Returns the number of records lost before this one if it is a PERF_RECORD_LOST, otherwise 0. Always returns
 * 0 if read(2) of an event returns the number of lost records (Linux 6.0).
 */
__u64 memphis_perf_lost(const struct memphis_perf_pmu *pmu, const struct perf_event_header *header);

#endif
