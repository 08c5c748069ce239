/* SPDX-License-Identifier: BSD-3-Clause */
/* A sample of a variable. Heatmaps are computed from these records. */
#ifndef MEMPHIS_RECORD_H
#define MEMPHIS_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#define MEMPHIS_NO_OFFSET UINT64_MAX

struct memphis_heatmap_record {
	uint64_t address, pc;
	uint64_t since_ns; /* time since the start of the process */
	uint64_t offset;   /* offset in the variable or block, or MEMPHIS_NO_OFFSET */
	/* The end of the block and the time of its allocation, if the offset in the block is known; otherwise 0. */
	uint64_t block_end, block_ns;
	uint32_t owner;   /* number in memphis_owner_numbers */
	uint32_t thread;  /* index in the process */
	uint32_t region;  /* row of the profile */
	uint32_t callers; /* see read/callers.h */
	uint16_t node, home, flags;
	uint16_t source, latency_cycles;
	uint32_t load;  /* row + 1 of heatmap->loads, if the sample fetched a cache line there; else 0 */
	bool selected;  /* belongs to the kind of samples that is currently summed */
	uint32_t kinds; /* bit n: the sample belongs to kind n of the second pass */
};

#endif
