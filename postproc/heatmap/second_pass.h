/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads samples of a process a second time, for heatmaps: all, or an evenly spread part of many. Now that owners have names, each sample
 * becomes a record with its owner and the offset in it.
 */
#ifndef MEMPHIS_SECOND_PASS_H
#define MEMPHIS_SECOND_PASS_H

#include "heatmap/record.h"
#include "name/reduce.h"

struct memphis_second_pass_cached;

#define MEMPHIS_PASS_KINDS 32 /* bits of memphis_heatmap_record.kinds */

struct memphis_second_pass {
	struct memphis_namer *namer;
	struct memphis_join *join;
	const struct memphis_owner_numbers *numbers;
	size_t process;
	/* That reports may select; [0]: the one selected now. */
	struct memphis_selection kinds[MEMPHIS_PASS_KINDS];
	unsigned int kind_count;
	struct memphis_heatmap_record *samples;
	size_t count, room;
	bool stores;           /* some samples are stores */
	uint64_t wanted;       /* number of samples to read, approximately */
	uint64_t of;           /* number of all samples of the process */
	uint32_t *region_rows; /* by region id of the process: row of the profile */
	size_t region_row_count;
	struct memphis_second_pass_cached *cache;
	struct memphis_strings codes; /* keys: binary and address; number - 1: index in `instructions` */
	uint32_t *instructions;       /* rows of the profile */
	size_t instruction_room;
};

/* 0 or -ENOMEM. Close it in either case. */
int memphis_second_pass_open(struct memphis_second_pass *pass, struct memphis_namer *namer,
			     const struct memphis_owner_numbers *numbers);

/* Replaces the records by those of a process, about `wanted` at most. 0, or a negative errno with *error. */
int memphis_second_pass_read(struct memphis_second_pass *pass, size_t process, uint64_t wanted,
			     struct memphis_error *error);

/* Row of the profile of the sample's instruction; MEMPHIS_NONE without memory. */
uint32_t memphis_second_pass_instruction(struct memphis_second_pass *pass,
					 const struct memphis_heatmap_record *sample);
void memphis_second_pass_close(struct memphis_second_pass *pass);

#endif
