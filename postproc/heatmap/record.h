/* SPDX-License-Identifier: BSD-3-Clause */
/* What close-ups are made of: a sample of a variable. */
#ifndef MEMPHIS_RECORD_H
#define MEMPHIS_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#define MEMPHIS_NO_OFFSET UINT64_MAX

struct memphis_heatmap_record {
	uint64_t address, pc;
	uint64_t since_ns; /* the process's start */
	uint64_t offset;   /* in its variable or block, or MEMPHIS_NO_OFFSET */
	uint64_t block_end,
		block_ns; /* of a block whose offset is known: where it ends, and when it was allocated; else 0 */
	uint32_t owner;  /* its number */
	uint32_t thread; /* of the process */
	uint32_t region; /* row of the profile */
	uint16_t node, home, flags;
	bool selected;  /* by the kind of samples that a close-up is made for at the time */
	uint32_t kinds; /* 1 << n: by kind n of the look */
};

#endif
