/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sampling hardware that perf offers to user space: detection of the PMU, attributes of its events, and
 * decoding of their records.
 */
#ifndef MEMPHIS_PERF_PMU_H
#define MEMPHIS_PERF_PMU_H

#include <stdbool.h>

#include <linux/perf_event.h>

#include <memphis/device.h>

#include "decode/ibs_decode.h"

struct memphis_perf_pmu {
	struct memphis_query query;
	struct perf_event_attr attr;        /* attributes that do not depend on the configuration */
	struct memphis_ibs_machine machine; /* IBS only */
	unsigned int record_bytes_min;      /* size of the smallest sample in perf's buffer */
	bool can_exclude_kernel;            /* IBS only: perf can drop samples of the kernel (swfilt) */
	bool needs_leader; /* load latency must be in the group of an auxiliary event (Sapphire, Emerald Rapids) */
	__s64 time_offset_ns; /* offset of this time namespace, added to perf's clock */
};

/*
 * Returns true if the kernel lists a supported PMU. Does not allocate, so it can be called from the
 * interposed malloc().
 */
bool memphis_perf_pmu_is_there(void);

/* Finds the PMU and fills in *pmu. Returns 0, or -errno and advice for the user in `remedy`. */
int memphis_perf_pmu_find(struct memphis_perf_pmu *pmu, char *remedy, size_t bytes);

/* Returns the attributes of a sampling event (enum memphis_sampling_event) with this configuration. */
struct perf_event_attr memphis_perf_pmu_attr(const struct memphis_perf_pmu *pmu,
					     const struct memphis_config *config, __u32 event);

/*
 * Returns true if the event must be in the group of another event, and stores the attributes of that event. What it counts is
 * irrelevant.
 */
bool memphis_perf_pmu_leader(const struct memphis_perf_pmu *pmu, __u32 event, struct perf_event_attr *attr);

/*
 * Lets perf drop IBS samples of the kernel, which a user without the right to sample the kernel must. They are in no count then.
 * Returns true if the attributes were changed, and false if they can't be, or were before.
 */
bool memphis_perf_pmu_exclude_kernel(struct memphis_perf_pmu *pmu);

/*
 * Decodes a PERF_RECORD_SAMPLE of a sampling event. Returns MEMPHIS_REASONS if the record is a sample, and
 * sets all fields except region and home node. Otherwise returns the reason to drop the record.
 */
unsigned int memphis_perf_pmu_decode(const struct memphis_perf_pmu *pmu, __u32 event,
				     const struct perf_event_header *header, struct memphis_sample *sample);

/* Returns the time of a PERF_RECORD_SAMPLE, by perf's clock, and 0 for other records. */
__u64 memphis_perf_pmu_time(const struct memphis_perf_pmu *pmu, const struct perf_event_header *header);

/*
 * Returns how many records before this one are lost if it is a PERF_RECORD_LOST, and 0 for other records. Always 0 if read(2) of an
 * event returns this number (Linux 6.0).
 */
__u64 memphis_perf_pmu_lost(const struct memphis_perf_pmu *pmu, const struct perf_event_header *header);

/* Writes a remedy for a failed perf_event_open(), or a failed mmap() of its buffer, to `text`. `err` is a positive errno. */
void memphis_perf_pmu_remedy(int err, char *text, size_t bytes);

#endif
