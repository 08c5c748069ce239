// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests the module's decoder with PEBS load latency records as perf presents them. The data sources are perf's translation of
 * the codes of Skylake servers (Intel SDM volume 3B, "Load Latency Facility"). If a test fails, samples of Intel
 * machines have a wrong source.
 */
#include <linux/perf_event.h>
#include <stdlib.h>

#include "../tap.h"
#include "decode/pebs_decode.h"

#define USER_LIMIT 0x7ffffffff000ULL
#define PC         0x401136ULL
#define DATA       0x7f0012345678ULL

#define F_LOAD   MEMPHIS_FLAG_LOAD
#define F_REMOTE MEMPHIS_FLAG_REMOTE
#define F_HITM   MEMPHIS_FLAG_HITM
#define F_LOCKED MEMPHIS_FLAG_LOCKED
#define F_TLB    (MEMPHIS_FLAG_L1_TLB_MISS | MEMPHIS_FLAG_L2_TLB_MISS)

#define LEVEL(name) PERF_MEM_S(LVLNUM, name)
#define SNOOP(name) PERF_MEM_S(SNOOP, name)
#define FAR         PERF_MEM_S(REMOTE, REMOTE)
#define OP          PERF_MEM_S(OP, LOAD)
#define HIT_TLB     (PERF_MEM_S(TLB, HIT) | PERF_MEM_S(TLB, L1) | PERF_MEM_S(TLB, L2))
#define MISS_TLB    (PERF_MEM_S(TLB, MISS) | PERF_MEM_S(TLB, L2))
#define REGION(n)   ((__u64)(n) << 46) /* mem_region, Linux 7.1 */
#define UNLOCKED    PERF_MEM_S(LOCK, NA)

static const struct vector {
	const char *name;
	__u64 data_src;
	unsigned int source, flags;
} vectors[] = {
	{"an L1 hit", OP | LEVEL(L1) | SNOOP(NONE) | HIT_TLB, MEMPHIS_SOURCE_L1, F_LOAD},
	{"an L2 hit", OP | LEVEL(L2) | SNOOP(NONE), MEMPHIS_SOURCE_L2, F_LOAD},
	{"a hit in the fill buffer", OP | LEVEL(LFB) | SNOOP(NONE), MEMPHIS_SOURCE_FILL_BUFFER, F_LOAD},
	{"an L3 hit, missed by the snoop", OP | LEVEL(L3) | SNOOP(MISS), MEMPHIS_SOURCE_L3, F_LOAD},
	{"an L3 hit, modified in another core", OP | LEVEL(L3) | SNOOP(HITM), MEMPHIS_SOURCE_L3,
	 F_LOAD | F_HITM},
	{"local memory", OP | LEVEL(RAM) | SNOOP(HIT), MEMPHIS_SOURCE_DRAM, F_LOAD},
	{"remote memory", OP | LEVEL(RAM) | FAR | SNOOP(NONE), MEMPHIS_SOURCE_DRAM, F_LOAD | F_REMOTE},
	{"remote memory, both TLBs missed", OP | LEVEL(RAM) | FAR | MISS_TLB, MEMPHIS_SOURCE_DRAM,
	 F_LOAD | F_REMOTE | F_TLB},
	{"a hit of the second TLB alone: the first one missed (IBS)",
	 OP | LEVEL(L2) | PERF_MEM_S(TLB, HIT) | PERF_MEM_S(TLB, L2), MEMPHIS_SOURCE_L2,
	 F_LOAD | MEMPHIS_FLAG_L1_TLB_MISS},
	{"a hit of the first TLB alone (IBS)", OP | LEVEL(L1) | PERF_MEM_S(TLB, HIT) | PERF_MEM_S(TLB, L1),
	 MEMPHIS_SOURCE_L1, F_LOAD},
	{"a remote cache, modified", OP | LEVEL(ANY_CACHE) | FAR | SNOOP(HITM), MEMPHIS_SOURCE_PEER_CACHE,
	 F_LOAD | F_REMOTE | F_HITM},
	{"a remote cache, forwarded", OP | LEVEL(ANY_CACHE) | FAR, MEMPHIS_SOURCE_PEER_CACHE,
	 F_LOAD | F_REMOTE},
	{"a remote L3, as older parts report it", OP | LEVEL(L3) | FAR | SNOOP(HITM),
	 MEMPHIS_SOURCE_PEER_CACHE, F_LOAD | F_REMOTE | F_HITM},
	{"persistent memory", OP | LEVEL(PMEM), MEMPHIS_SOURCE_EXTENSION, F_LOAD},
	{"remote persistent memory", OP | LEVEL(PMEM) | FAR, MEMPHIS_SOURCE_EXTENSION, F_LOAD | F_REMOTE},
	{"the miss handling buffer of the L2", OP | (0x05ULL << PERF_MEM_LVLNUM_SHIFT),
	 MEMPHIS_SOURCE_FILL_BUFFER, F_LOAD},
	{"the memory-side cache, which is in front of the DRAM", OP | (0x06ULL << PERF_MEM_LVLNUM_SHIFT),
	 MEMPHIS_SOURCE_DRAM, F_LOAD},
	{"an L4, behind the L3", OP | LEVEL(L4), MEMPHIS_SOURCE_L3, F_LOAD},
	{"memory behind CXL", OP | (0x09ULL << PERF_MEM_LVLNUM_SHIFT), MEMPHIS_SOURCE_EXTENSION, F_LOAD},
	{"I/O", OP | (0x0aULL << PERF_MEM_LVLNUM_SHIFT), MEMPHIS_SOURCE_IO, F_LOAD},
	{"uncached memory", OP | (0x08ULL << PERF_MEM_LVLNUM_SHIFT), MEMPHIS_SOURCE_IO, F_LOAD},
	{"a locked load", OP | LEVEL(L1) | PERF_MEM_S(LOCK, LOCKED), MEMPHIS_SOURCE_L1, F_LOAD | F_LOCKED},
	{"a level that is not available", OP | LEVEL(NA), MEMPHIS_SOURCE_UNKNOWN, F_LOAD},
	{"a data source of 0", 0, MEMPHIS_SOURCE_UNKNOWN, F_LOAD},
	{"a level that is not defined yet", OP | (0x07ULL << PERF_MEM_LVLNUM_SHIFT), MEMPHIS_SOURCE_UNKNOWN,
	 F_LOAD},
};

static void check_sources(void)
{
	size_t i;

	for (i = 0; i < sizeof(vectors) / sizeof(*vectors); i++) {
		const struct vector *v = &vectors[i];
		const struct memphis_pebs_record record = {PC, true, DATA, v->data_src, 300, 0};
		struct memphis_sample sample;
		unsigned int reason;

		memset(&sample, 0xa5, sizeof(sample));
		reason = memphis_pebs_decode(&record, USER_LIMIT, &sample);
		if (!ok(reason == MEMPHIS_REASON_NONE && sample.source == v->source &&
				sample.flags == v->flags && sample.pc == PC && sample.address == DATA &&
				sample.latency_cycles == 300,
			"%s", v->name))
			printf("# reason %u source %u flags 0x%x latency %u\n", reason, sample.source,
			       sample.flags, sample.latency_cycles);
	}
}

/* Events of loads by source: data source and latency of the record are ignored. */
static const struct by_source {
	const char *name;
	unsigned int event, source, flags;
} events[] = {
	{"event local-dram", MEMPHIS_EVENT_LOCAL_DRAM, MEMPHIS_SOURCE_DRAM, 0x81},
	{"event remote-dram", MEMPHIS_EVENT_REMOTE_DRAM, MEMPHIS_SOURCE_DRAM, 0x85},
	{"event remote-hitm", MEMPHIS_EVENT_REMOTE_HITM, MEMPHIS_SOURCE_PEER_CACHE, 0x8d},
	{"event remote-forward", MEMPHIS_EVENT_REMOTE_FORWARD, MEMPHIS_SOURCE_PEER_CACHE, 0x85},
};

static void check_events(void)
{
	size_t i;

	for (i = 0; i < sizeof(events) / sizeof(*events); i++) {
		const struct memphis_pebs_record record = {PC,  true,           DATA, OP | LEVEL(L1),
							   300, events[i].event};
		struct memphis_sample sample;
		unsigned int reason;

		memset(&sample, 0xa5, sizeof(sample));
		reason = memphis_pebs_decode(&record, USER_LIMIT, &sample);
		ok(reason == MEMPHIS_REASON_NONE && sample.source == events[i].source &&
			   sample.flags == events[i].flags && sample.pc == PC && sample.address == DATA &&
			   sample.latency_cycles == 0,
		   "%s", events[i].name);
	}
}

static const struct refusal {
	const char *name;
	struct memphis_pebs_record record;
	unsigned int reason;
} refusals[] = {
	{"an inexact pc is invalid", {PC, false, DATA, OP, 9, 0}, MEMPHIS_REASON_INVALID},
	{"a pc of 0 is invalid", {0, true, DATA, OP, 9, 0}, MEMPHIS_REASON_INVALID},
	{"the data source of a record that perf read at a wrong place is no pc",
	 {0xd, true, DATA, OP, 9, 0},
	 MEMPHIS_REASON_INVALID},
	{"the last pc where no program has code is invalid",
	 {0xffff, true, DATA, OP, 9, 0},
	 MEMPHIS_REASON_INVALID},
	{"memory that is named by its region (Diamond Rapids), and may be remote, is invalid",
	 {PC, true, DATA, OP | LEVEL(RAM) | REGION(0x08), 9, 0},
	 MEMPHIS_REASON_INVALID},
	{"a cache that is named by its region is invalid",
	 {PC, true, DATA, OP | LEVEL(L3) | REGION(0x02), 9, 0},
	 MEMPHIS_REASON_INVALID},
	{"the last bit of the region counts",
	 {PC, true, DATA, OP | LEVEL(RAM) | REGION(0x10), 9, 0},
	 MEMPHIS_REASON_INVALID},
	{"a kernel pc is refused", {0xffffffff8204aea7, true, DATA, OP, 9, 0}, MEMPHIS_REASON_KERNEL_PC},
	{"the first pc above user space is refused",
	 {USER_LIMIT, true, DATA, OP, 9, 0},
	 MEMPHIS_REASON_KERNEL_PC},
	{"a record without a data address is refused", {PC, true, 0, OP, 9, 0}, MEMPHIS_REASON_NO_ADDRESS},
	{"a kernel data address is refused",
	 {PC, true, 0xff110008a5398920, OP, 9, 0},
	 MEMPHIS_REASON_KERNEL_ADDRESS},
	{"the first data address above user space is refused",
	 {PC, true, USER_LIMIT, OP, 9, 0},
	 MEMPHIS_REASON_KERNEL_ADDRESS},
};

static void check_refusals(void)
{
	size_t i;

	for (i = 0; i < sizeof(refusals) / sizeof(*refusals); i++) {
		struct memphis_sample sample, before;
		unsigned int reason;

		memset(&sample, 0xa5, sizeof(sample));
		before = sample;
		reason = memphis_pebs_decode(&refusals[i].record, USER_LIMIT, &sample);
		ok(reason == refusals[i].reason && !memcmp(&sample, &before, sizeof(sample)), "%s",
		   refusals[i].name);
	}
}

static void check_latency(void)
{
	struct memphis_pebs_record record = {PC, true, DATA, OP, 0, 0};
	struct memphis_sample sample;

	record.weight = 65534;
	memphis_pebs_decode(&record, USER_LIMIT, &sample);
	is(sample.latency_cycles, 65534, "a latency that fits is stored unchanged");
	record.weight = 65536;
	memphis_pebs_decode(&record, USER_LIMIT, &sample);
	is(sample.latency_cycles, 65535, "a latency that does not fit is stored as the largest value");
	record.weight = 0x0012003400000123;
	memphis_pebs_decode(&record, USER_LIMIT, &sample);
	is(sample.latency_cycles, 0x123,
	   "the upper bits of the weight, which newer parts use otherwise, do not count");
}

/* For random records: no kernel address passes, and every field is in range. */
static void check_anything(void)
{
	unsigned long long wrong = 0, kept = 0, i;

	srandom(1);
	for (i = 0; i < 200000; i++) {
		struct memphis_pebs_record record = {
			.pc = (__u64)random() << (random() % 34) ^ (__u64)random(),
			.exact = random() % 8,
			.address = (__u64)random() << (random() % 34) ^ (__u64)random(),
			.data_src = (__u64)random() << 33 ^ (__u64)random() << 11 ^ (__u64)random(),
			.weight = (__u64)random() << 32 | (__u64)random(),
			.event = (__u32)random() % MEMPHIS_EVENTS,
		};
		bool has_region;
		struct memphis_sample sample;
		unsigned int reason;

		if (random() % 2)
			record.data_src &= ~REGION(0x1f);
		has_region = record.event == MEMPHIS_EVENT_ACCESS && record.data_src & REGION(0x1f);
		reason = memphis_pebs_decode(&record, USER_LIMIT, &sample);
		if (reason != MEMPHIS_REASON_NONE) {
			wrong += reason > MEMPHIS_REASON_KERNEL_ADDRESS;
			continue;
		}
		kept++;
		wrong += has_region || sample.pc >= USER_LIMIT || sample.address >= USER_LIMIT ||
			 sample.source >= MEMPHIS_SOURCES || (sample.flags & ~MEMPHIS_FLAGS) ||
			 !(sample.flags & F_LOAD);
	}
	is(wrong, 0, "random records yield only user addresses and fields in range");
	ok(kept > 40000, "many of the random records were kept (%llu)", kept);
}

int main(void)
{
	check_sources();
	check_events();
	check_refusals();
	check_latency();
	check_anything();
	return finish();
}
