/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * In place of the kernel's header: struct perf_sample_data, perf_sample_data_init() and the flags that drivers set, of the kernel that
 * MOCK_KERNEL names, with the members that the module reads.
 */
#ifndef MOCK_PERF_EVENT_H
#define MOCK_PERF_EVENT_H

#include_next <linux/perf_event.h>

#include <linux/types.h>

typedef __u64 u64;

struct perf_raw_record;
struct perf_event_attr;

/* Operation, level, snoop, lock and TLB: not available. */
#define PERF_MEM_NA 0x2000a0000021ULL

#include MOCK_KERNEL

#endif
