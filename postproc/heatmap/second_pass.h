/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the samples of a process a second time, for heatmaps: all samples, or an evenly spread part if there are many. Owners have names by
 * now; each sample becomes a record with its owner and its offset in the owner.
 */
#ifndef MEMPHIS_SECOND_PASS_H
#define MEMPHIS_SECOND_PASS_H

#include <stdbool.h>
#include <stdint.h>

#include "name/reduce.h"
#include "profile/heatmap.h"

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
	uint32_t load;  /* row + 1 of heatmap->loads, if the sample fetched a cache line there; else 0 */
	bool selected;  /* belongs to the kind of samples that is currently summed */
	uint32_t kinds; /* bit n: the sample belongs to kind n of the second pass */
};

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
	uint64_t wanted;       /* approximate number of samples to read ... */
	uint64_t of;           /* ... out of this number of samples of the process */
	uint32_t *region_rows; /* by region id of the process: row of the profile */
	size_t region_row_count;
	/* Keys: address, binary and callers. The number of a key minus 1 is its index in `instructions`. */
	struct memphis_strings codes;
	uint32_t *instructions; /* rows of the profile */
	size_t instruction_room;
	/* By row of the profile's variables: index + 1 in a list of the caller; all are 0 between calls. */
	uint32_t *slots;
};

/* Opens the pass. Returns 0 or -ENOMEM; the caller must close the pass in both cases. */
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

/* ---- the leading variables of a process, which are examined for findings ---- */

#define MEMPHIS_HEATMAPS 16 /* number of leading variables per process whose heatmaps are kept */

/*
 * Leading variables of a kind of samples are the MEMPHIS_HEATMAPS variables with most of these samples, and every variable with at least the
 * share of them that a finding needs. A variable with this share in all processes together has it in at least one process, so that no
 * finding is missed.
 */
struct memphis_leader {
	uint32_t variable; /* row of the profile */
	uint32_t kinds;    /* bit n: the variable leads among samples of kind n of the second pass */
	uint64_t count;    /* number of samples of any kind */
	uint64_t selected; /* number of samples of the lowest-numbered kind for which it leads */
	bool kept;         /* the heatmap is kept: one of the MEMPHIS_HEATMAPS first ones in kind 0 */
};

/*
 * Lists the leading variables: first the variables that lead in kind 0, sorted by number of samples, then the remaining ones of kind 1, and
 * so on. *leaders is malloc'ed. Returns 0 or -ENOMEM.
 */
int memphis_leaders_find(const struct memphis_second_pass *pass, struct memphis_leader **leaders,
			 size_t *count);

/* ---- the heatmap of one variable, summed from its records ---- */

/*
 * Fills in the ranges, and the cache lines that were modified in another cache. These do not depend on the selection of records, and are
 * needed by the sums below. Returns 0 or -ENOMEM, as do the functions below. Like memphis_heatmap_sum_selected(), it uses nothing but the
 * heatmap and the records, so that those of several variables may be made at the same time.
 */
int memphis_heatmap_places(struct memphis_heatmap *heatmap, struct memphis_heatmap_record *const *records,
			   size_t count);

/* Fills in the remaining members that do not depend on the selection: stores, loads and fields. Changes the order of the records. */
int memphis_heatmap_sum(struct memphis_second_pass *pass, struct memphis_heatmap *heatmap,
			struct memphis_heatmap_record **records, size_t count);

/* Replaces the members that depend on record->selected: spots, uses and regions. The first stores of uses are indices of records. */
int memphis_heatmap_sum_selected(struct memphis_heatmap *heatmap,
				 struct memphis_heatmap_record *const *records, size_t count);

/* Replaces the first stores of uses, while the records are in the same order, by the rows of their instructions. */
int memphis_heatmap_first_stores(struct memphis_second_pass *pass, struct memphis_heatmap *heatmap,
				 struct memphis_heatmap_record *const *records);

/* Releases the spare memory of the arrays. */
void memphis_heatmap_trim(struct memphis_heatmap *heatmap);

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

/* ---- the cache lines of a variable that were found modified in another cache ---- */

/* Fills in heatmap->words. Returns 0 or -ENOMEM. */
int memphis_heatmap_lines(struct memphis_heatmap *heatmap, struct memphis_heatmap_record *const *records,
			  size_t count);

/* ---- the loads of a variable by source line, and how many of them fetched a cache line ---- */

/*
 * Returns whether each load of the process had the same chance of being sampled. This holds for IBS that counts ops, without filters: PEBS load
 * latency leaves out the fast loads, and counting cycles prefers the slow ones.
 */
bool memphis_samples_all_loads(const struct memphis_process *process);

/* Returns whether the load fetched its cache line from the L3 or from memory. Lines from other caches may be there because they are shared. */
bool memphis_fetched(const struct memphis_heatmap_record *record);

/*
 * Fills in heatmap->loads, except the counts of selected loads, and the records' `load`. There are no loads if the samples of the process
 * are no random part of all loads. Returns 0 or -ENOMEM.
 */
int memphis_heatmap_loads(struct memphis_second_pass *pass, struct memphis_heatmap *heatmap,
			  struct memphis_heatmap_record *const *records, size_t count);

/* Counts the selected records again; memphis_heatmap_loads() must be called first. */
void memphis_heatmap_loads_select(struct memphis_heatmap *heatmap,
				  struct memphis_heatmap_record *const *records, size_t count);

/* ---- which threads share memory ---- */

/* Fills profile->sharing, sorted by process, thread, with, home and variable. Returns 0, or a negative errno with a message in *error. */
int memphis_sharing_make(struct memphis_namer *namer, const struct memphis_owner_numbers *numbers,
			 struct memphis_error *error);

#endif
