/* SPDX-License-Identifier: BSD-3-Clause */
/* The sampling hardware as perf offers it to user space: found by trying, asked for by attributes, its records read. */
#ifndef MEMPHIS_PERF_PMU_H
#define MEMPHIS_PERF_PMU_H

#include <stdbool.h>

#include <linux/perf_event.h>

#include <memphis/device.h>

#include "decode/ibs_decode.h"

struct memphis_perf_pmu {
	struct memphis_query query;
	struct perf_event_attr attr;        /* what does not depend on the configuration */
	struct memphis_ibs_machine machine; /* if it is IBS */
	unsigned int record_bytes_min;      /* of a sample in perf's buffer */
	__s64 time_offset_ns;               /* from perf's clock to ours: of this time namespace */
};

/* Does the kernel show such hardware? Safe below malloc(). */
bool memphis_perf_pmu_is_there(void);

/* 0; or -errno, and what would change it in `remedy`. */
int memphis_perf_pmu_find(struct memphis_perf_pmu *pmu, char *remedy, size_t bytes);

struct perf_event_attr memphis_perf_pmu_attr(const struct memphis_perf_pmu *pmu,
					     const struct memphis_config *config);

/*
 * A PERF_RECORD_SAMPLE of such an event. MEMPHIS_REASONS: all of the sample but region and home node is set; else the
 * reason why it is none.
 */
unsigned int memphis_perf_pmu_decode(const struct memphis_perf_pmu *pmu,
				     const struct perf_event_header *header, struct memphis_sample *sample);

/* What a user can do about an error (positive) of perf_event_open() or of the map of its buffer. */
void memphis_perf_pmu_remedy(int err, char *text, size_t bytes);

#endif
