/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sampling hardware that perf offers to user space: detection of the PMU, and attributes of its events.
 */
#ifndef MEMPHIS_PERF_PMU_H
#define MEMPHIS_PERF_PMU_H

#include <stdbool.h>

#include <linux/perf_event.h>

#include <memphis/device.h>

#include "decode/ibs_decode.h"

/* PERF_FORMAT_LOST, Linux 6.0, which is missing in the kernel headers of Debian 12. */
#define MEMPHIS_PERF_FORMAT_LOST (1u << 4)

/* With four-level page tables, user addresses end one page below this address. */
#define MEMPHIS_PERF_USER_LIMIT 0x7ffffffff000

struct memphis_perf_pmu {
	struct memphis_query query;
	struct perf_event_attr attr;        /* attributes that do not depend on the configuration */
	struct memphis_ibs_machine machine; /* IBS only */
	unsigned int record_bytes_min; /* size of the smallest sample in perf's buffer, without a stack */
	bool can_exclude_kernel;       /* IBS only: perf can drop samples of the kernel (swfilt) */
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
 * Lets perf drop IBS samples of the kernel, as a user without the right to sample the kernel must. No count contains these samples then.
 * Returns true if the attributes were changed, and false if they can't be, or were before.
 */
bool memphis_perf_pmu_exclude_kernel(struct memphis_perf_pmu *pmu);

/* Returns the node of a CPU, or MEMPHIS_NODE_UNKNOWN. */
__u16 memphis_perf_pmu_node(__u32 cpu);

/* Writes a remedy for a failed perf_event_open(), or a failed mmap() of its buffer, to `text`. `err` is a positive errno. */
void memphis_perf_pmu_remedy(int err, char *text, size_t bytes);

#endif
