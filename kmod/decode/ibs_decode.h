/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Converts a raw record of AMD's Instruction-Based Sampling (IBS) into a sample, or returns the reason why
 * there is no sample. The code uses no kernel services, because it is also compiled for user space: for the
 * tests, and for the library, which reads such records from perf if the module is not loaded. The functions
 * are inline, so that a dropped sample needs hardly any memory accesses.
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

/* Bits of CPUID Fn8000_001B EAX that are used here; docs/hardware.md lists all bits. */
#define MEMPHIS_IBS_CAP_AVAILABLE   0x00001 /* the other bits are valid */
#define MEMPHIS_IBS_CAP_OP          0x00004 /* op sampling */
#define MEMPHIS_IBS_CAP_COUNT_OPS   0x00010 /* the period can count ops */
#define MEMPHIS_IBS_CAP_LONG_COUNT  0x00040 /* the period has seven more bits */
#define MEMPHIS_IBS_CAP_RIP_INVALID 0x00080 /* the record has a flag for an invalid RIP */
#define MEMPHIS_IBS_CAP_ZEN4        0x00800 /* DataSrc has five bits; the hardware can filter for L3 misses */
#define MEMPHIS_IBS_CAP_LATENCY     0x01000 /* the hardware can filter for slow loads */
#define MEMPHIS_IBS_CAP_DTLB        0x80000 /* TLB bits are valid only with a physical address */

/* The meaning of one value of DataSrc. Values without an entry are reserved, and are decoded as MEMPHIS_SOURCE_UNKNOWN. */
struct memphis_ibs_source {
	__u8 source;        /* enum memphis_source */
	__u8 remote_source; /* enum memphis_source if RmtNode is set; 0 if RmtNode is not valid for this
			     * value */
	bool remote;        /* this value implies that the data came from another node */
	bool hit_state;     /* CacheHitSt is valid for this value */
};

/* The properties of the CPU that the decoder needs. memphis_ibs_machine_init() sets them, and they never change afterwards. */
struct memphis_ibs_machine {
	const struct memphis_ibs_source *sources; /* indexed by DataSrc & source_mask */
	unsigned int source_mask;
	bool cache_hit_state; /* CacheHitSt of IbsOpData2 is implemented */
	__u64 rip_invalid; /* bit of IbsOpData that is set if RIP is not valid; 0 if there is no such bit */
	__u64 blind;       /* bits of IbsOpData3: if any is set, neither L2Miss nor IbsOpData2 is valid */
	__u64 tlb_valid;   /* bits of IbsOpData3: the TLB bits are valid only if all of them are set */
	__u64 user_limit;  /* user addresses are below this address */
};

/* Indices of the registers in perf's raw record. The record may contain further registers, which are not used here. */
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

/* perf's raw record: the capabilities, followed by the registers. Newer hardware adds registers at the end. */
struct memphis_ibs_record {
	__u32 capabilities;
	__u64 registers[MEMPHIS_IBS_REGISTERS];
} __attribute__((packed));

#define MEMPHIS_IBS_NO_PHYSICAL (~0ULL)

/* Bits and fields of the registers. */
#define MEMPHIS_IBS_BIT(n) (1ULL << (n))

#define MEMPHIS_IBS_CTL_VALID MEMPHIS_IBS_BIT(18)

#define MEMPHIS_IBS_DATA_RIP_INVALID MEMPHIS_IBS_BIT(38)

#define MEMPHIS_IBS_DATA2_SOURCE(x)       (((x)&7) | ((x) >> 3 & 0x18))
#define MEMPHIS_IBS_DATA2_REMOTE          MEMPHIS_IBS_BIT(4)
#define MEMPHIS_IBS_DATA2_CACHE_HIT_OWNED MEMPHIS_IBS_BIT(5) /* 0: the line was modified, 1: owned */

#define MEMPHIS_IBS_DATA3_LOAD            MEMPHIS_IBS_BIT(0)
#define MEMPHIS_IBS_DATA3_STORE           MEMPHIS_IBS_BIT(1)
#define MEMPHIS_IBS_DATA3_L1_TLB_MISS     MEMPHIS_IBS_BIT(2)
#define MEMPHIS_IBS_DATA3_L2_TLB_MISS     MEMPHIS_IBS_BIT(3)
#define MEMPHIS_IBS_DATA3_L1_MISS         MEMPHIS_IBS_BIT(7)
#define MEMPHIS_IBS_DATA3_UNCACHED        MEMPHIS_IBS_BIT(14)
#define MEMPHIS_IBS_DATA3_LOCKED          MEMPHIS_IBS_BIT(15)
#define MEMPHIS_IBS_DATA3_NO_MAB          MEMPHIS_IBS_BIT(16) /* missed, but no miss buffer was allocated */
#define MEMPHIS_IBS_DATA3_LINEAR_VALID    MEMPHIS_IBS_BIT(17)
#define MEMPHIS_IBS_DATA3_PHYSICAL_VALID  MEMPHIS_IBS_BIT(18)
#define MEMPHIS_IBS_DATA3_L2_MISS         MEMPHIS_IBS_BIT(20)
#define MEMPHIS_IBS_DATA3_PREFETCH        MEMPHIS_IBS_BIT(21)
#define MEMPHIS_IBS_DATA3_MISS_LATENCY(x) (((x) >> 32) & 0xffff)

void memphis_ibs_machine_init(struct memphis_ibs_machine *machine, unsigned int family, unsigned int model,
			      __u32 capabilities, __u64 user_limit);

/* Decodes the data source of a load. Sets source and latency_cycles of the sample, and adds bits to flags. */
static __always_inline void memphis_ibs_decode_source(const struct memphis_ibs_machine *machine, __u64 data2,
						      __u64 data3, struct memphis_sample *sample)
{
	const struct memphis_ibs_source *source;
	bool blind = data3 & machine->blind;

	if (blind)
		data2 = 0;
	source = &machine->sources[MEMPHIS_IBS_DATA2_SOURCE(data2) & machine->source_mask];

	/* For an uncached access DcMiss, L2Miss and DataSrc are meaningless, except for the source "I/O". */
	if (data3 & MEMPHIS_IBS_DATA3_UNCACHED) {
		if (source->source == MEMPHIS_SOURCE_IO)
			sample->source = MEMPHIS_SOURCE_IO;
		return;
	}
	if (!(data3 & MEMPHIS_IBS_DATA3_L1_MISS)) {
		sample->source = MEMPHIS_SOURCE_L1;
		return;
	}
	/* The latency is not valid for prefetches (PPR, MSRC001_1037, IbsDcMissLat). */
	if (!(data3 & MEMPHIS_IBS_DATA3_PREFETCH))
		sample->latency_cycles = MEMPHIS_IBS_DATA3_MISS_LATENCY(data3);
	if (!(data3 & MEMPHIS_IBS_DATA3_L2_MISS) && !blind) {
		sample->source = MEMPHIS_SOURCE_L2;
		return;
	}
	/*
	 * If no miss buffer was allocated, another access had already requested the line. Some CPUs report where
	 * that access found the line; on other CPUs, the source is the fill buffer.
	 */
	sample->source = !source->source && (data3 & MEMPHIS_IBS_DATA3_NO_MAB) ? MEMPHIS_SOURCE_FILL_BUFFER
									       : source->source;
	if (source->remote)
		sample->flags |= MEMPHIS_FLAG_REMOTE;
	if (source->remote_source && (data2 & MEMPHIS_IBS_DATA2_REMOTE)) {
		sample->source = source->remote_source;
		sample->flags |= MEMPHIS_FLAG_REMOTE;
	}
	if (source->hit_state && machine->cache_hit_state && !(data2 & MEMPHIS_IBS_DATA2_CACHE_HIT_OWNED))
		sample->flags |= MEMPHIS_FLAG_HITM;
}

/*
 * Checks whether perf's raw record of `bytes` bytes is an access in user mode to user data. Returns
 * MEMPHIS_REASON_NONE if so; only then may the record be decoded. Otherwise returns the reason to drop the
 * record, which is at most MEMPHIS_REASON_KERNEL_ADDRESS.
 */
static __always_inline unsigned int memphis_ibs_reason(const struct memphis_ibs_machine *machine,
						       const struct memphis_ibs_record *raw,
						       unsigned int bytes)
{
	__u64 rip, data3;

	if (bytes < sizeof(*raw))
		return MEMPHIS_REASON_INVALID;
	rip = raw->registers[MEMPHIS_IBS_OP_RIP];
	data3 = raw->registers[MEMPHIS_IBS_OP_DATA3];
	/*
	 * Erratum 420 (Revision Guide for AMD Family 10h, 41322): an interrupt can be raised again after it was
	 * served, with a record that is not valid. perf clears the count; this code drops the record.
	 */
	if (!(raw->registers[MEMPHIS_IBS_OP_CTL] & MEMPHIS_IBS_CTL_VALID))
		return MEMPHIS_REASON_INVALID;
	if (raw->registers[MEMPHIS_IBS_OP_DATA] & machine->rip_invalid)
		return MEMPHIS_REASON_INVALID;
	/*
	 * Erratum 1197 (Revision Guide for AMD Family 19h Models 00h-0Fh, 56683): registers may be wrong after
	 * deep sleep. AMD's workaround for fetch sampling is to ignore samples whose address is zero. This is
	 * safe for op sampling as well, because no program has code at address zero.
	 */
	if (!rip)
		return MEMPHIS_REASON_INVALID;
	if (rip >= machine->user_limit)
		return MEMPHIS_REASON_KERNEL_PC;
	if (!(data3 & (MEMPHIS_IBS_DATA3_LOAD | MEMPHIS_IBS_DATA3_STORE)))
		return MEMPHIS_REASON_NOT_MEMORY;
	if (!(data3 & MEMPHIS_IBS_DATA3_LINEAR_VALID))
		return MEMPHIS_REASON_NO_ADDRESS;
	if (raw->registers[MEMPHIS_IBS_DC_LINEAR] >= machine->user_limit)
		return MEMPHIS_REASON_KERNEL_ADDRESS;
	return MEMPHIS_REASON_NONE;
}

/*
 * Decodes a record for which memphis_ibs_reason() has returned MEMPHIS_REASON_NONE. Sets pc, address, source,
 * flags and latency_cycles of the sample. Sets *physical to the physical address, or to
 * MEMPHIS_IBS_NO_PHYSICAL.
 */
static __always_inline void memphis_ibs_decode(const struct memphis_ibs_machine *machine,
					       const struct memphis_ibs_record *raw,
					       struct memphis_sample *sample, __u64 *physical)
{
	__u64 data3 = raw->registers[MEMPHIS_IBS_OP_DATA3];

	sample->pc = raw->registers[MEMPHIS_IBS_OP_RIP];
	sample->address = raw->registers[MEMPHIS_IBS_DC_LINEAR];
	sample->source = MEMPHIS_SOURCE_UNKNOWN;
	sample->latency_cycles = 0;
	sample->flags = 0;
	if (data3 & MEMPHIS_IBS_DATA3_STORE)
		sample->flags |= MEMPHIS_FLAG_STORE;
	if (data3 & MEMPHIS_IBS_DATA3_LOCKED)
		sample->flags |= MEMPHIS_FLAG_LOCKED;
	if ((data3 & MEMPHIS_IBS_DATA3_L1_TLB_MISS) && (data3 & machine->tlb_valid) == machine->tlb_valid) {
		sample->flags |= MEMPHIS_FLAG_L1_TLB_MISS;
		if (data3 & MEMPHIS_IBS_DATA3_L2_TLB_MISS)
			sample->flags |= MEMPHIS_FLAG_L2_TLB_MISS;
	}
	if (data3 & MEMPHIS_IBS_DATA3_LOAD) {
		sample->flags |= MEMPHIS_FLAG_LOAD;
		memphis_ibs_decode_source(machine, raw->registers[MEMPHIS_IBS_OP_DATA2], data3, sample);
	}
	*physical = MEMPHIS_IBS_NO_PHYSICAL;
	/*
	 * Linux 7.1 and later hide the physical address by setting it to 0. This value is unambiguous,
	 * because user memory is never in page 0.
	 */
	if ((data3 & MEMPHIS_IBS_DATA3_PHYSICAL_VALID) && raw->registers[MEMPHIS_IBS_DC_PHYSICAL])
		*physical = raw->registers[MEMPHIS_IBS_DC_PHYSICAL];
}

#endif
