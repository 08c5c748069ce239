/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Converts a raw record of AMD's Instruction-Based Sampling into a sample, or into the reason why there is
 * none. Pure: no kernel service is used, so that the same source runs in user space: in the library, which
 * reads such records from perf where there is no module, and in the tests. Inline, so that a dropped sample
 * hardly leaves the registers.
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

/* CPUID Fn8000_001B EAX: the bits that are used; docs/hardware.md lists all. */
#define MEMPHIS_IBS_CAP_AVAILABLE   0x00001 /* the other bits are valid */
#define MEMPHIS_IBS_CAP_OP          0x00004 /* op sampling */
#define MEMPHIS_IBS_CAP_COUNT_OPS   0x00010 /* the period can count ops */
#define MEMPHIS_IBS_CAP_LONG_COUNT  0x00040 /* seven more bits for the period */
#define MEMPHIS_IBS_CAP_RIP_INVALID 0x00080 /* the record flags an RIP that is not valid */
#define MEMPHIS_IBS_CAP_ZEN4        0x00800 /* DataSrc has five bits; the hardware can filter for L3 misses */
#define MEMPHIS_IBS_CAP_DTLB        0x80000 /* TLB bits are valid only with a physical address */

/* Meaning of one value of DataSrc. Unlisted values are reserved, and decoded as MEMPHIS_SOURCE_UNKNOWN. */
struct memphis_ibs_source {
	__u8 source;        /* enum memphis_source */
	__u8 remote_source; /* enum memphis_source if RmtNode is set; 0: RmtNode is not valid here */
	bool remote;        /* this value implies another node */
	bool hit_state;     /* CacheHitSt is valid with this value */
};

/* Properties of the CPU that decoding depends on; set by memphis_ibs_machine_init(), constant afterwards. */
struct memphis_ibs_machine {
	const struct memphis_ibs_source *sources; /* indexed by DataSrc ... */
	unsigned int source_mask;                 /* ... under this mask */
	bool cache_hit_state;                     /* CacheHitSt of IbsOpData2 is implemented */
	__u64 rip_invalid; /* bit of IbsOpData: RIP is not valid; 0 if there is no such bit */
	__u64 blind;     /* IbsOpData3: if any of these bits is set, neither L2Miss nor IbsOpData2 is valid */
	__u64 tlb_valid; /* IbsOpData3: the TLB bits are valid only if all of these are set */
	__u64 user_limit; /* user addresses are below this */
};

/* Order of the registers in perf's raw record; the registers that follow are not used here. */
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

/* perf's raw record: capabilities, then the registers; newer hardware appends more of them. */
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

/* Decodes where a load's data came from: sets source and latency_cycles, and adds to flags. */
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
	/* Not valid for prefetches (PPR, MSRC001_1037, IbsDcMissLat). */
	if (!(data3 & MEMPHIS_IBS_DATA3_PREFETCH))
		sample->latency_cycles = MEMPHIS_IBS_DATA3_MISS_LATENCY(data3);
	if (!(data3 & MEMPHIS_IBS_DATA3_L2_MISS) && !blind) {
		sample->source = MEMPHIS_SOURCE_L2;
		return;
	}
	/*
	 * Without a miss buffer: another access had requested the line already. Some CPUs report where that
	 * access found it; otherwise the source is the fill buffer.
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
 * Tests whether perf's raw record, `bytes` long, is a user-mode access to user data. Returns MEMPHIS_REASONS
 * if so, and only then the record may be decoded; else the reason, at most MEMPHIS_REASON_KERNEL_ADDRESS.
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
	 * Erratum 420 (Revision Guide for AMD Family 10h, 41322): an interrupt can be raised again after
	 * it was served, with a record that is not valid. perf clears the count; the record is dropped here.
	 */
	if (!(raw->registers[MEMPHIS_IBS_OP_CTL] & MEMPHIS_IBS_CTL_VALID))
		return MEMPHIS_REASON_INVALID;
	if (raw->registers[MEMPHIS_IBS_OP_DATA] & machine->rip_invalid)
		return MEMPHIS_REASON_INVALID;
	/*
	 * Erratum 1197 (Revision Guide for AMD Family 19h Models 00h-0Fh, 56683): registers may be wrong
	 * after deep sleep. AMD's workaround for fetch sampling, to ignore a zero address, is safe here as
	 * well, since no program has code there.
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
	return MEMPHIS_REASONS;
}

/*
 * Sets pc, address, source, flags and latency_cycles of the sample, and *physical (or
 * MEMPHIS_IBS_NO_PHYSICAL), from a record for which memphis_ibs_reason() returned MEMPHIS_REASONS.
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
	/* Linux 7.1 and later withhold an address by setting it to 0; user memory is never in page 0. */
	if ((data3 & MEMPHIS_IBS_DATA3_PHYSICAL_VALID) && raw->registers[MEMPHIS_IBS_DC_PHYSICAL])
		*physical = raw->registers[MEMPHIS_IBS_DC_PHYSICAL];
}

#endif
