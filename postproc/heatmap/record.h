/* SPDX-License-Identifier: BSD-3-Clause */
/* A sample of a variable, as heatmaps are made from. */
#ifndef MEMPHIS_RECORD_H
#define MEMPHIS_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#define MEMPHIS_NO_OFFSET UINT64_MAX

struct memphis_heatmap_record {
	uint64_t address, pc;
	uint64_t since_ns; /* since the process's start */
	uint64_t offset;   /* in the variable or block, or MEMPHIS_NO_OFFSET */
	/* End and time of allocation of a block whose offset is known; else 0. */
	uint64_t block_end, block_ns;
	uint32_t owner;  /* number in memphis_owner_numbers */
	uint32_t thread; /* index in the process */
	uint32_t region; /* row of the profile */
	uint16_t node, home, flags;
	bool selected;  /* by the kind of samples that sums are made for at present */
	uint32_t kinds; /* bit n: kind n of the second pass takes it */
};

#endif
