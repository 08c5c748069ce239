/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The model of what was sampled: tables of variables, instructions with their source lines, and regions, and cells that count the
 * samples of each combination. A profile refers neither to the processes, nor to the machine, nor to the binaries any more. Its size
 * grows with the number of distinct rows, not with the number of samples. Merging profiles, in any order, gives the profile that all
 * their sample files together would have given.
 *
 * Rows refer to each other by number: an index into the array of the profile. A profile that is all zeros is empty and valid.
 */
#ifndef MEMPHIS_PROFILE_H
#define MEMPHIS_PROFILE_H

#include "profile/examples.h"
#include "base/pool.h"
#include "read/process.h"
#include "profile/selection.h"
#include "profile/timeline.h"
#include "profile/totals.h"

#define MEMPHIS_NONE UINT32_MAX /* no row; and the result of functions that fail for lack of memory */

/* All members are numbers in profile->strings; 0: none. Two variables are equal if all members are. */
struct memphis_variable {
	uint32_t segment;   /* heap, bss, stack, tls, mmap, shm, libfoo.so ...; never 0 */
	uint32_t name;      /* tx, ice_state::aicen, <not-found> ...; never 0 */
	uint32_t qualified; /* static variable or holder: the name with its module, namespace or function */
	uint32_t site;      /* allocation site of a block, file:line */
	uint32_t how;       /* where the name is from: see name/names.c */
	uint32_t why_not;   /* why a block is only named by its allocation site */
};

/* A mapped file: program, library or other. Two objects are equal if path and build_id are. */
struct memphis_object {
	uint32_t path, build_id;    /* as recorded */
	uint32_t found, debug_path; /* the files that were read, if any */
	/* A file of split debug information (*.dwo, *.dwp) that could not be read, or none. */
	uint32_t split_missing;
	uint16_t state;  /* enum memphis_binary_state */
	bool unverified; /* the recorded file or the one in use has no build-id to compare */
	bool has_debug;
};

/* Two instructions are equal if object and pc are. */
struct memphis_instruction {
	uint64_t pc;     /* link-time address in `object`, or run-time address without one */
	uint32_t object; /* row of profile->objects, or MEMPHIS_NONE */
	/* In profile->frames, at least 1: its own line, then the inlined calls around it. */
	uint32_t frame, frame_count;
};

struct memphis_profile_frame {
	uint32_t function, path; /* strings; 0: unknown */
	uint32_t line;           /* 0: unknown */
};

/* Rows that every profile with regions begins with. */
#define MEMPHIS_REGION_OUTSIDE 0 /* outside every caliper */
#define MEMPHIS_REGION_UNKNOWN 1 /* an id that the process file does not define */

/* A region with the regions around it: the regions of all processes as one tree. */
struct memphis_profile_region {
	uint32_t name;    /* 0 for the two rows above */
	uint32_t parent;  /* an earlier row; MEMPHIS_REGION_OUTSIDE: at the top level */
	uint32_t depth;   /* number of regions around it */
	uint64_t written; /* samples in the files, whether selected or not */
};

struct memphis_cell_key {
	uint32_t variable, instruction, region; /* region: 0 unless by_region */
	uint32_t thread;                        /* number in the profile; 0 unless by_thread */
	struct memphis_access access;
	uint32_t reason; /* enum memphis_unattributed */
	uint32_t zero;   /* padding: keys are hashed as bytes */
};

/* The samples of one key. */
struct memphis_cell {
	struct memphis_cell_key key;
	uint64_t count;
	uint64_t accesses;       /* estimate: the sum of the sampling periods */
	uint64_t latency_cycles; /* sum */
	uint64_t latency_max_cycles;
	uint64_t low, high; /* lowest and highest data address */
};

/* How a leading variable of one process was accessed: profile/heatmap.h. */
struct memphis_heatmap;

/* A pattern that a variable follows in one process: profile/finding.h. */
struct memphis_finding;

struct memphis_profile {
	struct memphis_strings strings;
	struct memphis_processes processes; /* metadata, accounting and threads, without samples */
	char selection[16];                 /* name of the kind of samples in the cells: "all" ... */
	bool by_region, by_thread;          /* whether cells are separate by region, by thread */

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
	struct memphis_cell *cells; /* each key once, in any order */
	size_t cell_count, cell_room;
	struct memphis_totals totals;
	/* By process, as many as processes.list has; NULL: not yet allocated. */
	struct memphis_timeline *timelines;
	struct memphis_examples examples;
	struct memphis_heatmap *heatmaps;
	size_t heatmap_count, heatmap_room;
	/* For each process and each kind of samples that a report may select. */
	struct memphis_finding *evidence;
	size_t evidence_count, evidence_room;

	/* indexes that find the number of an equal row */
	struct memphis_strings object_keys, variable_keys, instruction_keys, region_keys;
	struct memphis_table cell_table; /* of the cells, by key */
};

/*
 * Each returns the number of the row that is equal, after appending it if there was none; MEMPHIS_NONE without memory. Of equal objects
 * and instructions the row keeps the better information: another machine may have found what this one did not.
 */
uint32_t memphis_profile_string(struct memphis_profile *profile, const char *text); /* NULL gives 0 */
uint32_t memphis_profile_object(struct memphis_profile *profile, const struct memphis_object *object);
uint32_t memphis_profile_variable(struct memphis_profile *profile, const struct memphis_variable *variable);
uint32_t memphis_profile_instruction(struct memphis_profile *profile, uint32_t object, uint64_t pc,
				     const struct memphis_profile_frame *frames, size_t count);
/* `name` 0 returns `parent`; the region of a parent that is too deep is the parent. */
uint32_t memphis_profile_region(struct memphis_profile *profile, uint32_t name, uint32_t parent);

/*
 * The number of the process's first thread: threads of all processes are numbered through, in order. With the number of processes, the
 * number of all threads.
 */
uint32_t memphis_profile_thread(const struct memphis_profile *profile, size_t process);

/* The thread of that number; *process is its process. */
const struct memphis_thread *memphis_profile_thread_of(const struct memphis_profile *profile, uint32_t number,
						       const struct memphis_process **process);

/* Adds the numbers of `cell` to the cell of the same key, appended if there is none. 0 or -ENOMEM. */
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

/* The text of a string by its number, valid until the next string is added; NULL for 0. */
const char *memphis_profile_text(const struct memphis_profile *profile, uint32_t string);

/*
 * Moves everything in `from` to `profile`, and closes `from` in any case. 0, or with *error -ENOMEM, or -EINVAL if the two were reduced
 * with different selections or have a process in common. In profile/merge.c.
 */
int memphis_profile_merge(struct memphis_profile *profile, struct memphis_profile *from,
			  struct memphis_error *error);
void memphis_profile_close(struct memphis_profile *profile);

#endif
