/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Converts a record of Intel's PEBS load latency facility, as provided by perf, into a sample, or into the reason
 * why there is no sample. Like ibs_decode.h, the code uses no kernel services.
 */
#ifndef MEMPHIS_PEBS_DECODE_H
#define MEMPHIS_PEBS_DECODE_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdbool.h>
#include <linux/types.h>
#endif

#include <memphis/sample.h>

struct memphis_pebs_record {
	__u64 pc;
	bool exact;     /* pc is the exact address of the instruction that accessed memory */
	__u64 address;  /* 0 if perf reported none */
	__u64 data_src; /* union perf_mem_data_src */
	__u64 weight;   /* cycles from dispatch until the data arrived */
	__u32 event; /* enum memphis_sampling_event; data_src and weight are ignored unless it is MEMPHIS_EVENT_ACCESS */
};

/*
 * If the record is a user-mode access to user data, sets pc, address, source, flags and latency_cycles of the sample,
 * and returns MEMPHIS_REASON_NONE. Otherwise returns the reason to drop the record, at most
 * MEMPHIS_REASON_KERNEL_ADDRESS, and leaves the sample unchanged. User addresses are below user_limit.
 */
unsigned int memphis_pebs_decode(const struct memphis_pebs_record *record, __u64 user_limit,
				 struct memphis_sample *sample);

#endif
