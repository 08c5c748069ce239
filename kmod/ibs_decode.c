// SPDX-License-Identifier: GPL-2.0-only
/*
 * Decoder of IBS op records, of the Zen generations. Fields: AMD64 Architecture Programmer's Manual
 * volume 2, section 13.3 "Instruction-Based Sampling", and the PPRs, MSRC001_1033 to MSRC001_1039.
 * docs/hardware.md tells which generation has which, and the sources.
 */
#include "ibs_decode.h"

#define BIT64(n) (1ULL << (n))

#define CTL_VALID BIT64(18)

#define DATA_RIP_INVALID BIT64(38)

#define DATA2_SOURCE(x)       (((x)&7) | ((x) >> 3 & 0x18))
#define DATA2_REMOTE          BIT64(4)
#define DATA2_CACHE_HIT_OWNED BIT64(5) /* 0: the line was modified, 1: owned */

#define DATA3_LOAD            BIT64(0)
#define DATA3_STORE           BIT64(1)
#define DATA3_L1_TLB_MISS     BIT64(2)
#define DATA3_L2_TLB_MISS     BIT64(3)
#define DATA3_L1_MISS         BIT64(7)
#define DATA3_UNCACHED        BIT64(14)
#define DATA3_LOCKED          BIT64(15)
#define DATA3_NO_MAB          BIT64(16) /* missed, but no miss buffer was allocated */
#define DATA3_LINEAR_VALID    BIT64(17)
#define DATA3_PHYSICAL_VALID  BIT64(18)
#define DATA3_L2_MISS         BIT64(20)
#define DATA3_PREFETCH        BIT64(21)
#define DATA3_MISS_LATENCY(x) (((x) >> 32) & 0xffff)

/* What one value of DataSrc means; one that is not listed is reserved, and tells nothing. */
struct memphis_ibs_source {
	__u8 source;        /* enum memphis_source */
	__u8 remote_source; /* what it is if RmtNode is set; 0: RmtNode is not valid with it */
	bool remote;        /* implies another node */
	bool hit_state;     /* CacheHitSt is valid with it */
};

/* Zen to Zen 3. RmtNode tells a cache of the own node, mostly the own L3, from one of another node. */
static const struct memphis_ibs_source sources[8] = {
	[2] = {MEMPHIS_SOURCE_L3, .remote_source = MEMPHIS_SOURCE_PEER_CACHE, .hit_state = true},
	[3] = {MEMPHIS_SOURCE_DRAM, .remote_source = MEMPHIS_SOURCE_DRAM},
	[4] = {MEMPHIS_SOURCE_PEER_CACHE, .remote = true},
	[7] = {MEMPHIS_SOURCE_IO},
};

static const struct memphis_ibs_source sources_zen4[32] = {
	[1] = {MEMPHIS_SOURCE_L3, .hit_state = true},
	[2] = {MEMPHIS_SOURCE_PEER_CACHE, .hit_state = true},
	[3] = {MEMPHIS_SOURCE_DRAM, .remote_source = MEMPHIS_SOURCE_DRAM},
	[5] = {MEMPHIS_SOURCE_PEER_CACHE, .remote = true, .hit_state = true},
	[6] = {MEMPHIS_SOURCE_EXTENSION, .remote_source = MEMPHIS_SOURCE_EXTENSION}, /* long-latency DIMM */
	[7] = {MEMPHIS_SOURCE_IO},
	[8] = {MEMPHIS_SOURCE_EXTENSION, .remote_source = MEMPHIS_SOURCE_EXTENSION}, /* CXL, GenZ, S-Link */
	[12] = {MEMPHIS_SOURCE_EXTENSION}, /* memory of another kind of processor */
};

void memphis_ibs_machine_init(struct memphis_ibs_machine *machine, unsigned int family, unsigned int model,
			      __u32 capabilities, __u64 user_limit)
{
	/* No capability tells these: Zen 3 servers (with the erratum below), and its client parts. */
	bool zen3_server = family == 0x19 && model <= 0x0f;
	bool zen3_client = family == 0x19 && model >= 0x20 && model <= 0x5f;
	bool zen4 = capabilities & MEMPHIS_IBS_CAP_ZEN4;

	machine->sources = zen4 ? sources_zen4 : sources;
	machine->source_mask = zen4 ? 0x1f : 7;
	machine->cache_hit_state = !zen3_server && !zen3_client;
	machine->rip_invalid = capabilities & MEMPHIS_IBS_CAP_RIP_INVALID ? DATA_RIP_INVALID : 0;
	/*
	 * Erratum 1293 (Revision Guide for AMD Family 19h Models 00h-0Fh, 56683): for a software
	 * prefetch, or a miss that got no miss buffer, neither L2Miss nor IbsOpData2 can be used.
	 * Before Zen there is no L2Miss, or an IbsOpData2 of another layout.
	 */
	machine->blind = zen3_server ? DATA3_PREFETCH | DATA3_NO_MAB : family < 0x17 ? DATA3_L1_MISS : 0;
	machine->tlb_valid = capabilities & MEMPHIS_IBS_CAP_DTLB ? DATA3_PHYSICAL_VALID : 0;
	machine->user_limit = user_limit;
}

/* Where a load's data came from: sets source and latency, and adds to the flags. */
static void decode_source(const struct memphis_ibs_machine *machine, __u64 data2, __u64 data3,
			  struct memphis_sample *sample)
{
	const struct memphis_ibs_source *source;
	bool blind = data3 & machine->blind;

	if (blind)
		data2 = 0;
	source = &machine->sources[DATA2_SOURCE(data2) & machine->source_mask];

	/* An uncached access makes DcMiss, L2Miss and DataSrc meaningless, save "I/O". */
	if (data3 & DATA3_UNCACHED) {
		if (source->source == MEMPHIS_SOURCE_IO)
			sample->source = MEMPHIS_SOURCE_IO;
		return;
	}
	if (!(data3 & DATA3_L1_MISS)) {
		sample->source = MEMPHIS_SOURCE_L1;
		return;
	}
	/* Not valid for prefetches (PPR, MSRC001_1037, IbsDcMissLat). */
	if (!(data3 & DATA3_PREFETCH))
		sample->latency_cycles = DATA3_MISS_LATENCY(data3);
	if (!(data3 & DATA3_L2_MISS) && !blind) {
		sample->source = MEMPHIS_SOURCE_L2;
		return;
	}
	/* A line that another access had asked for already; where that found it is told by some. */
	sample->source =
		!source->source && (data3 & DATA3_NO_MAB) ? MEMPHIS_SOURCE_FILL_BUFFER : source->source;
	if (source->remote)
		sample->flags |= MEMPHIS_FLAG_REMOTE;
	if (source->remote_source && (data2 & DATA2_REMOTE)) {
		sample->source = source->remote_source;
		sample->flags |= MEMPHIS_FLAG_REMOTE;
	}
	if (source->hit_state && machine->cache_hit_state && !(data2 & DATA2_CACHE_HIT_OWNED))
		sample->flags |= MEMPHIS_FLAG_HITM;
}

static unsigned int reason_of(const struct memphis_ibs_machine *machine, const struct memphis_ibs_record *raw)
{
	__u64 rip = raw->registers[MEMPHIS_IBS_OP_RIP];
	__u64 data3 = raw->registers[MEMPHIS_IBS_OP_DATA3];

	/*
	 * Erratum 420 (Revision Guide for AMD Family 10h, 41322): an interrupt can come back after it
	 * was served, its record then is not valid. perf clears the count for it; this is the rest.
	 */
	if (!(raw->registers[MEMPHIS_IBS_OP_CTL] & CTL_VALID))
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
	if (!(data3 & (DATA3_LOAD | DATA3_STORE)))
		return MEMPHIS_REASON_NOT_MEMORY;
	if (!(data3 & DATA3_LINEAR_VALID))
		return MEMPHIS_REASON_NO_ADDRESS;
	if (raw->registers[MEMPHIS_IBS_DC_LINEAR] >= machine->user_limit)
		return MEMPHIS_REASON_KERNEL_ADDRESS;
	return MEMPHIS_REASONS;
}

unsigned int memphis_ibs_decode(const struct memphis_ibs_machine *machine, const void *record,
				unsigned int record_bytes, struct memphis_sample *sample, __u64 *physical)
{
	const struct memphis_ibs_record *raw = record;
	unsigned int reason;
	__u64 data3;

	if (record_bytes < sizeof(*raw))
		return MEMPHIS_REASON_INVALID;
	reason = reason_of(machine, raw);
	if (reason != MEMPHIS_REASONS)
		return reason;

	data3 = raw->registers[MEMPHIS_IBS_OP_DATA3];
	sample->pc = raw->registers[MEMPHIS_IBS_OP_RIP];
	sample->address = raw->registers[MEMPHIS_IBS_DC_LINEAR];
	sample->source = MEMPHIS_SOURCE_UNKNOWN;
	sample->latency_cycles = 0;
	sample->flags = 0;
	if (data3 & DATA3_STORE)
		sample->flags |= MEMPHIS_FLAG_STORE;
	if (data3 & DATA3_LOCKED)
		sample->flags |= MEMPHIS_FLAG_LOCKED;
	if ((data3 & DATA3_L1_TLB_MISS) && (data3 & machine->tlb_valid) == machine->tlb_valid) {
		sample->flags |= MEMPHIS_FLAG_L1_TLB_MISS;
		if (data3 & DATA3_L2_TLB_MISS)
			sample->flags |= MEMPHIS_FLAG_L2_TLB_MISS;
	}
	if (data3 & DATA3_LOAD) {
		sample->flags |= MEMPHIS_FLAG_LOAD;
		decode_source(machine, raw->registers[MEMPHIS_IBS_OP_DATA2], data3, sample);
	}
	*physical = data3 & DATA3_PHYSICAL_VALID ? raw->registers[MEMPHIS_IBS_DC_PHYSICAL]
						 : MEMPHIS_IBS_NO_PHYSICAL;
	return MEMPHIS_REASONS;
}
