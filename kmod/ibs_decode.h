/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From the raw record of AMD's Instruction-Based Sampling to a sample, or to the reason why there is
 * none. Pure: no kernel service is used, so that the same source runs in user space under the tests.
 */
#ifndef MEMPHIS_IBS_DECODE_H
#define MEMPHIS_IBS_DECODE_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdbool.h>
#include <linux/types.h>
#endif

#include <memphis/sample.h>

/* CPUID Fn8000_001B EAX, what is used of it; docs/hardware.md has all of it. */
#define MEMPHIS_IBS_CAP_AVAILABLE   0x00001 /* the other bits are valid */
#define MEMPHIS_IBS_CAP_OP          0x00004 /* op sampling */
#define MEMPHIS_IBS_CAP_COUNT_OPS   0x00010 /* the period can count ops */
#define MEMPHIS_IBS_CAP_LONG_COUNT  0x00040 /* seven more bits for the period */
#define MEMPHIS_IBS_CAP_RIP_INVALID 0x00080 /* the record tells when its RIP is not valid */
#define MEMPHIS_IBS_CAP_ZEN4        0x00800 /* DataSrc has five bits; only L3 misses can be asked for */
#define MEMPHIS_IBS_CAP_DTLB        0x80000 /* TLB bits are valid with the physical address only */

struct memphis_ibs_source;

/* What the reading of a record depends on; constant for a machine. */
struct memphis_ibs_machine {
	const struct memphis_ibs_source *sources; /* by DataSrc ... */
	unsigned int source_mask;                 /* ... of so many bits */
	bool cache_hit_state;                     /* CacheHitSt of IbsOpData2 is implemented */
	__u64 rip_invalid;                        /* the bit of IbsOpData that says so; 0: none does */
	__u64 blind;      /* IbsOpData3: with one of these bits, neither L2Miss nor IbsOpData2 is valid */
	__u64 tlb_valid;  /* IbsOpData3: the TLB bits need all of these */
	__u64 user_limit; /* user addresses lie below */
};

/* Order of the registers in the record, as perf hands it out; what follows is not used here. */
enum memphis_ibs_register {
	MEMPHIS_IBS_OP_CTL,
	MEMPHIS_IBS_OP_RIP,
	MEMPHIS_IBS_OP_DATA,
	MEMPHIS_IBS_OP_DATA2,
	MEMPHIS_IBS_OP_DATA3,
	MEMPHIS_IBS_DC_LINEAR,
	MEMPHIS_IBS_DC_PHYSICAL,
	MEMPHIS_IBS_REGISTERS
};

/* perf's raw record: u32 capabilities, then the registers; more of them on newer hardware. */
struct memphis_ibs_record {
	__u32 capabilities;
	__u64 registers[MEMPHIS_IBS_REGISTERS];
} __attribute__((packed));

#define MEMPHIS_IBS_NO_PHYSICAL (~0ULL)

void memphis_ibs_machine_init(struct memphis_ibs_machine *machine, unsigned int family, unsigned int model,
			      __u32 capabilities, __u64 user_limit);

/*
 * Returns MEMPHIS_REASONS for a user-mode access to user data; then pc, address, source, flags and
 * latency_cycles of the sample are set, and *physical (or MEMPHIS_IBS_NO_PHYSICAL). Otherwise a reason,
 * at most MEMPHIS_REASON_KERNEL_ADDRESS, and nothing is set.
 */
unsigned int memphis_ibs_decode(const struct memphis_ibs_machine *machine, const void *record,
				unsigned int record_bytes, struct memphis_sample *sample, __u64 *physical);

#endif
