/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * From what perf says of a record of Intel's PEBS load latency facility to a sample, or to the reason
 * why there is none. Pure, as ibs_decode.h.
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
	bool exact;     /* pc is the instruction that made the access, not one near it */
	__u64 address;  /* 0: perf gave none */
	__u64 data_src; /* union perf_mem_data_src */
	__u64 weight;   /* cycles from dispatch to the data's arrival */
};

/*
 * Returns MEMPHIS_REASONS for a user-mode access to user data; then pc, address, source, flags and
 * latency_cycles of the sample are set. Otherwise a reason, at most MEMPHIS_REASON_KERNEL_ADDRESS, and
 * nothing is set. User addresses lie below user_limit.
 */
unsigned int memphis_pebs_decode(const struct memphis_pebs_record *record, __u64 user_limit,
				 struct memphis_sample *sample);

#endif
