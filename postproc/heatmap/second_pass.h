/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the samples of a process a second time, to make heatmaps. The first pass has counted the samples and named the
 * owners (variables and blocks). The second pass makes a record of each sample, with its owner and its offset in the
 * owner. If there are many samples, it reads an evenly spread part of them.
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

/* One sample of a variable. All heatmaps are computed from these records. */

#define MEMPHIS_NO_OFFSET UINT64_MAX

struct memphis_heatmap_record {
	uint64_t address, pc;
	uint64_t since_ns; /* time since the start of the process */
	uint64_t offset;   /* offset in the variable or block, or MEMPHIS_NO_OFFSET */
	/* The end address and the allocation time of the block, or 0 if the offset in the block is unknown. */
	uint64_t block_end, block_ns;
	uint32_t owner;   /* number of the owner in memphis_owner_numbers */
	uint32_t thread;  /* index of the thread in the process */
	uint32_t region;  /* row of the profile's regions */
	uint32_t callers; /* number of the sample's call stack (read/callers.h) */
	uint16_t node, home, flags;
	uint16_t source, latency_cycles;
	/*
	 * The probability that the estimated owner is wrong, in units of 1 / UINT16_MAX. Offset and block of such a
	 * record are unknown.
	 */
	uint16_t doubt;
	bool estimated;
	/* The profile's row of the instruction, and the number of its place. Both are MEMPHIS_NONE until they are looked up. */
	uint32_t instruction, place;
	/* If the sample fetched a cache line: row of heatmap->loads plus 1, or 0 if no row counts it */
	uint32_t load;
	bool selected; /* the user's selection includes the sample */
	/*
	 * Bit n is set if the sample belongs to enum memphis_population n and to the selected node and regions. Unlike
	 * `selected`, the bits do not depend on the kind of samples that the user selected.
	 */
	uint8_t kinds;
};

static inline bool memphis_record_is(const struct memphis_heatmap_record *record,
				     enum memphis_population population)
{
	return record->kinds >> population & 1;
}

/* The records of one thread, in the order of its file. */
struct memphis_second_pass_thread {
	struct memphis_heatmap_record *list;
	size_t count, room;
	bool stores;         /* at least one sample is a store */
	unsigned int reader; /* number of the worker that read the records */
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
	bool all_loads;        /* each load of the process had the same probability of being sampled */
	uint64_t wanted;       /* approximate number of samples to read */
	uint64_t of;           /* number of samples of the process */
	uint32_t *region_rows; /* row of the profile, by region id of the process */
	size_t region_row_count;
	/* Each key is an address, a binary and a call stack. The number of a key, minus 1, is its index in `instructions`. */
	struct memphis_strings codes;
	uint32_t *instructions; /* rows of the profile */
	size_t instruction_room;
	struct memphis_program_places places;
	struct memphis_load_orders orders; /* results for all processes */
	/*
	 * One slot per variable of the profile, for temporary use. A function stores there the index, plus 1, of the
	 * variable in its own list, and resets the slots to 0 before it returns.
	 */
	uint32_t *slots;
};

/* Opens the pass. Returns 0 or -ENOMEM; the caller must close the pass in both cases. */
int memphis_second_pass_open(struct memphis_second_pass *pass, struct memphis_namer *namer,
			     struct memphis_owner_numbers *numbers);

/*
 * Replaces the records by about `wanted` records of this process. Reads all samples if the process has fewer. Returns
 * 0, or a negative errno with a message in *error.
 */
int memphis_second_pass_read(struct memphis_second_pass *pass, size_t process, uint64_t wanted,
			     struct memphis_error *error);

/*
 * Returns whether each load of the process had the same probability of being sampled. Only IBS that counts ops,
 * without filters, samples this way. PEBS load latency omits fast loads. IBS that counts cycles samples slow loads
 * more often.
 */
bool memphis_samples_all_loads(const struct memphis_process *process);

/* Returns the profile's row of the instruction that made the access, or MEMPHIS_NONE if memory is exhausted. */
uint32_t memphis_second_pass_instruction(struct memphis_second_pass *pass,
					 struct memphis_heatmap_record *sample);

/* Returns the index in pass->places.list of the place that made the access, or MEMPHIS_NONE if memory is exhausted. */
uint32_t memphis_second_pass_place(struct memphis_second_pass *pass, struct memphis_heatmap_record *sample);
void memphis_second_pass_close(struct memphis_second_pass *pass);

/* ---- the leading variables of a process, which are examined for findings ---- */

#define MEMPHIS_HEATMAPS 16 /* number of variables per process whose heatmaps are kept */

/*
 * A variable with many samples of a process. For each population, the leading variables are the MEMPHIS_HEATMAPS
 * variables with the most samples of this population, and every variable that has the share of these samples that a
 * finding needs. No finding is missed by looking only at leading variables of each process: a variable with this share
 * in all processes together has it in at least one of them.
 */
struct memphis_leader {
	uint32_t variable; /* row of the profile */
	uint64_t count;    /* number of samples of any kind */
	uint64_t selected; /* number of selected samples */
	/* the heatmap is kept, because the variable is among the MEMPHIS_HEATMAPS first by selected samples */
	bool kept;
	uint64_t kinds[MEMPHIS_POPULATIONS]; /* number of samples by enum memphis_population */
};

/*
 * Lists the leading variables of the process: those that lead in a population, or have the most selected samples.
 * Sorts the list by the number of selected samples, descending. The caller must free *leaders. Returns 0 or -ENOMEM.
 */
int memphis_leaders_find(const struct memphis_second_pass *pass, struct memphis_leader **leaders,
			 size_t *count);

/* ---- the heatmap of one variable, summed from its records ---- */

/*
 * Starts a heatmap: sets its ranges of addresses and times, and adds the cache lines that were found modified in
 * another cache. The functions below need these. Returns 0 or -ENOMEM, as do the functions below.
 *
 * This function and memphis_heatmap_sum_accesses() use only the heatmap and the records, so that threads can make the
 * heatmaps of several variables in parallel.
 */
int memphis_heatmap_begin(struct memphis_heatmap *heatmap, struct memphis_heatmap_record *const *records,
			  size_t count);

/*
 * Sets heatmap->reused if most of the variable's memory belonged to another variable before. Its pages may then still
 * be on the nodes where that variable placed them.
 */
void memphis_heatmap_find_reuse(const struct memphis_second_pass *pass, struct memphis_heatmap *heatmap,
				struct memphis_heatmap_record *const *records, size_t count);

/*
 * Sets heatmap->small_blocks if most samples are in blocks of malloc that are smaller than a page. The thread that
 * allocates them places their pages.
 */
void memphis_heatmap_find_small_blocks(const struct memphis_second_pass *pass,
				       struct memphis_heatmap *heatmap,
				       struct memphis_heatmap_record *const *records, size_t count);

/* Sets the extents (address ranges) of the variable's blocks. Leaves them empty if the blocks are close together. */
int memphis_heatmap_find_extents(struct memphis_heatmap *heatmap,
				 struct memphis_heatmap_record *const *records, size_t count);
/*
 * Changes the range and the bins from addresses to positions. A position is an offset in all extents together, without
 * the gaps between them.
 */
void memphis_heatmap_use_positions(struct memphis_heatmap *heatmap);

/* Adds the stores, loads and fields to the heatmap. Changes the order of the records. */
int memphis_heatmap_sum(struct memphis_second_pass *pass, struct memphis_heatmap *heatmap,
			struct memphis_heatmap_record **records, size_t count);

/*
 * Computes the spots, uses and regions, and replaces earlier ones. The first_store of each use is the index of a
 * record until memphis_heatmap_first_stores() replaces it.
 */
int memphis_heatmap_sum_accesses(struct memphis_heatmap *heatmap,
				 struct memphis_heatmap_record *const *records, size_t count);

/*
 * Replaces the first_store of each use, until now the index of a record, by the profile's row of its instruction. The
 * records must still be in the same order.
 */
int memphis_heatmap_first_stores(struct memphis_second_pass *pass, struct memphis_heatmap *heatmap,
				 struct memphis_heatmap_record *const *records);

/* Frees unused memory at the ends of the arrays, and frees `places`, which is no longer needed. */
void memphis_heatmap_trim(struct memphis_heatmap *heatmap);

/* ---- the places of the program that access a variable ---- */

/*
 * Adds the places that access the variable to heatmap->places. Does nothing if there are too few remote loads and too
 * few loads of modified lines for a finding.
 */
int memphis_heatmap_fill_places(struct memphis_second_pass *pass, struct memphis_heatmap *heatmap,
				struct memphis_heatmap_record *const *records, size_t count);

/*
 * Removes the remote loads from the population MEMPHIS_REMOTE_LOADS whose place is already explained by evidence. The
 * caller must then call memphis_heatmap_sum_accesses() again.
 */
void memphis_heatmap_leave_explained(struct memphis_second_pass *pass, const struct memphis_heatmap *heatmap,
				     struct memphis_heatmap_record *const *records, size_t count);

/* ---- the members of a variable that are accessed ---- */

/*
 * Fills in heatmap->fields and heatmap->element_bytes if the type of the variable is known. Sorts the records. Returns
 * 0 or -ENOMEM.
 */
int memphis_heatmap_fill_fields(struct memphis_second_pass *pass, struct memphis_heatmap *heatmap,
				struct memphis_heatmap_record **records, size_t count);

/*
 * ---- the parts of an array that each node uses most ----
 */

/* Fills heatmap->parts from the records of its variable. Returns 0 or -ENOMEM. */
int memphis_heatmap_fill_parts(struct memphis_second_pass *pass, struct memphis_heatmap *heatmap,
			       struct memphis_heatmap_record *const *records, size_t count);

/* ---- the latencies of a variable's loads, by source ---- */

/*
 * Counts the loads that had to wait for data from beyond the L2, by source of the data and latency bin. Returns 0 or
 * -ENOMEM.
 */
int memphis_heatmap_fill_latencies(struct memphis_heatmap *heatmap,
				   struct memphis_heatmap_record *const *records, size_t count);

/*
 * ---- the source lines that made a variable's selected samples, over time ----
 */

/* Fills in heatmap->moments. Returns 0 or -ENOMEM. */
int memphis_heatmap_fill_moments(struct memphis_second_pass *pass, struct memphis_heatmap *heatmap,
				 struct memphis_heatmap_record *const *records, size_t count);

/* ---- the cache lines of a variable that were found modified in another cache ---- */

/* Fills in heatmap->words. Returns 0 or -ENOMEM. */
int memphis_heatmap_fill_words(struct memphis_heatmap *heatmap, struct memphis_heatmap_record *const *records,
			       size_t count);

/* ---- the loads of a variable by source line, and how many of them fetched a cache line ---- */

/*
 * Returns whether the load fetched its cache line from the L3 or from memory. Lines from other caches do not count,
 * because sharing may be the reason why they were there.
 */
bool memphis_is_fetched(const struct memphis_heatmap_record *record);

/*
 * Adds the loads of each source line to heatmap->loads, and sets `load` of each record. The list stays empty if the
 * process has no random sample of all loads (memphis_samples_all_loads()). Returns 0 or -ENOMEM.
 */
int memphis_heatmap_fill_loads(struct memphis_second_pass *pass, struct memphis_heatmap *heatmap,
			       struct memphis_heatmap_record *const *records, size_t count);

/* ---- which threads share memory ---- */

/*
 * Fills profile->sharing, sorted by process, thread, with, home and variable. Returns 0, or a negative errno with a
 * message in *error.
 */
int memphis_sharing_make(struct memphis_namer *namer, struct memphis_owner_numbers *numbers,
			 struct memphis_error *error);

#endif
