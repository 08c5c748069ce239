/* SPDX-License-Identifier: BSD-3-Clause */
/* The sampling hardware that perf offers to user space: detects the PMU and provides the attributes of its events. */
#ifndef MEMPHIS_PERF_PMU_H
#define MEMPHIS_PERF_PMU_H

#include <stdbool.h>

#include <linux/perf_event.h>

#include <memphis/device.h>

#include "decode/ibs_decode.h"

/* PERF_FORMAT_LOST of Linux 6.0. The kernel headers of Debian 12 do not define it. */
#define MEMPHIS_PERF_FORMAT_LOST (1u << 4)

/* With four-level page tables, user addresses are below this address. */
#define MEMPHIS_PERF_USER_LIMIT 0x7ffffffff000

struct memphis_perf_pmu {
	struct memphis_query query;
	struct perf_event_attr attr;        /* attributes that do not depend on the configuration */
	struct memphis_ibs_machine machine; /* IBS only */
	unsigned int record_bytes_min;      /* size of the smallest sample without a stack in perf's buffer */
	bool can_exclude_kernel;            /* IBS only: perf can drop samples of the kernel (swfilt) */
	bool needs_leader;    /* load latency must be in the group of an auxiliary event (Sapphire Rapids,
			    * Emerald Rapids) */
	__s64 time_offset_ns; /* offset of this time namespace; it is added to perf's clock */
};

/* Returns true if the kernel lists a supported PMU. Does not allocate, so the interposed malloc() can call it. */
bool memphis_perf_pmu_is_there(void);

/* Finds the PMU and fills in *pmu. Returns 0. On failure, returns -errno and writes advice for the user to `remedy`. */
int memphis_perf_pmu_find(struct memphis_perf_pmu *pmu, char *remedy, size_t bytes);

/* Returns the attributes of a sampling event (enum memphis_sampling_event) for this configuration. */
struct perf_event_attr memphis_perf_pmu_attr(const struct memphis_perf_pmu *pmu,
					     const struct memphis_config *config, __u32 event);

/*
 * Returns true if the event must be in the group of another event, the leader. Then stores the attributes of
 * the leader. What the leader counts is irrelevant.
 */
bool memphis_perf_pmu_leader(const struct memphis_perf_pmu *pmu, __u32 event, struct perf_event_attr *attr);

/*
 * Makes perf drop IBS samples of the kernel. This is necessary if the user has no right to sample the kernel.
 * No count contains the dropped samples. Returns true if the attributes were changed. Returns false if this
 * is not possible, or if they were changed before.
 */
bool memphis_perf_pmu_exclude_kernel(struct memphis_perf_pmu *pmu);

/* Returns the node of a CPU, or MEMPHIS_NODE_UNKNOWN. */
__u16 memphis_perf_pmu_node(__u32 cpu);

/* Writes a remedy for a failed perf_event_open() or for a failed mmap() of its buffer to `text`. `err`: a positive errno. */
void memphis_perf_pmu_remedy(int err, char *text, size_t bytes);

#endif
