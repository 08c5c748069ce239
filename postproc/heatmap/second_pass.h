/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the samples of a process once more, some of many, for close-ups: whose each is, and which part of it. */
#ifndef MEMPHIS_SECOND_PASS_H
#define MEMPHIS_SECOND_PASS_H

#include "heatmap/record.h"
#include "name/reduce.h"

struct memphis_second_pass_cached;

#define MEMPHIS_PASS_KINDS 32 /* at most: bits of a record's kinds */

struct memphis_second_pass {
	struct memphis_namer *namer;
	struct memphis_join *join;
	const struct memphis_owner_numbers *numbers;
	size_t process;
	struct memphis_selection
		kinds[MEMPHIS_PASS_KINDS]; /* what may be asked for: first of all what is selected */
	unsigned int kind_count;
	struct memphis_heatmap_record *samples;
	size_t count, room;
	bool stores;           /* are among the samples */
	uint64_t wanted;       /* samples of the process that are to be looked at */
	uint64_t of;           /* all that there are */
	uint32_t *region_rows; /* of the profile, by region id of the process */
	size_t region_row_count;
	struct memphis_second_pass_cached *cache;
	struct memphis_strings codes; /* number - 1: place in the list of their instructions */
	uint32_t *instructions;
	size_t instruction_room;
};

/* 0 or -ENOMEM. Close it in either case. */
int memphis_second_pass_open(struct memphis_second_pass *pass, struct memphis_namer *namer,
			     const struct memphis_owner_numbers *numbers);

/* Takes the samples of a process, in the place of those of the last one: `wanted` or less, about. 0 or a negative errno. */
int memphis_second_pass_read(struct memphis_second_pass *pass, size_t process, uint64_t wanted,
			     struct memphis_error *error);

/* The instruction of the profile that made the sample; MEMPHIS_NONE without memory. */
uint32_t memphis_second_pass_instruction(struct memphis_second_pass *pass,
					 const struct memphis_heatmap_record *sample);
void memphis_second_pass_close(struct memphis_second_pass *pass);

#endif
