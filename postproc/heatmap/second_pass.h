/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the samples of a process a second time, for heatmaps: all samples, or an evenly spread part if there are many. Owners have names by
 * now; each sample becomes a record with its owner and its offset in the owner.
 */
#ifndef MEMPHIS_SECOND_PASS_H
#define MEMPHIS_SECOND_PASS_H

#include "heatmap/record.h"
#include "name/reduce.h"

#define MEMPHIS_PASS_KINDS 32 /* number of bits in memphis_heatmap_record.kinds */

/* The records of a thread, in the order of its file. */
struct memphis_second_pass_thread {
	struct memphis_heatmap_record *list;
	size_t count, room;
	bool stores; /* at least one sample is a store */
};

struct memphis_second_pass {
	struct memphis_namer *namer;
	struct memphis_join *join;
	const struct memphis_owner_numbers *numbers;
	size_t process;
	/* The kinds of samples that reports may select; kinds[0] is the current selection. */
	struct memphis_selection kinds[MEMPHIS_PASS_KINDS];
	unsigned int kind_count;
	struct memphis_second_pass_thread *threads;
	size_t thread_count;
	struct memphis_heatmap_record **samples; /* all records, thread by thread */
	size_t count;
	bool stores;           /* at least one sample is a store */
	uint64_t wanted;       /* approximate number of samples to read */
	uint64_t of;           /* number of all samples of the process */
	uint32_t *region_rows; /* by region id of the process: row of the profile */
	size_t region_row_count;
	/* keys: address, binary and callers; number - 1 is the index in instructions */
	struct memphis_strings codes;
	uint32_t *instructions; /* rows of the profile */
	size_t instruction_room;
	/* by row of the profile's variables: index + 1 in a list of the caller; 0 between calls */
	uint32_t *slots;
};

/* Returns 0 or -ENOMEM; the caller must close the pass in both cases. */
int memphis_second_pass_open(struct memphis_second_pass *pass, struct memphis_namer *namer,
			     const struct memphis_owner_numbers *numbers);

/*
 * Replaces the records by about `wanted` records of a process, or fewer if it has fewer. Returns 0, or a negative errno with a message in
 * *error.
 */
int memphis_second_pass_read(struct memphis_second_pass *pass, size_t process, uint64_t wanted,
			     struct memphis_error *error);

/* Returns the profile's row of the sample's instruction, or MEMPHIS_NONE if memory is exhausted. */
uint32_t memphis_second_pass_instruction(struct memphis_second_pass *pass,
					 const struct memphis_heatmap_record *sample);
void memphis_second_pass_close(struct memphis_second_pass *pass);

#endif
