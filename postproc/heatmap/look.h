/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the samples of a process once more, some of many, for close-ups: whose each is, and which part of it. */
#ifndef MEMPHIS_HEATMAP_LOOK_H
#define MEMPHIS_HEATMAP_LOOK_H

#include "profile/heatmap_record.h"
#include "name/reduce.h"

struct memphis_look_cached;

#define MEMPHIS_LOOK_KINDS 32 /* at most: bits of a record's kinds */

struct memphis_look {
	struct memphis_namer *namer;
	struct memphis_join *join;
	const struct memphis_owner_numbers *numbers;
	size_t process;
	struct memphis_selection
		kinds[MEMPHIS_LOOK_KINDS]; /* what may be asked for: first of all what is selected */
	unsigned int kind_count;
	struct memphis_heatmap_record *samples;
	size_t count, room;
	bool stores;           /* are among the samples */
	uint64_t wanted;       /* samples of the process that are to be looked at */
	uint64_t of;           /* all that there are */
	uint32_t *region_rows; /* of the profile, by region id of the process */
	size_t region_row_count;
	struct memphis_look_cached *cache;
	struct memphis_strings codes; /* number - 1: place in the list of their instructions */
	uint32_t *instructions;
	size_t instruction_room;
};

/* 0 or -ENOMEM. Close it in either case. */
int memphis_look_open(struct memphis_look *look, struct memphis_namer *namer,
		      const struct memphis_owner_numbers *numbers);

/* Takes the samples of a process, in the place of those of the last one: `wanted` or less, about. 0 or a negative errno. */
int memphis_look_read(struct memphis_look *look, size_t process, uint64_t wanted,
		      struct memphis_error *error);

struct memphis_leader {
	uint32_t variable;
	uint32_t kinds; /* 1 << n: it is one of the leading variables among samples of kind n of the look */
	uint64_t count; /* samples of any kind */
	uint64_t selected;
};

/* The leading variables of each kind, first those of the one that is selected, in order; *leaders is malloc'ed. 0 or -ENOMEM. */
int memphis_leaders_find(const struct memphis_look *look, struct memphis_leader **leaders, size_t *count);

/* The instruction of the profile that made the sample; MEMPHIS_NONE without memory. */
uint32_t memphis_look_instruction(struct memphis_look *look, const struct memphis_heatmap_record *sample);
void memphis_look_close(struct memphis_look *look);

#endif
