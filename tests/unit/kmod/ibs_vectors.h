/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * IBS op records with known meaning. The "published" records hold registers of real machines with the kernel addresses that they had, from
 * the manual page perf-amd-ibs(1) and a dump of a whole record in a description of IBS on EPYC 9004; the accesses of all published
 * registers are tested by ibs_records_test.c. All other records follow the manuals that docs/hardware.md names.
 */
#ifndef IBS_VECTORS_H
#define IBS_VECTORS_H

#include <linux/types.h>

#include "decode/ibs_decode.h"

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

#define USER_LIMIT 0x7ffffffff000ULL

/* Family, model, CPUID Fn8000_001B EAX; Zen 6 as far as Linux 7.1 supports it. */
#define ZEN1        0x17, 0x01, 0x3ff
#define ZEN2        0x17, 0x31, 0x3ff
#define ZEN3        0x19, 0x01, 0x3ff
#define ZEN3_CLIENT 0x19, 0x21, 0x3ff
#define ZEN4        0x19, 0x11, 0xbff
#define ZEN5        0x1a, 0x02, 0x81bff
#define ZEN6        0x1a, 0x50, 0x9fbff

/* The bounds of the ranges of models of Zen 3. */
#define ZEN3_LAST         0x19, 0x0f, 0x3ff
#define ZEN3_CLIENT_FIRST 0x19, 0x20, 0x3ff
#define ZEN3_CLIENT_LAST  0x19, 0x5f, 0x3ff

#define KEPT   MEMPHIS_REASON_NONE
#define LOAD   MEMPHIS_FLAG_LOAD
#define STORE  MEMPHIS_FLAG_STORE
#define REMOTE MEMPHIS_FLAG_REMOTE
#define HITM   MEMPHIS_FLAG_HITM
#define LOCKED MEMPHIS_FLAG_LOCKED
#define TLB1   MEMPHIS_FLAG_L1_TLB_MISS
#define TLB2   MEMPHIS_FLAG_L2_TLB_MISS

/* A valid op in user mode; a load with both addresses valid that missed L1 and L2 after 0x12c cycles. */
#define CTL       0x0000000000060800ULL
#define PC        0x401136ULL
#define DATA_LOAD 0x0000012c00160081ULL
#define LINEAR    0x7f0012345678ULL
#define PHYSICAL  0x123456678ULL

struct vector {
	const char *name;
	unsigned int family, model, capabilities;
	__u64 ctl, rip, data, data2, data3, linear;
	unsigned int reason, source, flags, latency;
};

static const struct vector vectors[] = {
	/* Published. */
	{"perf-amd-ibs(1): an unchanged store, from kernel mode", ZEN4, 0x000002c30006186a,
	 0xffffffff8204aea7, 0x0000010002550001, 0x13, 0x0000000031960092, 0xff110008a5398920,
	 MEMPHIS_REASON_KERNEL_PC, 0, 0, 0},
	{"perf-amd-ibs(1): the same store in user mode, to kernel data", ZEN4, 0x000002c30006186a, PC,
	 0x0000010002550001, 0x13, 0x0000000031960092, 0xff110008a5398920, MEMPHIS_REASON_KERNEL_ADDRESS, 0,
	 0, 0},
	{"EPYC 9004 with L3MissOnly, unchanged: kernel mode", ZEN4, 0x000005410007f424, 0xffffffff81143526,
	 0x0000000004f70200, 0x23, 0x000001dc14d700a1, 0xffff899f7c3b5784, MEMPHIS_REASON_KERNEL_PC, 0, 0, 0},

	/* Levels. */
	{"an L1 hit has no source bits and no latency", ZEN3, CTL, PC, 0, 0x13, 0x0000012c00060001, LINEAR,
	 KEPT, MEMPHIS_SOURCE_L1, LOAD, 0},
	{"an L2 hit has a latency", ZEN3, CTL, PC, 0, 0x13, 0x0000000e00060081, LINEAR, KEPT,
	 MEMPHIS_SOURCE_L2, LOAD, 14},
	/* Kinds of access, and the other flags. */
	{"a locked read-modify-write has the source and latency of its load", ZEN3, CTL, PC, 0, 0x13,
	 0x0000012c00168083, LINEAR, KEPT, MEMPHIS_SOURCE_DRAM, LOAD | STORE | LOCKED | REMOTE, 300},
	{"a store has neither source nor latency, even if the bits are set", ZEN3, CTL, PC, 0, 0x13,
	 0x0000012c00160082, LINEAR, KEPT, MEMPHIS_SOURCE_UNKNOWN, STORE, 0},
	{"a miss of both TLBs", ZEN3, CTL, PC, 0, 0, 0x000000000006000d, LINEAR, KEPT, MEMPHIS_SOURCE_L1,
	 LOAD | TLB1 | TLB2, 0},
	{"a miss of the L1 TLB only", ZEN3, CTL, PC, 0, 0, 0x0000000000060005, LINEAR, KEPT,
	 MEMPHIS_SOURCE_L1, LOAD | TLB1, 0},
	{"the bit of the L2 TLB is ignored without a miss of the L1 TLB", ZEN3, CTL, PC, 0, 0,
	 0x0000000000060009, LINEAR, KEPT, MEMPHIS_SOURCE_L1, LOAD, 0},
	{"Zen 4: TLB bits count without a physical address", ZEN4, CTL, PC, 0, 0, 0x000000000002000d, LINEAR,
	 KEPT, MEMPHIS_SOURCE_L1, LOAD | TLB1 | TLB2, 0},
	{"Zen 5: TLB bits count with a physical address", ZEN5, CTL, PC, 0, 0, 0x000000000006000d, LINEAR,
	 KEPT, MEMPHIS_SOURCE_L1, LOAD | TLB1 | TLB2, 0},
	{"Zen 5: TLB bits are ignored without a physical address", ZEN5, CTL, PC, 0, 0, 0x000000000002000d,
	 LINEAR, KEPT, MEMPHIS_SOURCE_L1, LOAD, 0},
	{"Zen 5: the page size (bits 4 and 5) is not a TLB miss", ZEN5, CTL, PC, 0, 0, 0x0000000000060031,
	 LINEAR, KEPT, MEMPHIS_SOURCE_L1, LOAD, 0},
	{"uncached: miss bits, source and latency are ignored", ZEN3, CTL, PC, 0, 0x13, 0x0000012c00164081,
	 LINEAR, KEPT, MEMPHIS_SOURCE_UNKNOWN, LOAD, 0},
	{"uncached: I/O is a source", ZEN3, CTL, PC, 0, 0x7, 0x0000012c00164081, LINEAR, KEPT,
	 MEMPHIS_SOURCE_IO, LOAD, 0},
	{"a software prefetch has no latency", ZEN4, CTL, PC, 0, 0x3, 0x0000012c00360081, LINEAR, KEPT,
	 MEMPHIS_SOURCE_DRAM, LOAD, 0},

	/* Errata. */
	{"erratum 1293: OpData2 of a software prefetch is ignored", ZEN3, CTL, PC, 0, 0x13,
	 0x0000012c00360081, LINEAR, KEPT, MEMPHIS_SOURCE_UNKNOWN, LOAD, 0},
	{"erratum 1293: OpData2 of a miss without miss buffer is ignored: the line was in flight", ZEN3, CTL,
	 PC, 0, 0x13, 0x0000012c00170081, LINEAR, KEPT, MEMPHIS_SOURCE_FILL_BUFFER, LOAD, 300},
	{"erratum 1293: L2Miss of a miss without miss buffer is ignored", ZEN3, CTL, PC, 0, 0x13,
	 0x0000012c00070081, LINEAR, KEPT, MEMPHIS_SOURCE_FILL_BUFFER, LOAD, 300},
	{"erratum 1293 applies to the last model of Zen 3 servers", ZEN3_LAST, CTL, PC, 0, 0x13,
	 0x0000012c00170081, LINEAR, KEPT, MEMPHIS_SOURCE_FILL_BUFFER, LOAD, 300},
	{"the first client parts of Zen 3 do not report modified lines", ZEN3_CLIENT_FIRST, CTL, PC, 0, 2,
	 DATA_LOAD, LINEAR, KEPT, MEMPHIS_SOURCE_L3, LOAD, 300},
	{"nor do the last client parts of Zen 3", ZEN3_CLIENT_LAST, CTL, PC, 0, 2, DATA_LOAD, LINEAR, KEPT,
	 MEMPHIS_SOURCE_L3, LOAD, 300},
	{"a line in flight, without a source", ZEN4, CTL, PC, 0, 0, 0x0000012c00170081, LINEAR, KEPT,
	 MEMPHIS_SOURCE_FILL_BUFFER, LOAD, 300},
	{"erratum 1293 does not apply to Zen 4", ZEN4, CTL, PC, 0, 0x13, 0x0000012c00170081, LINEAR, KEPT,
	 MEMPHIS_SOURCE_DRAM, LOAD | REMOTE, 300},
	{"erratum 1293 does not apply to client parts of Zen 3", ZEN3_CLIENT, CTL, PC, 0, 0x13,
	 0x0000012c00170081, LINEAR, KEPT, MEMPHIS_SOURCE_DRAM, LOAD | REMOTE, 300},
	{"erratum 1293 does not apply to Zen 2", ZEN2, CTL, PC, 0, 0x13, 0x0000012c00170081, LINEAR, KEPT,
	 MEMPHIS_SOURCE_DRAM, LOAD | REMOTE, 300},
	{"erratum 1197: a RIP of 0 is invalid", ZEN3, CTL, 0, 0, 0x13, DATA_LOAD, LINEAR,
	 MEMPHIS_REASON_INVALID, 0, 0, 0},
	{"erratum 420: a record without the valid bit is invalid", ZEN3, 0x20800, PC, 0, 0x13, DATA_LOAD,
	 LINEAR, MEMPHIS_REASON_INVALID, 0, 0, 0},
	{"RipInvalid: the record is invalid", ZEN3, CTL, PC, 0x4000000000, 0x13, DATA_LOAD, LINEAR,
	 MEMPHIS_REASON_INVALID, 0, 0, 0},
	{"RipInvalid is ignored without its capability bit", 0x10, 0x9, 0x1f, CTL, PC, 0x4000000000, 0x13,
	 DATA_LOAD, LINEAR, KEPT, MEMPHIS_SOURCE_UNKNOWN, LOAD, 300},
	{"before Zen: the source is unknown, as IbsOpData2 had another layout", 0x15, 0x02, 0xff, CTL, PC, 0,
	 0x13, DATA_LOAD, LINEAR, KEPT, MEMPHIS_SOURCE_UNKNOWN, LOAD, 300},
	{"before Zen: an L1 hit is reported", 0x15, 0x02, 0xff, CTL, PC, 0, 0, 0x60001, LINEAR, KEPT,
	 MEMPHIS_SOURCE_L1, LOAD, 0},

	/* Reasons, and their order. */
	{"a kernel instruction that accesses user data", ZEN3, CTL, 0xffffffff81000000, 0, 0x13, DATA_LOAD,
	 LINEAR, MEMPHIS_REASON_KERNEL_PC, 0, 0, 0},
	{"a pc at the first address above user space", ZEN3, CTL, USER_LIMIT, 0, 0x13, DATA_LOAD, LINEAR,
	 MEMPHIS_REASON_KERNEL_PC, 0, 0, 0},
	{"a pc at the last address of user space", ZEN3, CTL, USER_LIMIT - 1, 0, 0x13, DATA_LOAD, LINEAR,
	 KEPT, MEMPHIS_SOURCE_DRAM, LOAD | REMOTE, 300},
	{"neither load nor store", ZEN3, CTL, PC, 0, 0x13, 0x0000000000000000, LINEAR,
	 MEMPHIS_REASON_NOT_MEMORY, 0, 0, 0},
	{"neither load nor store, with a kernel address: the reason is 'not memory'", ZEN3, CTL, PC, 0, 0,
	 0x60000, 0xffff888000000000, MEMPHIS_REASON_NOT_MEMORY, 0, 0, 0},
	{"an invalid data address", ZEN3, CTL, PC, 0, 0x13, 0x0000012c00140081, LINEAR,
	 MEMPHIS_REASON_NO_ADDRESS, 0, 0, 0},
	{"an invalid data address in the kernel: the reason is 'no address'", ZEN3, CTL, PC, 0, 0x13,
	 0x0000012c00140081, 0xfffffe0000000000, MEMPHIS_REASON_NO_ADDRESS, 0, 0, 0},
	{"a user instruction that accesses kernel data (descriptor tables)", ZEN3, CTL, PC, 0, 0x13,
	 DATA_LOAD, 0xfffffe0000000000, MEMPHIS_REASON_KERNEL_ADDRESS, 0, 0, 0},
	{"a non-canonical data address", ZEN3, CTL, PC, 0, 0x13, DATA_LOAD, 0x0000800000000000,
	 MEMPHIS_REASON_KERNEL_ADDRESS, 0, 0, 0},
};

/*
 * The meaning of each value of DataSrc for a load that missed L1 and L2: source and flags without RmtNode, source and flags
 * with RmtNode, and the flag that CacheHitSt = 0 (modified) adds to both. All other values are reserved: the
 * source is unknown.
 */
struct source_vector {
	const char *name;
	unsigned int source, flags, remote_source, remote_flags, modified;
};

#define SAME_SOURCE(source, flags)     source, flags, source, flags
#define REMOTE_VALID(local, if_remote) local, 0, if_remote, REMOTE

static const struct source_vector sources_zen2[8] = {
	[2] = {"a cache of the accessing node; of another node with RmtNode",
	       REMOTE_VALID(MEMPHIS_SOURCE_L3, MEMPHIS_SOURCE_PEER_CACHE), HITM},
	[3] = {"DRAM", REMOTE_VALID(MEMPHIS_SOURCE_DRAM, MEMPHIS_SOURCE_DRAM), 0},
	[4] = {"a cache of another node", SAME_SOURCE(MEMPHIS_SOURCE_PEER_CACHE, REMOTE), 0},
	[7] = {"I/O", SAME_SOURCE(MEMPHIS_SOURCE_IO, 0), 0},
};

/* CacheHitSt is reserved. */
static const struct source_vector sources_zen3[8] = {
	[2] = {"a cache of the accessing node; of another node with RmtNode",
	       REMOTE_VALID(MEMPHIS_SOURCE_L3, MEMPHIS_SOURCE_PEER_CACHE), 0},
	[3] = {"DRAM", REMOTE_VALID(MEMPHIS_SOURCE_DRAM, MEMPHIS_SOURCE_DRAM), 0},
	[4] = {"a cache of another node", SAME_SOURCE(MEMPHIS_SOURCE_PEER_CACHE, REMOTE), 0},
	[7] = {"I/O", SAME_SOURCE(MEMPHIS_SOURCE_IO, 0), 0},
};

static const struct source_vector sources_zen4[32] = {
	[1] = {"the L3 of the same complex", SAME_SOURCE(MEMPHIS_SOURCE_L3, 0), HITM},
	[2] = {"another complex of the accessing node", SAME_SOURCE(MEMPHIS_SOURCE_PEER_CACHE, 0), HITM},
	[3] = {"DRAM", REMOTE_VALID(MEMPHIS_SOURCE_DRAM, MEMPHIS_SOURCE_DRAM), 0},
	[5] = {"a complex of another node", SAME_SOURCE(MEMPHIS_SOURCE_PEER_CACHE, REMOTE), HITM},
	[6] = {"a long-latency DIMM", REMOTE_VALID(MEMPHIS_SOURCE_EXTENSION, MEMPHIS_SOURCE_EXTENSION), 0},
	[7] = {"I/O", SAME_SOURCE(MEMPHIS_SOURCE_IO, 0), 0},
	[8] = {"extension memory", REMOTE_VALID(MEMPHIS_SOURCE_EXTENSION, MEMPHIS_SOURCE_EXTENSION), 0},
	[12] = {"memory of a peer agent (another kind of processor)",
		SAME_SOURCE(MEMPHIS_SOURCE_EXTENSION, 0), 0},
};

/* A processor generation. Its reserved bits, and the reserved bits of values that a sample does not contain, must not affect the result. */
struct generation {
	const char *name;
	unsigned int family, model, capabilities;
	const struct source_vector *sources;
	unsigned int source_count;
	__u64 reserved_data2, reserved_data3;
};

/* Decodes a record as the handler does. */
static inline unsigned int decode_record(const struct memphis_ibs_machine *machine, const void *record,
					 unsigned int bytes, struct memphis_sample *sample, __u64 *physical)
{
	unsigned int reason = memphis_ibs_reason(machine, record, bytes);

	if (reason == MEMPHIS_REASON_NONE)
		memphis_ibs_decode(machine, record, sample, physical);
	return reason;
}

#define RESERVED_DATA3 0xffff0000ffc83f70ULL /* alignment, sizes, page sizes, other latencies */

static const struct generation generations[] = {
	{"Zen", ZEN1, sources_zen2, 8, 0xffffffffffffffc8, RESERVED_DATA3},
	{"Zen 2", ZEN2, sources_zen2, 8, 0xffffffffffffffc8, RESERVED_DATA3},
	{"Zen 3", ZEN3, sources_zen3, 8, 0xffffffffffffffe8, RESERVED_DATA3},
	{"Zen 3 client", ZEN3_CLIENT, sources_zen3, 8, 0xffffffffffffffe8, RESERVED_DATA3},
	{"Zen 4", ZEN4, sources_zen4, 32, 0xffffffffffffff08, RESERVED_DATA3},
	{"Zen 5", ZEN5, sources_zen4, 32, 0xffffffffffffff08, RESERVED_DATA3},
	{"Zen 6", ZEN6, sources_zen4, 32, 0xffffffffffffff08, RESERVED_DATA3},
};

#endif
