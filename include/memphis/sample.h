/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR BSD-3-Clause */
/*
 * Definitions of a sample and of the accounting of interrupts, shared by the device ABI (device.h) and the format of the sample
 * files (format.h).
 */
#ifndef MEMPHIS_SAMPLE_H
#define MEMPHIS_SAMPLE_H

#include <linux/types.h>

/*
 * The part of the memory hierarchy that supplied the data. It is known for loads only: IBS reports no source
 * for stores, and PEBS load latency does not sample stores.
 */
enum memphis_source {
	MEMPHIS_SOURCE_UNKNOWN = 0, /* not reported by the hardware (all stores, some loads) */
	MEMPHIS_SOURCE_L1 = 1,
	MEMPHIS_SOURCE_L2 = 2,
	MEMPHIS_SOURCE_L3 = 3, /* L3 of the accessing core's complex */
	MEMPHIS_SOURCE_PEER_CACHE =
		4, /* cache of another core complex; on another node if MEMPHIS_FLAG_REMOTE is set */
	MEMPHIS_SOURCE_DRAM = 5,
	MEMPHIS_SOURCE_EXTENSION = 6, /* memory behind CXL, GenZ or similar links */
	MEMPHIS_SOURCE_IO = 7,        /* MMIO, configuration space, uncached memory */
	MEMPHIS_SOURCE_FILL_BUFFER =
		8, /* the line was already being fetched for another access; its origin is unknown */
	MEMPHIS_SOURCES = 9
};

#define MEMPHIS_FLAG_LOAD        0x0001
#define MEMPHIS_FLAG_STORE       0x0002 /* LOAD | STORE is a read-modify-write access */
#define MEMPHIS_FLAG_REMOTE      0x0004 /* the hardware reports that another node served the access */
#define MEMPHIS_FLAG_HITM        0x0008 /* another cache held the line in modified state */
#define MEMPHIS_FLAG_LOCKED      0x0010
#define MEMPHIS_FLAG_L1_TLB_MISS 0x0020
#define MEMPHIS_FLAG_L2_TLB_MISS 0x0040
#define MEMPHIS_FLAG_BY_SOURCE \
	0x0080 /* taken by an event of loads by source; source and flags show by which one */
#define MEMPHIS_FLAGS 0x00ff

/*
 * Events that take samples. The events after ACCESS count and sample retired loads that missed the L3, one
 * event for each data source (Intel's MEM_LOAD_L3_MISS_RETIRED, event D3h, on Skylake-SP and later servers).
 * Each sample gets the source and flags of its event, because the hardware reports neither a source nor a
 * latency. These events do not count stores, prefetches, and loads of a line that another access was already
 * fetching.
 */
enum memphis_sampling_event {
	MEMPHIS_EVENT_ACCESS = 0,         /* IBS: ops; PEBS: loads, with source and latency (load latency) */
	MEMPHIS_EVENT_LOCAL_DRAM = 1,     /* loads from the DRAM of the accessing node */
	MEMPHIS_EVENT_REMOTE_DRAM = 2,    /* loads from another node's DRAM */
	MEMPHIS_EVENT_REMOTE_HITM = 3,    /* loads from a cache of another node that had modified the line */
	MEMPHIS_EVENT_REMOTE_FORWARD = 4, /* loads from a cache of another node that had not modified it */
	MEMPHIS_EVENTS = 5,
	MEMPHIS_EVENTS_MAX = 8 /* size of memphis_stats.counts */
};

#define MEMPHIS_NODE_UNKNOWN 0xffff

/*
 * A sample that passed all filters; 40 bytes. pc and address are user-space addresses of the sampled process. The fields are
 * sorted by decreasing size to avoid padding.
 */
struct memphis_sample {
	__u64 time_ns;        /* CLOCK_MONOTONIC */
	__u64 pc;             /* exact address of the instruction that accessed memory */
	__u64 address;        /* virtual address of the data */
	__u32 region;         /* region at capture time; 0 = no caliper was open */
	__u16 source;         /* enum memphis_source */
	__u16 flags;          /* MEMPHIS_FLAG_* */
	__u16 latency_cycles; /* IBS: duration of the load's L1 miss; 0 = hit or not reported. PEBS:
				* time from dispatch of the load to the arrival of its data */
	__u16 home_node;      /* NUMA node of the page at capture time, or MEMPHIS_NODE_UNKNOWN */
	__u16 cpu;            /* CPU that executed the access */
	__u16 node;           /* NUMA node of that CPU */
};

/*
 * The reason why an interrupt produced no sample. The handler tests the reasons in this order, and counts the first one that
 * applies. LOADS to LATENCY are filters, and apply only if the session has enabled them (memphis_config.drop and
 * .min_latency_cycles).
 */
enum memphis_reason {
	MEMPHIS_REASON_INVALID = 0,    /* no valid instruction address (IBS erratum 1197 and similar) */
	MEMPHIS_REASON_KERNEL_PC,      /* the instruction ran in kernel mode */
	MEMPHIS_REASON_NOT_MEMORY,     /* neither a load nor a store */
	MEMPHIS_REASON_NO_ADDRESS,     /* the record has no valid data address */
	MEMPHIS_REASON_KERNEL_ADDRESS, /* a user instruction accessed kernel data, such as a descriptor table */
	MEMPHIS_REASON_LOADS,
	MEMPHIS_REASON_STORES,
	MEMPHIS_REASON_NOT_DRAM,
	MEMPHIS_REASON_LOCAL,
	MEMPHIS_REASON_LATENCY,
	MEMPHIS_REASON_STOPPED, /* the session was stopped, or the thread executed another program */
	MEMPHIS_REASON_GUEST, /* the thread is a virtual CPU, and ran its guest: the addresses are the guest's */
	MEMPHIS_REASONS,
	MEMPHIS_REASON_NONE = MEMPHIS_REASONS, /* no reason: the sample is kept */
	MEMPHIS_REASONS_MAX = 16 /* size of memphis_accounting.filtered; unused elements are zero */
};

/*
 * Counts of the interrupts of a thread since the thread was attached. Every consistent snapshot (see memphis_status.sequence)
 * satisfies
 *	interrupts == kept + lost + sum(filtered[])
 */
struct memphis_accounting {
	__u64 interrupts;
	__u64 kept;                          /* written to the ring */
	__u64 lost;                          /* passed all filters, but the ring was full */
	__u64 throttled;                     /* times that perf throttled the event; not part of the sum */
	__u64 filtered[MEMPHIS_REASONS_MAX]; /* dropped interrupts, indexed by enum memphis_reason */
};

#endif
