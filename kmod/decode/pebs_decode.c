// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/*
 * Decoder of PEBS load latency records. The hardware's codes for the data source differ between generations
 * (Intel SDM volume 3B, "Load Latency Facility"). perf translates them into union perf_mem_data_src
 * (include/uapi/linux/perf_event.h). This file decodes that union.
 */
#include <linux/perf_event.h>

#include <memphis/sampling_events.h>

#include "decode/pebs_decode.h"

/* Values of mem_lvl_num that the oldest supported kernel headers do not define. */
#define LEVEL_L2_MHB 0x05 /* miss handling buffer of the L2 cache */
#define LEVEL_MSC    0x06 /* memory-side cache */
#define LEVEL_UNC    0x08 /* uncached memory */
#define LEVEL_CXL    0x09
#define LEVEL_IO     0x0a
#define LEVELS       16

/*
 * Bits of mem_region of union perf_mem_data_src (Linux 7.1). CPUs that report a region (Diamond Rapids) do
 * not report whether memory is remote. Their mem_remote is always 0 and has no meaning.
 */
#define REGION (0x1fULL << 46)

/*
 * Programs have no code below this address. It is Linux's default for vm.mmap_min_addr, and is larger than
 * any latency or source in a record.
 */
#define PC_MIN 0x10000

static const __u8 sources[LEVELS] = {
	[PERF_MEM_LVLNUM_L1] = MEMPHIS_SOURCE_L1,
	[PERF_MEM_LVLNUM_L2] = MEMPHIS_SOURCE_L2,
	[PERF_MEM_LVLNUM_L3] = MEMPHIS_SOURCE_L3,
	[PERF_MEM_LVLNUM_L4] = MEMPHIS_SOURCE_L3,
	[LEVEL_L2_MHB] = MEMPHIS_SOURCE_FILL_BUFFER,
	[LEVEL_MSC] = MEMPHIS_SOURCE_DRAM,
	[LEVEL_UNC] = MEMPHIS_SOURCE_IO,
	[LEVEL_CXL] = MEMPHIS_SOURCE_EXTENSION,
	[LEVEL_IO] = MEMPHIS_SOURCE_IO,
	[PERF_MEM_LVLNUM_ANY_CACHE] = MEMPHIS_SOURCE_PEER_CACHE,
	[PERF_MEM_LVLNUM_LFB] = MEMPHIS_SOURCE_FILL_BUFFER,
	[PERF_MEM_LVLNUM_RAM] = MEMPHIS_SOURCE_DRAM,
	[PERF_MEM_LVLNUM_PMEM] = MEMPHIS_SOURCE_EXTENSION,
};

/* Source and flags of the samples of each event that samples loads by their data source. */
#define ACCESS(event, name, source, flags) [event] = {source, flags},
static const struct {
	__u8 source, flags;
} by_source[MEMPHIS_EVENTS] = {MEMPHIS_SAMPLING_EVENTS(ACCESS)};

static bool is_cache(unsigned int source)
{
	return source >= MEMPHIS_SOURCE_L1 && source <= MEMPHIS_SOURCE_L3;
}

static void decode_source(union perf_mem_data_src from, struct memphis_sample *sample)
{
	sample->source = sources[from.mem_lvl_num];
	sample->flags = MEMPHIS_FLAG_LOAD;
	if (from.mem_remote) {
		sample->flags |= MEMPHIS_FLAG_REMOTE;
		/* Some generations report the level (L1 to L3) of the remote cache that supplied the line. */
		if (is_cache(sample->source))
			sample->source = MEMPHIS_SOURCE_PEER_CACHE;
	}
	if (from.mem_snoop & PERF_MEM_SNOOP_HITM)
		sample->flags |= MEMPHIS_FLAG_HITM;
	if (from.mem_lock & PERF_MEM_LOCK_LOCKED)
		sample->flags |= MEMPHIS_FLAG_LOCKED;
	/*
	 * PEBS reports only misses of the second-level TLB, which imply misses of the first level. A hit there is a
	 * hit of either level. perf's data source of an IBS record names the level that hit.
	 */
	if (from.mem_dtlb & PERF_MEM_TLB_MISS)
		sample->flags |= MEMPHIS_FLAG_L1_TLB_MISS | MEMPHIS_FLAG_L2_TLB_MISS;
	else if ((from.mem_dtlb & (PERF_MEM_TLB_L1 | PERF_MEM_TLB_L2)) == PERF_MEM_TLB_L2)
		sample->flags |= MEMPHIS_FLAG_L1_TLB_MISS;
}

unsigned int memphis_pebs_decode(const struct memphis_pebs_record *record, __u64 user_limit,
				 struct memphis_sample *sample)
{
	__u32 latency = (__u32)record->weight; /* the upper half contains other latencies on newer CPUs */

	/*
	 * Small addresses come from records that perf has read at a wrong place (see memphis_pmu_online()).
	 * The word at the place of the address is then a data source or a latency. No program has code at
	 * such addresses.
	 */
	if (!record->exact || record->pc < PC_MIN)
		return MEMPHIS_REASON_INVALID;
	if (record->event == MEMPHIS_EVENT_ACCESS && record->data_src & REGION)
		return MEMPHIS_REASON_INVALID;
	if (record->pc >= user_limit)
		return MEMPHIS_REASON_KERNEL_PC;
	if (!record->address)
		return MEMPHIS_REASON_NO_ADDRESS;
	if (record->address >= user_limit)
		return MEMPHIS_REASON_KERNEL_ADDRESS;

	sample->pc = record->pc;
	sample->address = record->address;
	if (record->event != MEMPHIS_EVENT_ACCESS) {
		sample->latency_cycles = 0;
		sample->source = by_source[record->event].source;
		sample->flags = by_source[record->event].flags | MEMPHIS_FLAG_BY_SOURCE;
		return MEMPHIS_REASON_NONE;
	}
	sample->latency_cycles = latency < 0xffff ? latency : 0xffff;
	decode_source((union perf_mem_data_src){.val = record->data_src}, sample);
	return MEMPHIS_REASON_NONE;
}
