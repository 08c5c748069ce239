/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the samples of a process a second time, for heatmaps: all samples, or an evenly spread part if there are many. The owners now have names.
 * Each sample becomes a record with its owner and its offset in the owner.
 */
#ifndef MEMPHIS_SECOND_PASS_H
#define MEMPHIS_SECOND_PASS_H

#include <stdbool.h>
#include <stdint.h>

#include "heatmap/program_places.h"
#include "name/load_order.h"
#include "name/reduce.h"
#include "profile/heatmap.h"
#include "profile/population.h"

/* A sample of a variable. Heatmaps are computed from these records. */

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
	uint32_t callers; /* callers of the sample: see read/callers.h */
	uint16_t node, home, flags;
	uint16_t source, latency_cycles;
	/* If the owner is estimated: probability that it is another one, in units of 1 / UINT16_MAX. Offset and block are then unknown. */
	uint16_t doubt;
	bool estimated;
	/* Row of the profile, and number of the place; MEMPHIS_NONE until they are looked up. */
	uint32_t instruction, place;
	uint32_t load; /* row + 1 of heatmap->loads, if the sample fetched a cache line there; else 0 */
	bool selected; /* the selection includes the sample */
	/* Bit n: the sample belongs to enum memphis_population n, on the selected node and in the selected regions; its kind need not be selected. */
	uint8_t kinds;
};

static inline bool memphis_record_is(const struct memphis_heatmap_record *record,
				     enum memphis_population population)
{
	return record->kinds >> population & 1;
}

/* The records of a thread, in the order of its file. */
struct memphis_second_pass_thread {
	struct memphis_heatmap_record *list;
	size_t count, room;
	bool stores;         /* at least one sample is a store */
	unsigned int reader; /* the worker that read them */
};

struct memphis_second_pass {
	struct memphis_namer *namer;
	struct memphis_join *join;
	struct memphis_owner_numbers *numbers;
	size_t process;
	struct memphis_second_pass_thread *threads;
	size_t thread_count;
	struct memphis_heatmap_record **samples; /* all records, thread by thread */
	size_t count;
	bool stores;           /* at least one sample is a store */
	bool all_loads;        /* each load of the process had the same chance of being sampled */
	uint64_t wanted;       /* approximate number of samples to read ... */
	uint64_t of;           /* ... out of this number of samples of the process */
	uint32_t *region_rows; /* by region id of the process: row of the profile */
	size_t region_row_count;
	/* Keys: address, binary and callers. The number of a key minus 1 is its index in `instructions`. */
	struct memphis_strings codes;
	uint32_t *instructions; /* rows of the profile */
	size_t instruction_room;
	struct memphis_program_places places;
	struct memphis_load_orders orders; /* of all processes */
	/* By row of the profile's variables: index + 1 in a list of the caller; all are 0 between calls. */
	uint32_t *slots;
};

/* Opens the pass. Returns 0 or -ENOMEM; the caller must close the pass in both cases. */
int memphis_second_pass_open(struct memphis_second_pass *pass, struct memphis_namer *namer,
			     struct memphis_owner_numbers *numbers);

/*
 * Replaces the records by about `wanted` records of a process, or fewer if it has fewer. Returns 0, or a negative errno with a message in
 * *error.
 */
int memphis_second_pass_read(struct memphis_second_pass *pass, size_t process, uint64_t wanted,
			     struct memphis_error *error);

/*
 * Returns whether each load of the process had the same chance of being sampled. This is the case for IBS that counts ops, without filters. PEBS load
 * latency omits fast loads, and IBS that counts cycles prefers slow loads.
 */
bool memphis_samples_all_loads(const struct memphis_process *process);

/* Returns the profile's row of the sample's instruction, or MEMPHIS_NONE if memory is exhausted. */
uint32_t memphis_second_pass_instruction(struct memphis_second_pass *pass,
					 struct memphis_heatmap_record *sample);

/* Returns the number of the sample's place, the index in pass->places.list; MEMPHIS_NONE if memory is exhausted. */
uint32_t memphis_second_pass_place(struct memphis_second_pass *pass, struct memphis_heatmap_record *sample);
void memphis_second_pass_close(struct memphis_second_pass *pass);

/* ---- the leading variables of a process, which are examined for findings ---- */

#define MEMPHIS_HEATMAPS 16 /* number of leading variables per process whose heatmaps are kept */

/*
 * The leading variables of a kind of samples are the MEMPHIS_HEATMAPS variables with most of these samples, and every variable with the share of them
 * that a finding needs. A variable with this share in all processes together has it in at least one process, so that no finding is missed.
 */
struct memphis_leader {
	uint32_t variable; /* row of the profile */
	uint64_t count;    /* number of samples of any kind */
	uint64_t selected; /* number of selected samples */
	bool kept;         /* the heatmap is kept: one of the first MEMPHIS_HEATMAPS by selected samples */
	uint64_t kinds[MEMPHIS_POPULATIONS]; /* number of samples by enum memphis_population */
};

/*
 * Lists the variables that lead among the selected samples, sorted by number of these, and then those that lead in a population. *leaders is
 * malloc'ed. Returns 0 or -ENOMEM.
 */
int memphis_leaders_find(const struct memphis_second_pass *pass, struct memphis_leader **leaders,
			 size_t *count);

/* ---- the heatmap of one variable, summed from its records ---- */

/*
 * Fills in the ranges, and the cache lines that were modified in another cache; the sums below need them. Returns 0 or -ENOMEM, as do the functions
 * below. It uses only the heatmap and the records, as does memphis_heatmap_sum_accesses(), so that heatmaps of several variables can be made at the
 * same time.
 */
int memphis_heatmap_begin(struct memphis_heatmap *heatmap, struct memphis_heatmap_record *const *records,
			  size_t count);

/* Sets heatmap->reused: whether most of the memory belonged to another variable before, and may have kept its pages. */
void memphis_heatmap_find_reuse(const struct memphis_second_pass *pass, struct memphis_heatmap *heatmap,
				struct memphis_heatmap_record *const *records, size_t count);

/* Fills in the extents, unless the addresses are dense. */
int memphis_heatmap_find_extents(struct memphis_heatmap *heatmap,
				 struct memphis_heatmap_record *const *records, size_t count);
/* Replaces addresses by positions in the range, so that bins are of positions. */
void memphis_heatmap_use_positions(struct memphis_heatmap *heatmap);

/* Fills in stores, loads and fields. Changes the order of the records. */
int memphis_heatmap_sum(struct memphis_second_pass *pass, struct memphis_heatmap *heatmap,
			struct memphis_heatmap_record **records, size_t count);

/* Replaces spots, uses and regions. The first store of each use is an index of a record. */
int memphis_heatmap_sum_accesses(struct memphis_heatmap *heatmap,
				 struct memphis_heatmap_record *const *records, size_t count);

/* Replaces the first store of each use by the row of its instruction. The records must be in the same order as before. */
int memphis_heatmap_first_stores(struct memphis_second_pass *pass, struct memphis_heatmap *heatmap,
				 struct memphis_heatmap_record *const *records);

/* Releases the spare memory of the arrays. */
void memphis_heatmap_trim(struct memphis_heatmap *heatmap);

/* ---- the places of the program that access a variable ---- */

/* Fills in heatmap->places, unless there are too few remote loads, and loads of modified lines, for a finding. */
int memphis_heatmap_places(struct memphis_second_pass *pass, struct memphis_heatmap *heatmap,
			   struct memphis_heatmap_record *const *records, size_t count);

/* Marks the remote loads of explained places as not remote. The caller must sum the accesses again. */
void memphis_heatmap_leave_explained(struct memphis_second_pass *pass, const struct memphis_heatmap *heatmap,
				     struct memphis_heatmap_record *const *records, size_t count);

/* ---- the members of a variable that are accessed ---- */

/* Fills in heatmap->fields and ->element_bytes if the type of the variable is known. Sorts the records. Returns 0 or -ENOMEM. */
int memphis_heatmap_fields(struct memphis_second_pass *pass, struct memphis_heatmap *heatmap,
			   struct memphis_heatmap_record **records, size_t count);

/* ---- the parts of an array in which most selected samples of each node are ---- */

/* Fills heatmap->parts from the records of its variable. Returns 0 or -ENOMEM. */
int memphis_heatmap_parts(struct memphis_second_pass *pass, struct memphis_heatmap *heatmap,
			  struct memphis_heatmap_record *const *records, size_t count);

/* ---- the latencies of a variable's loads, by source ---- */

/* Counts the loads that waited beyond the L2, by source and bin. Returns 0 or -ENOMEM. */
int memphis_heatmap_latencies(struct memphis_heatmap *heatmap, struct memphis_heatmap_record *const *records,
			      size_t count);

/* ---- the lines of the program that made a variable's selected samples, over time ---- */

/* Fills in heatmap->moments. Returns 0 or -ENOMEM. */
int memphis_heatmap_moments(struct memphis_second_pass *pass, struct memphis_heatmap *heatmap,
			    struct memphis_heatmap_record *const *records, size_t count);

/* ---- the cache lines of a variable that were found modified in another cache ---- */

/* Fills in heatmap->words. Returns 0 or -ENOMEM. */
int memphis_heatmap_lines(struct memphis_heatmap *heatmap, struct memphis_heatmap_record *const *records,
			  size_t count);

/* ---- the loads of a variable by source line, and how many of them fetched a cache line ---- */

/* Returns whether the load fetched its cache line from the L3 or from memory. Lines from other caches do not count, as they may be there because of sharing. */
bool memphis_fetched(const struct memphis_heatmap_record *record);

/*
 * Fills in heatmap->loads, and the records' `load`. The list is empty if the samples of the process are not a random sample of all
 * loads. Returns 0 or -ENOMEM.
 */
int memphis_heatmap_loads(struct memphis_second_pass *pass, struct memphis_heatmap *heatmap,
			  struct memphis_heatmap_record *const *records, size_t count);

/* ---- which threads share memory ---- */

/* Fills profile->sharing, sorted by process, thread, with, home and variable. Returns 0, or a negative errno with a message in *error. */
int memphis_sharing_make(struct memphis_namer *namer, struct memphis_owner_numbers *numbers,
			 struct memphis_error *error);

#endif
