/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR BSD-3-Clause */
/*
 * A sample, and the accounting of all interrupts. Shared by the device ABI (device.h) and the sample files (format.h).
 */
#ifndef MEMPHIS_SAMPLE_H
#define MEMPHIS_SAMPLE_H

#include <linux/types.h>

/* Where the data came from. Known for loads only: IBS reports no source for stores, and PEBS load latency samples no
 * stores. */
enum memphis_source {
	MEMPHIS_SOURCE_UNKNOWN = 0, /* not reported by the hardware (all stores, some loads) */
	MEMPHIS_SOURCE_L1 = 1,
	MEMPHIS_SOURCE_L2 = 2,
	MEMPHIS_SOURCE_L3 = 3, /* L3 of the accessing core's complex */
	MEMPHIS_SOURCE_PEER_CACHE =
		4, /* cache of another core complex; MEMPHIS_FLAG_REMOTE: on another node */
	MEMPHIS_SOURCE_DRAM = 5,
	MEMPHIS_SOURCE_EXTENSION = 6, /* memory behind CXL, GenZ or similar links */
	MEMPHIS_SOURCE_IO = 7,        /* MMIO, configuration space, uncached memory */
	MEMPHIS_SOURCE_FILL_BUFFER =
		8, /* the line was being fetched for another access; its origin is unknown */
	MEMPHIS_SOURCES = 9
};

#define MEMPHIS_FLAG_LOAD        0x0001
#define MEMPHIS_FLAG_STORE       0x0002 /* LOAD and STORE together: read-modify-write */
#define MEMPHIS_FLAG_REMOTE      0x0004 /* served by another node, according to the hardware */
#define MEMPHIS_FLAG_HITM        0x0008 /* another cache held the line modified */
#define MEMPHIS_FLAG_LOCKED      0x0010
#define MEMPHIS_FLAG_L1_TLB_MISS 0x0020
#define MEMPHIS_FLAG_L2_TLB_MISS 0x0040
#define MEMPHIS_FLAGS            0x007f

#define MEMPHIS_NODE_UNKNOWN 0xffff

/*
 * A kept sample, 40 bytes. pc and address are user addresses of the sampled process. Fields are sorted by decreasing size, which
 * avoids padding.
 */
struct memphis_sample {
	__u64 time_ns;        /* CLOCK_MONOTONIC */
	__u64 pc;             /* exact address of the instruction that made the access */
	__u64 address;        /* virtual address of the data */
	__u32 region;         /* caliper region at capture time; 0 = outside every caliper */
	__u16 source;         /* enum memphis_source */
	__u16 flags;          /* MEMPHIS_FLAG_* */
	__u16 latency_cycles; /* IBS: duration of the load's L1 miss; 0 = hit or not reported. PEBS:
				* from dispatch of the load to the arrival of its data */
	__u16 home_node;      /* node of the page at capture time, or MEMPHIS_NODE_UNKNOWN */
	__u16 cpu;            /* CPU that made the access */
	__u16 node;           /* NUMA node of that CPU */
};

/*
 * Why an interrupt produced no sample. The handler tests the reasons in this order and counts the first that applies;
 * LOADS to LATENCY apply only if the session requests that filter (memphis_config.drop, .min_latency).
 */
enum memphis_reason {
	MEMPHIS_REASON_INVALID = 0,    /* no valid instruction address (IBS erratum 1197 and similar) */
	MEMPHIS_REASON_KERNEL_PC,      /* the instruction ran in kernel mode */
	MEMPHIS_REASON_NOT_MEMORY,     /* neither a load nor a store */
	MEMPHIS_REASON_NO_ADDRESS,     /* a memory access whose data address is not valid */
	MEMPHIS_REASON_KERNEL_ADDRESS, /* user instruction, kernel data (such as descriptor tables) */
	MEMPHIS_REASON_LOADS,
	MEMPHIS_REASON_STORES,
	MEMPHIS_REASON_NOT_DRAM,
	MEMPHIS_REASON_LOCAL,
	MEMPHIS_REASON_LATENCY,
	MEMPHIS_REASON_STOPPED, /* arrived after the session was stopped */
	MEMPHIS_REASONS,
	MEMPHIS_REASONS_MAX = 16 /* room in struct memphis_accounting; the rest is zero */
};

/*
 * Counts of the interrupts of a thread since it was attached. In every snapshot taken under memphis_status.sequence:
 *	interrupts == kept + lost + sum(filtered[])
 */
struct memphis_accounting {
	__u64 interrupts;
	__u64 kept;                          /* written to the ring */
	__u64 lost;                          /* passed all filters, but the ring was full */
	__u64 throttled;                     /* times that perf throttled the event; not part of the sum */
	__u64 filtered[MEMPHIS_REASONS_MAX]; /* by enum memphis_reason */
};

#endif
