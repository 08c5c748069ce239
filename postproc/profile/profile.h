/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What was sampled, by name: variables, instructions with their lines, regions, and how many samples each combination has.
 * A profile needs neither the process, nor the machine, nor the binaries any more; it grows with what is distinct, not
 * with samples; and profiles merge, in any order, into the one that all their files together would have made.
 */
#ifndef MEMPHIS_PROFILE_H
#define MEMPHIS_PROFILE_H

#include "profile/examples.h"
#include "base/pool.h"
#include "read/process.h"
#include "profile/selection.h"
#include "profile/timeline.h"
#include "profile/totals.h"

#define MEMPHIS_NONE UINT32_MAX

/* All members are numbers in profile->strings; 0 = there is none. Variables are the same if everything said of them is. */
struct memphis_variable {
	uint32_t segment;   /* heap, bss, stack, tls, mmap, shm, libfoo.so ... */
	uint32_t name;      /* tx, ice_state::aicen, <not-found> ... */
	uint32_t qualified; /* of a holder or static: with module and so on */
	uint32_t site;      /* file:line where a block was allocated */
	uint32_t how;       /* how the name was found: see name/names.c */
	uint32_t why_not;   /* why a block only has its site as a name */
};

/* A program, library or other file that was mapped. */
struct memphis_object {
	uint32_t path, build_id;    /* as recorded */
	uint32_t found, debug_path; /* the files in use, if any */
	uint32_t split_missing; /* a file of debug information that was not read: *.dwo, or *.dwp; or none */
	uint16_t state;         /* enum memphis_binary_state */
	bool unverified;        /* no build-id on either side to compare */
	bool has_debug;
};

struct memphis_instruction {
	uint64_t pc;     /* link-time address in `object`; without one, run-time */
	uint32_t object; /* number in profile->objects, or MEMPHIS_NONE */
	uint32_t frame,
		frame_count; /* in profile->frames; at least 1: where it stands, then the calls inlined around */
};

struct memphis_profile_frame {
	uint32_t function, path; /* strings; 0 = not known */
	uint32_t line;           /* 0 = not known */
};

/* Rows of profile->regions that are always there. */
#define MEMPHIS_REGION_OUTSIDE 0 /* of every caliper */
#define MEMPHIS_REGION_UNKNOWN 1 /* a number that the process file says nothing of */

struct memphis_profile_region {
	uint32_t name;    /* 0 for the two rows above */
	uint32_t parent;  /* a row before this one; MEMPHIS_REGION_OUTSIDE: at the top */
	uint32_t depth;   /* regions around it */
	uint64_t written; /* samples in the files, selected or not */
};

struct memphis_cell_key {
	uint32_t variable, instruction, region; /* region 0 unless by_region */
	uint32_t thread; /* as memphis_profile_thread() counts them; 0 unless by_thread */
	struct memphis_access access;
	uint32_t reason; /* enum memphis_unattributed */
	uint32_t zero;
};

struct memphis_cell {
	struct memphis_cell_key key;
	uint64_t count;
	uint64_t accesses;       /* estimated: the sum of the periods of its samples */
	uint64_t latency_cycles; /* sum */
	uint64_t latency_max_cycles;
	uint64_t low, high; /* data addresses seen */
};

/* Where, when and by whom one of the leading variables of a process was accessed: see heatmap/heatmap.h. */
struct memphis_heatmap;

/* A pattern that a variable follows in one process: see diagnose/diagnosis.h. */
struct memphis_finding;

struct memphis_profile {
	struct memphis_strings strings;
	struct memphis_processes
		processes;         /* metadata, accounting, threads; their samples are not needed any more */
	char selection[16];        /* kind of the samples in it: "all" ... */
	bool by_region, by_thread; /* cells know their region, their thread */

	struct memphis_object *objects;
	size_t object_count, object_room;
	struct memphis_variable *variables;
	size_t variable_count, variable_room;
	struct memphis_instruction *instructions;
	size_t instruction_count, instruction_room;
	struct memphis_profile_frame *frames;
	size_t frame_count, frame_room;
	struct memphis_profile_region *regions;
	size_t region_count, region_room;
	struct memphis_cell *cells; /* each key once, in no order */
	size_t cell_count, cell_room;
	struct memphis_totals totals;
	struct memphis_timeline *timelines; /* by process */
	struct memphis_examples examples;
	struct memphis_heatmap *heatmaps;
	size_t heatmap_count, heatmap_room;
	struct memphis_finding
		*evidence; /* of each process, and each kind of samples that a report may select */
	size_t evidence_count, evidence_room;

	/* what finds the number of an equal object, variable ... ; made as they are added */
	struct memphis_strings object_keys, variable_keys, instruction_keys, region_keys;
	struct memphis_table cell_table; /* of the cells, by key */
};

/* Each gives the number of what is equal, added if it was not there; MEMPHIS_NONE without memory. */
uint32_t memphis_profile_string(struct memphis_profile *profile, const char *text); /* NULL: 0 */
uint32_t memphis_profile_object(struct memphis_profile *profile, const struct memphis_object *object);
uint32_t memphis_profile_variable(struct memphis_profile *profile, const struct memphis_variable *variable);
uint32_t memphis_profile_instruction(struct memphis_profile *profile, uint32_t object, uint64_t pc,
				     const struct memphis_profile_frame *frames, size_t count);
uint32_t memphis_profile_region(struct memphis_profile *profile, uint32_t name, uint32_t parent);

/* The threads of all processes, numbered in order: the number of a process's first one. */
uint32_t memphis_profile_thread(const struct memphis_profile *profile, size_t process);

/* The thread of that number, and its process. */
const struct memphis_thread *memphis_profile_thread_of(const struct memphis_profile *profile, uint32_t number,
						       const struct memphis_process **process);

/* Adds `cell`'s numbers to the cell of its key. 0 or -ENOMEM. */
int memphis_profile_add(struct memphis_profile *profile, const struct memphis_cell *cell);

/* Does the selection take the cell's samples? A profile that is not by region holds those of the selected region alone. */
bool memphis_profile_takes(const struct memphis_profile *profile, const struct memphis_selection *selection,
			   const struct memphis_cell *cell);

/*
 * The instruction's innermost frame outside system headers: the line of the program itself, rather than one of std::fill() that was
 * inlined there. The innermost frame if all are in system headers.
 */
const struct memphis_profile_frame *memphis_program_frame(const struct memphis_profile *profile,
							  uint32_t instruction);

/* The text of a string's number; NULL for 0. Valid until the next string is added. */
const char *memphis_profile_text(const struct memphis_profile *profile, uint32_t string);

/*
 * Adds all of `from` to `profile` and closes `from`, whose processes move. 0, -ENOMEM, or -EINVAL with *error where the two
 * can't be added: they were reduced with different selections, or have a process in common.
 */
int memphis_profile_merge(struct memphis_profile *profile, struct memphis_profile *from,
			  struct memphis_error *error);
void memphis_profile_close(struct memphis_profile *profile);

#endif
