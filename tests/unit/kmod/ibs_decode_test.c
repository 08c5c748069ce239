// SPDX-License-Identifier: BSD-3-Clause
/*
 * Raw IBS records with known meaning against the module's decoder and filter. If one fails, samples
 * carry a wrong source, or samples are dropped for a wrong reason.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "../tap.h"
#include "filter.h"
#include "ibs_decode.h"

#define USER_LIMIT 0x7ffffffff000ULL
#define ZEN2       0x17, 0x31, 0x3ff
#define ZEN3       0x19, 0x01, 0x3ff
#define ZEN4       0x19, 0x11, 0xbff

#define KEPT   MEMPHIS_REASONS
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
	/* Published dumps: perf-amd-ibs(1), and the commit that added Zen 4 to perf's dump. */
	{"the manual page's record, as it is: kernel mode", ZEN3, 0x000002c30006186a, 0xffffffff8204aea7,
	 0x0000010002550001, 0x13, 0x0000000031960092, 0xff110008a5398920, MEMPHIS_REASON_KERNEL_PC, 0, 0, 0},
	{"the manual page's record in user mode on kernel data", ZEN3, 0x000002c30006186a, PC,
	 0x0000010002550001, 0x13, 0x0000000031960092, 0xff110008a5398920, MEMPHIS_REASON_KERNEL_ADDRESS, 0,
	 0, 0},
	{"the manual page's record on user data: a store has no source", ZEN3, 0x000002c30006186a, PC,
	 0x0000010002550001, 0x13, 0x0000000031960092, LINEAR, KEPT, MEMPHIS_SOURCE_UNKNOWN, STORE, 0},
	{"Zen 4, published: a near peer cache, modified, 104 cycles", ZEN4, 0x0000004500070008, PC,
	 0x0000000000710002, 0x2, 0x000000681d1700a1, LINEAR, KEPT, MEMPHIS_SOURCE_PEER_CACHE, LOAD | HITM,
	 104},

	/* Levels. */
	{"L1 hit: no source bits, no latency", ZEN3, CTL, PC, 0, 0x13, 0x0000012c00060001, LINEAR, KEPT,
	 MEMPHIS_SOURCE_L1, LOAD, 0},
	{"L2 hit", ZEN3, CTL, PC, 0, 0x13, 0x0000000e00060081, LINEAR, KEPT, MEMPHIS_SOURCE_L2, LOAD, 14},
	{"Zen 3, DataSrc 2: L3; its CacheHitSt is reserved", ZEN3, CTL, PC, 0, 0x2, DATA_LOAD, LINEAR, KEPT,
	 MEMPHIS_SOURCE_L3, LOAD, 300},
	{"Zen 3, DataSrc 3: DRAM of the own node", ZEN3, CTL, PC, 0, 0x3, DATA_LOAD, LINEAR, KEPT,
	 MEMPHIS_SOURCE_DRAM, LOAD, 300},
	{"Zen 3, DataSrc 3 with RmtNode: DRAM of another node", ZEN3, CTL, PC, 0, 0x13, DATA_LOAD, LINEAR,
	 KEPT, MEMPHIS_SOURCE_DRAM, LOAD | REMOTE, 300},
	{"Zen 3, DataSrc 4: a cache of another node, RmtNode or not", ZEN3, CTL, PC, 0, 0x4, DATA_LOAD,
	 LINEAR, KEPT, MEMPHIS_SOURCE_PEER_CACHE, LOAD | REMOTE, 300},
	{"Zen 3, DataSrc 7: I/O", ZEN3, CTL, PC, 0, 0x7, DATA_LOAD, LINEAR, KEPT, MEMPHIS_SOURCE_IO, LOAD,
	 300},
	{"Zen 3, DataSrc 0: not told; RmtNode without meaning", ZEN3, CTL, PC, 0, 0x10, DATA_LOAD, LINEAR,
	 KEPT, MEMPHIS_SOURCE_UNKNOWN, LOAD, 300},
	{"Zen 3, DataSrc 1: reserved", ZEN3, CTL, PC, 0, 0x1, DATA_LOAD, LINEAR, KEPT, MEMPHIS_SOURCE_UNKNOWN,
	 LOAD, 300},
	{"Zen 3 has no high bits of DataSrc", ZEN3, CTL, PC, 0, 0xc3, DATA_LOAD, LINEAR, KEPT,
	 MEMPHIS_SOURCE_DRAM, LOAD, 300},
	{"Zen 2, DataSrc 2, CacheHitSt 0: the line was modified", ZEN2, CTL, PC, 0, 0x2, DATA_LOAD, LINEAR,
	 KEPT, MEMPHIS_SOURCE_L3, LOAD | HITM, 300},
	{"Zen 2, DataSrc 2, CacheHitSt 1: it was not", ZEN2, CTL, PC, 0, 0x22, DATA_LOAD, LINEAR, KEPT,
	 MEMPHIS_SOURCE_L3, LOAD, 300},

	/* The extended encoding, chosen by the capability bit. */
	{"Zen 4, DataSrc 1: L3", ZEN4, CTL, PC, 0, 0x21, DATA_LOAD, LINEAR, KEPT, MEMPHIS_SOURCE_L3, LOAD,
	 300},
	{"Zen 4, DataSrc 3 with RmtNode: remote DRAM", ZEN4, CTL, PC, 0, 0x13, DATA_LOAD, LINEAR, KEPT,
	 MEMPHIS_SOURCE_DRAM, LOAD | REMOTE, 300},
	{"Zen 4, DataSrc 5: a far cache, not modified", ZEN4, CTL, PC, 0, 0x25, DATA_LOAD, LINEAR, KEPT,
	 MEMPHIS_SOURCE_PEER_CACHE, LOAD | REMOTE, 300},
	{"Zen 4, DataSrc 5: a far cache, modified", ZEN4, CTL, PC, 0, 0x5, DATA_LOAD, LINEAR, KEPT,
	 MEMPHIS_SOURCE_PEER_CACHE, LOAD | REMOTE | HITM, 300},
	{"Zen 4, DataSrc 6: a long-latency DIMM", ZEN4, CTL, PC, 0, 0x6, DATA_LOAD, LINEAR, KEPT,
	 MEMPHIS_SOURCE_EXTENSION, LOAD, 300},
	{"Zen 4, DataSrc 7: I/O", ZEN4, CTL, PC, 0, 0x7, DATA_LOAD, LINEAR, KEPT, MEMPHIS_SOURCE_IO, LOAD,
	 300},
	{"Zen 4, DataSrc 8: extension memory, remote", ZEN4, CTL, PC, 0, 0x50, DATA_LOAD, LINEAR, KEPT,
	 MEMPHIS_SOURCE_EXTENSION, LOAD | REMOTE, 300},
	{"Zen 4, DataSrc 12: a peer agent's memory", ZEN4, CTL, PC, 0, 0x44, DATA_LOAD, LINEAR, KEPT,
	 MEMPHIS_SOURCE_EXTENSION, LOAD, 300},
	{"Zen 4, DataSrc 4: reserved", ZEN4, CTL, PC, 0, 0x4, DATA_LOAD, LINEAR, KEPT, MEMPHIS_SOURCE_UNKNOWN,
	 LOAD, 300},

	/* Kinds of access, and the other flags. */
	{"read-modify-write with lock: source and latency of the load", ZEN3, CTL, PC, 0, 0x13,
	 0x0000012c00168083, LINEAR, KEPT, MEMPHIS_SOURCE_DRAM, LOAD | STORE | LOCKED | REMOTE, 300},
	{"a store: neither source nor latency, even if the bits are set", ZEN3, CTL, PC, 0, 0x13,
	 0x0000012c00160082, LINEAR, KEPT, MEMPHIS_SOURCE_UNKNOWN, STORE, 0},
	{"misses of both TLBs", ZEN3, CTL, PC, 0, 0, 0x000000000006000d, LINEAR, KEPT, MEMPHIS_SOURCE_L1,
	 LOAD | TLB1 | TLB2, 0},
	{"a miss of the L1 TLB only", ZEN3, CTL, PC, 0, 0, 0x0000000000060005, LINEAR, KEPT,
	 MEMPHIS_SOURCE_L1, LOAD | TLB1, 0},
	{"an L2 TLB bit without a miss of the L1 TLB", ZEN3, CTL, PC, 0, 0, 0x0000000000060009, LINEAR, KEPT,
	 MEMPHIS_SOURCE_L1, LOAD, 0},
	{"uncached: miss bits, source and latency mean nothing", ZEN3, CTL, PC, 0, 0x13, 0x0000012c00164081,
	 LINEAR, KEPT, MEMPHIS_SOURCE_UNKNOWN, LOAD, 0},
	{"uncached, but I/O", ZEN3, CTL, PC, 0, 0x7, 0x0000012c00164081, LINEAR, KEPT, MEMPHIS_SOURCE_IO,
	 LOAD, 0},
	{"a software prefetch has no latency", ZEN4, CTL, PC, 0, 0x3, 0x0000012c00360081, LINEAR, KEPT,
	 MEMPHIS_SOURCE_DRAM, LOAD, 0},

	/* Errata. */
	{"erratum 1293: OpData2 of a software prefetch", ZEN3, CTL, PC, 0, 0x13, 0x0000012c00360081, LINEAR,
	 KEPT, MEMPHIS_SOURCE_UNKNOWN, LOAD, 0},
	{"erratum 1293: OpData2 of a miss without miss buffer", ZEN3, CTL, PC, 0, 0x13, 0x0000012c00170081,
	 LINEAR, KEPT, MEMPHIS_SOURCE_UNKNOWN, LOAD, 300},
	{"erratum 1293: L2Miss of a miss without miss buffer", ZEN3, CTL, PC, 0, 0x13, 0x0000012c00070081,
	 LINEAR, KEPT, MEMPHIS_SOURCE_UNKNOWN, LOAD, 300},
	{"erratum 1293 is not Zen 4's", ZEN4, CTL, PC, 0, 0x13, 0x0000012c00170081, LINEAR, KEPT,
	 MEMPHIS_SOURCE_DRAM, LOAD | REMOTE, 300},
	{"erratum 1293 is not Zen 2's", ZEN2, CTL, PC, 0, 0x13, 0x0000012c00170081, LINEAR, KEPT,
	 MEMPHIS_SOURCE_DRAM, LOAD | REMOTE, 300},
	{"erratum 1197: a zero RIP", ZEN3, CTL, 0, 0, 0x13, DATA_LOAD, LINEAR, MEMPHIS_REASON_INVALID, 0, 0,
	 0},
	{"erratum 420: a record that is not valid", ZEN3, 0x20800, PC, 0, 0x13, DATA_LOAD, LINEAR,
	 MEMPHIS_REASON_INVALID, 0, 0, 0},
	{"RipInvalid", ZEN3, CTL, PC, 0x4000000000, 0x13, DATA_LOAD, LINEAR, MEMPHIS_REASON_INVALID, 0, 0, 0},
	{"RipInvalid where the capability lacks: the bit means nothing", 0x10, 0x9, 0x1f, CTL, PC,
	 0x4000000000, 0x13, DATA_LOAD, LINEAR, KEPT, MEMPHIS_SOURCE_DRAM, LOAD | REMOTE, 300},

	/* Reasons, and their order. */
	{"a kernel instruction on user data", ZEN3, CTL, 0xffffffff81000000, 0, 0x13, DATA_LOAD, LINEAR,
	 MEMPHIS_REASON_KERNEL_PC, 0, 0, 0},
	{"the first address that is not user space's", ZEN3, CTL, USER_LIMIT, 0, 0x13, DATA_LOAD, LINEAR,
	 MEMPHIS_REASON_KERNEL_PC, 0, 0, 0},
	{"the last one that is", ZEN3, CTL, USER_LIMIT - 1, 0, 0x13, DATA_LOAD, LINEAR, KEPT,
	 MEMPHIS_SOURCE_DRAM, LOAD | REMOTE, 300},
	{"neither load nor store", ZEN3, CTL, PC, 0, 0x13, 0x0000000000000000, LINEAR,
	 MEMPHIS_REASON_NOT_MEMORY, 0, 0, 0},
	{"neither load nor store, on a kernel address: not memory", ZEN3, CTL, PC, 0, 0, 0x60000,
	 0xffff888000000000, MEMPHIS_REASON_NOT_MEMORY, 0, 0, 0},
	{"a data address that is not valid", ZEN3, CTL, PC, 0, 0x13, 0x0000012c00140081, LINEAR,
	 MEMPHIS_REASON_NO_ADDRESS, 0, 0, 0},
	{"not valid, and a kernel address: no address", ZEN3, CTL, PC, 0, 0x13, 0x0000012c00140081,
	 0xfffffe0000000000, MEMPHIS_REASON_NO_ADDRESS, 0, 0, 0},
	{"a user instruction on kernel data (descriptor tables)", ZEN3, CTL, PC, 0, 0x13, DATA_LOAD,
	 0xfffffe0000000000, MEMPHIS_REASON_KERNEL_ADDRESS, 0, 0, 0},
	{"a data address that is no address at all", ZEN3, CTL, PC, 0, 0x13, DATA_LOAD, 0x0000800000000000,
	 MEMPHIS_REASON_KERNEL_ADDRESS, 0, 0, 0},
};

struct filtered {
	const char *name;
	struct memphis_config config;
	struct memphis_sample sample;
	unsigned int reason;
};

#define DROP(d)             \
	{                   \
		.drop = (d) \
	}
#define ACCESS(f, s)                                                   \
	{                                                              \
		.flags = (f), .source = (s), .home_node = 1, .node = 1 \
	}

static const struct filtered filters[] = {
	{"no filter", DROP(0), ACCESS(STORE, 0), KEPT},
	{"loads: a load", DROP(MEMPHIS_DROP_LOADS), ACCESS(LOAD, 5), MEMPHIS_REASON_LOADS},
	{"loads: a read-modify-write stays", DROP(MEMPHIS_DROP_LOADS), ACCESS(LOAD | STORE, 5), KEPT},
	{"stores: a store", DROP(MEMPHIS_DROP_STORES), ACCESS(STORE, 0), MEMPHIS_REASON_STORES},
	{"stores: a read-modify-write stays", DROP(MEMPHIS_DROP_STORES), ACCESS(LOAD | STORE, 5), KEPT},
	{"DRAM only: DRAM", DROP(MEMPHIS_DROP_NOT_DRAM), ACCESS(LOAD, MEMPHIS_SOURCE_DRAM), KEPT},
	{"DRAM only: extension memory", DROP(MEMPHIS_DROP_NOT_DRAM), ACCESS(LOAD, MEMPHIS_SOURCE_EXTENSION),
	 KEPT},
	{"DRAM only: L3", DROP(MEMPHIS_DROP_NOT_DRAM), ACCESS(LOAD, MEMPHIS_SOURCE_L3),
	 MEMPHIS_REASON_NOT_DRAM},
	{"DRAM only: a store", DROP(MEMPHIS_DROP_NOT_DRAM), ACCESS(STORE, 0), MEMPHIS_REASON_NOT_DRAM},
	{"remote only: a remote load", DROP(MEMPHIS_DROP_LOCAL), ACCESS(LOAD | REMOTE, 5), KEPT},
	{"remote only: a local load", DROP(MEMPHIS_DROP_LOCAL), ACCESS(LOAD, 5), MEMPHIS_REASON_LOCAL},
	{"remote only: a load goes by the hardware's word, not by the page",
	 DROP(MEMPHIS_DROP_LOCAL),
	 {.flags = LOAD, .source = 5, .home_node = 0, .node = 1},
	 MEMPHIS_REASON_LOCAL},
	{"remote only: a store on the own node", DROP(MEMPHIS_DROP_LOCAL), ACCESS(STORE, 0),
	 MEMPHIS_REASON_LOCAL},
	{"remote only: a store on another node",
	 DROP(MEMPHIS_DROP_LOCAL),
	 {.flags = STORE, .home_node = 0, .node = 1},
	 KEPT},
	{"remote only: a store on an unknown node",
	 DROP(MEMPHIS_DROP_LOCAL),
	 {.flags = STORE, .home_node = MEMPHIS_NODE_UNKNOWN, .node = 1},
	 MEMPHIS_REASON_LOCAL},
	{"latency: below",
	 {.min_latency_cycles = 100},
	 {.flags = LOAD, .latency_cycles = 99},
	 MEMPHIS_REASON_LATENCY},
	{"latency: at the bound", {.min_latency_cycles = 100}, {.flags = LOAD, .latency_cycles = 100}, KEPT},
	{"latency: a store", {.min_latency_cycles = 1}, {.flags = STORE}, MEMPHIS_REASON_LATENCY},
	{"the first reason in order counts",
	 {.drop = MEMPHIS_DROPS, .min_latency_cycles = 500},
	 ACCESS(LOAD, 1),
	 MEMPHIS_REASON_LOADS},
	{"not DRAM comes before local",
	 {.drop = MEMPHIS_DROP_NOT_DRAM | MEMPHIS_DROP_LOCAL},
	 ACCESS(LOAD, 1),
	 MEMPHIS_REASON_NOT_DRAM},
	{"local comes before latency",
	 {.drop = MEMPHIS_DROP_LOCAL, .min_latency_cycles = 500},
	 ACCESS(LOAD, 5),
	 MEMPHIS_REASON_LOCAL},
};

/* perf's layout: u32 capabilities, the seven registers, the branch target, on newer parts IbsOpData4. */
static unsigned int build_record(char *record, const struct vector *vector, unsigned int extra)
{
	const __u64 registers[9] = {vector->ctl,   vector->rip,        vector->data,
				    vector->data2, vector->data3,      vector->linear,
				    PHYSICAL,      0x1111111111111111, 0x2222222222222222};
	unsigned int bytes = (MEMPHIS_IBS_REGISTERS + extra) * sizeof(__u64);

	memcpy(record, &vector->capabilities, sizeof(__u32));
	memcpy(record + sizeof(__u32), registers, bytes);
	return sizeof(__u32) + bytes;
}

static bool agrees(const struct vector *vector, unsigned int extra)
{
	struct memphis_ibs_machine machine;
	struct memphis_sample sample;
	char record[80];
	unsigned int bytes = build_record(record, vector, extra);
	unsigned int reason;
	__u64 physical = 1;

	memset(&sample, 0xaa, sizeof(sample));
	memphis_ibs_machine_init(&machine, vector->family, vector->model, vector->capabilities, USER_LIMIT);
	reason = memphis_ibs_decode(&machine, record, bytes, &sample, &physical);
	if (reason != vector->reason) {
		printf("# reason %u, expected %u\n", reason, vector->reason);
		return false;
	}
	if (reason != KEPT)
		return true;
	if (sample.source != vector->source || sample.flags != vector->flags ||
	    sample.latency_cycles != vector->latency || sample.pc != vector->rip ||
	    sample.address != vector->linear || physical != PHYSICAL) {
		printf("# source %u flags %#x latency %u pc %#" PRIx64 " address %#" PRIx64
		       " physical %#" PRIx64 "\n",
		       sample.source, sample.flags, sample.latency_cycles, (uint64_t)sample.pc,
		       (uint64_t)sample.address, (uint64_t)physical);
		return false;
	}
	return true;
}

static void test_vectors(void)
{
	unsigned int i;

	for (i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++)
		ok(agrees(&vectors[i], 1), "%s", vectors[i].name);
}

static void test_layouts(void)
{
	const struct vector *remote = &vectors[8];
	struct memphis_ibs_machine machine;
	struct memphis_sample sample;
	struct vector no_physical = *remote;
	char record[80];
	unsigned int bytes;
	__u64 physical;

	ok(agrees(remote, 0), "a record of 60 bytes: no branch target");
	ok(agrees(remote, 1), "a record of 68 bytes: branch target (Zen 3, kernels 6.1 and 6.12)");
	ok(agrees(remote, 2), "a record of 76 bytes: branch target and IbsOpData4");

	memphis_ibs_machine_init(&machine, ZEN3, USER_LIMIT);
	bytes = build_record(record, remote, 0);
	ok(memphis_ibs_decode(&machine, record, bytes - 1, &sample, &physical) == MEMPHIS_REASON_INVALID,
	   "a record that is one byte short is not valid");
	ok(memphis_ibs_decode(&machine, record, 0, &sample, &physical) == MEMPHIS_REASON_INVALID,
	   "an empty record is not valid");

	no_physical.data3 &= ~0x40000ULL;
	bytes = build_record(record, &no_physical, 1);
	physical = 1;
	ok(memphis_ibs_decode(&machine, record, bytes, &sample, &physical) == KEPT &&
		   physical == MEMPHIS_IBS_NO_PHYSICAL,
	   "a physical address that is not valid is not handed out");
}

static void test_filters(void)
{
	unsigned int i;

	for (i = 0; i < sizeof(filters) / sizeof(filters[0]); i++) {
		unsigned int reason = memphis_filter(&filters[i].config, &filters[i].sample);

		if (reason != filters[i].reason)
			printf("# reason %u, expected %u\n", reason, filters[i].reason);
		ok(reason == filters[i].reason, "%s", filters[i].name);
	}
	ok(memphis_filter_needs_home(&filters[12].config, &filters[12].sample) == 1,
	   "remote only: a store needs the page's node");
	ok(memphis_filter_needs_home(&filters[9].config, &filters[9].sample) == 0,
	   "remote only: a load does not need the page's node");
}

int main(void)
{
	test_vectors();
	test_layouts();
	test_filters();
	return finish();
}
