/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * From the raw record of AMD's Instruction-Based Sampling to a sample, or to the reason why there is
 * none. Pure: no kernel service is used, so that the same source runs in user space: in the library,
 * which reads such records from perf where there is no module, and under the tests. Inline, so that a sample that is dropped hardly leaves the registers.
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

/* What one value of DataSrc means; one that is not listed is reserved, and tells nothing. */
struct memphis_ibs_source {
	__u8 source;        /* enum memphis_source */
	__u8 remote_source; /* what it is if RmtNode is set; 0: RmtNode is not valid with it */
	bool remote;        /* implies another node */
	bool hit_state;     /* CacheHitSt is valid with it */
};

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

/* Where a load's data came from: sets source and latency, and adds to the flags. */
static __always_inline void memphis_ibs_decode_source(const struct memphis_ibs_machine *machine, __u64 data2,
						      __u64 data3, struct memphis_sample *sample)
{
	const struct memphis_ibs_source *source;
	bool blind = data3 & machine->blind;

	if (blind)
		data2 = 0;
	source = &machine->sources[MEMPHIS_IBS_DATA2_SOURCE(data2) & machine->source_mask];

	/* An uncached access makes DcMiss, L2Miss and DataSrc meaningless, save "I/O". */
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
	/* A line that another access had asked for already; where that found it is told by some. */
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
 * Why the record (perf's raw record, of so many bytes) is no user-mode access to user data: a reason, at most
 * MEMPHIS_REASON_KERNEL_ADDRESS. Else MEMPHIS_REASONS; only then it may be decoded.
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
	 * Erratum 420 (Revision Guide for AMD Family 10h, 41322): an interrupt can come back after it
	 * was served, its record then is not valid. perf clears the count for it; this is the rest.
	 */
	if (!(raw->registers[MEMPHIS_IBS_OP_CTL] & MEMPHIS_IBS_CTL_VALID))
		return MEMPHIS_REASON_INVALID;
	if (raw->registers[MEMPHIS_IBS_OP_DATA] & machine->rip_invalid)
		return MEMPHIS_REASON_INVALID;
	/*
	 * Erratum 1197 (56683 as above): registers may be wrong after deep sleep. Its remedy, to ignore
	 * a zero address, is that of fetch sampling; no program has code there, so it harms none here.
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
 * Sets pc, address, source, flags and latency_cycles of the sample, and *physical (or MEMPHIS_IBS_NO_PHYSICAL), from a
 * record of which memphis_ibs_reason() had nothing to say.
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
	/* perf of Linux 7.1 and later withholds an address by a zero there; no user's memory lies in page 0. */
	if ((data3 & MEMPHIS_IBS_DATA3_PHYSICAL_VALID) && raw->registers[MEMPHIS_IBS_DC_PHYSICAL])
		*physical = raw->registers[MEMPHIS_IBS_DC_PHYSICAL];
}

#endif
