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

/* CPUID Fn8000_001B EAX. */
#define MEMPHIS_IBS_CAP_AVAILABLE   0x001 /* the other bits are valid */
#define MEMPHIS_IBS_CAP_OP          0x004 /* op sampling */
#define MEMPHIS_IBS_CAP_COUNT_OPS   0x010 /* the period can count ops */
#define MEMPHIS_IBS_CAP_LONG_COUNT  0x040 /* seven more bits for the period */
#define MEMPHIS_IBS_CAP_RIP_INVALID 0x080 /* the record tells when its RIP is not valid */
#define MEMPHIS_IBS_CAP_ZEN4        0x800 /* DataSrc has five bits */

/* What the reading of a record depends on; constant for a machine. */
struct memphis_ibs_machine {
	__u32 capabilities;   /* CPUID Fn8000_001B EAX */
	bool cache_hit_state; /* CacheHitSt of IbsOpData2 is implemented */
	bool erratum_1293;    /* L2Miss and IbsOpData2 may be wrong, see ibs_decode.c */
	__u64 user_limit;     /* user addresses lie below */
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
