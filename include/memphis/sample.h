/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR BSD-3-Clause */
/*
 * What one sample says, and the accounting of every interrupt.
 * Shared by the device ABI (device.h) and the sample file (format.h): declared once, here.
 */
#ifndef MEMPHIS_SAMPLE_H
#define MEMPHIS_SAMPLE_H

#include <linux/types.h>

/* Where the data came from. Known for loads only: a store carries no source on IBS, and PEBS load
 * latency samples no stores. */
enum memphis_source {
	MEMPHIS_SOURCE_UNKNOWN = 0, /* not told by the hardware (every store, some loads) */
	MEMPHIS_SOURCE_L1 = 1,
	MEMPHIS_SOURCE_L2 = 2,
	MEMPHIS_SOURCE_L3 = 3,         /* the L3 of the accessing core's own complex */
	MEMPHIS_SOURCE_PEER_CACHE = 4, /* another core complex; node told by MEMPHIS_FLAG_REMOTE */
	MEMPHIS_SOURCE_DRAM = 5,
	MEMPHIS_SOURCE_EXTENSION = 6,   /* memory behind CXL, GenZ and the like */
	MEMPHIS_SOURCE_IO = 7,          /* MMIO, configuration space, uncached memory */
	MEMPHIS_SOURCE_FILL_BUFFER = 8, /* another access had asked for the line, and no more is told */
	MEMPHIS_SOURCES = 9
};

#define MEMPHIS_FLAG_LOAD        0x0001
#define MEMPHIS_FLAG_STORE       0x0002 /* LOAD and STORE together: read-modify-write */
#define MEMPHIS_FLAG_REMOTE      0x0004 /* the hardware says: served by another node */
#define MEMPHIS_FLAG_HITM        0x0008 /* another cache held the line modified */
#define MEMPHIS_FLAG_LOCKED      0x0010
#define MEMPHIS_FLAG_L1_TLB_MISS 0x0020
#define MEMPHIS_FLAG_L2_TLB_MISS 0x0040
#define MEMPHIS_FLAGS            0x007f

#define MEMPHIS_NODE_UNKNOWN 0xffff

/*
 * One kept sample, 40 bytes. pc and address are user addresses of the sampled process.
 * Fields are in falling size, so that there is no padding.
 */
struct memphis_sample {
	__u64 time_ns;        /* CLOCK_MONOTONIC */
	__u64 pc;             /* exact address of the instruction that made the access */
	__u64 address;        /* virtual address of the data */
	__u32 region;         /* caliper region at capture time; 0 = outside every caliper */
	__u16 source;         /* enum memphis_source */
	__u16 flags;          /* MEMPHIS_FLAG_* */
	__u16 latency_cycles; /* IBS: cycles the load missed the L1 cache; 0 = hit or not told. PEBS:
				* from its dispatch to the data's arrival */
	__u16 home_node;      /* node that owned the page at capture; MEMPHIS_NODE_UNKNOWN */
	__u16 cpu;            /* the CPU that made the access ... */
	__u16 node;           /* ... and its node */
};

/*
 * Why an interrupt left no sample. The handler tests in this order, and counts the first that holds;
 * LOADS to LATENCY only when the session asked for that filter (memphis_config.drop, .min_latency).
 */
enum memphis_reason {
	MEMPHIS_REASON_INVALID = 0,    /* no valid instruction address (IBS erratum 1197 and kin) */
	MEMPHIS_REASON_KERNEL_PC,      /* the instruction ran in kernel mode */
	MEMPHIS_REASON_NOT_MEMORY,     /* neither a load nor a store */
	MEMPHIS_REASON_NO_ADDRESS,     /* a memory access whose data address is not valid */
	MEMPHIS_REASON_KERNEL_ADDRESS, /* user instruction, kernel data (descriptor tables ...) */
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
 * The accounting of one thread. At rest, and in every snapshot taken under `sequence`:
 *	interrupts == kept + lost + sum(filtered[])
 * All counts are of interrupts since the thread was attached.
 */
struct memphis_accounting {
	__u64 interrupts;
	__u64 kept;                          /* written to the ring */
	__u64 lost;                          /* wanted, but the ring was full */
	__u64 throttled;                     /* times perf paused the event; informative */
	__u64 filtered[MEMPHIS_REASONS_MAX]; /* by enum memphis_reason */
};

#endif
