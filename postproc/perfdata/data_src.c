// SPDX-License-Identifier: BSD-3-Clause
/* Converts the data source in perf's encoding (Linux, include/uapi/linux/perf_event.h, union perf_mem_data_src). */
#include "perfdata/data_src.h"

#include <stddef.h>

#include <linux/perf_event.h>

/*
 * mem_hops: three bits from bit 43 on, since Linux 5.16. HOPS_0 means another core of the same node. Higher
 * values mean other nodes.
 */
#define HOPS(value) ((value) >> 43 & 7)
#define HOPS_0      1

/* The bits of mem_lvl from this one on name levels. Those before it are NA, HIT and MISS. */
#define FIRST_LEVEL __builtin_ctz(PERF_MEM_LVL_L1)

/*
 * The levels of the memory hierarchy, by the number of their bit in mem_lvl. This bitmap is the only form before
 * Linux 4.14. Later kernels also set the number mem_lvl_num.
 */
#define LEVEL(bit) [__builtin_ctz(bit)]
static const struct level {
	uint8_t number;
	bool remote;
} levels[] = {
	LEVEL(PERF_MEM_LVL_L1) = {PERF_MEM_LVLNUM_L1, false},
	LEVEL(PERF_MEM_LVL_LFB) = {PERF_MEM_LVLNUM_LFB, false},
	LEVEL(PERF_MEM_LVL_L2) = {PERF_MEM_LVLNUM_L2, false},
	LEVEL(PERF_MEM_LVL_L3) = {PERF_MEM_LVLNUM_L3, false},
	LEVEL(PERF_MEM_LVL_LOC_RAM) = {PERF_MEM_LVLNUM_RAM, false},
	LEVEL(PERF_MEM_LVL_REM_RAM1) = {PERF_MEM_LVLNUM_RAM, true},
	LEVEL(PERF_MEM_LVL_REM_RAM2) = {PERF_MEM_LVLNUM_RAM, true},
	LEVEL(PERF_MEM_LVL_REM_CCE1) = {PERF_MEM_LVLNUM_ANY_CACHE, true},
	LEVEL(PERF_MEM_LVL_REM_CCE2) = {PERF_MEM_LVLNUM_ANY_CACHE, true},
	LEVEL(PERF_MEM_LVL_IO) = {0xa, false},
	LEVEL(PERF_MEM_LVL_UNC) = {0x8, false},
};

/* Returns the level of the lowest bit of mem_lvl, which has 14 bits. */
static const struct level *level_of(uint32_t bits)
{
	bits &= ~0u << FIRST_LEVEL;
	return bits ? &levels[__builtin_ctz(bits)] : NULL;
}

struct memphis_data_src memphis_data_src_of(uint64_t value)
{
	union perf_mem_data_src source = {.val = value};
	const struct level *level = level_of((uint32_t)source.mem_lvl);
	/* A kernel that does not set mem_lvl_num leaves it at 0, which is not the number of a level. */
	const bool numbered = source.mem_lvl_num != 0;

	/* If the bitmap reports a miss of a level, the level that supplied the data is unknown. */
	if (!numbered) {
		source.mem_lvl_num = PERF_MEM_LVLNUM_NA;
		if (level && !(source.mem_lvl & PERF_MEM_LVL_MISS)) {
			source.mem_lvl_num = level->number & 0xf;
			source.mem_remote = level->remote;
		}
	}
	if (HOPS(value) == HOPS_0)
		source.mem_remote = 0;
	return (struct memphis_data_src){
		.value = source.val,
		.load = source.mem_op & PERF_MEM_OP_LOAD,
		.store = source.mem_op & PERF_MEM_OP_STORE,
	};
}
