/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The profile: tables of variables, of instructions with their source lines, and of regions, and cells that count the samples of each
 * combination of them. A profile is self-contained: it needs neither the processes nor the machine nor the binaries that it was made from.
 * Its size grows with the number of distinct rows, not with the number of samples. Profiles can be merged in any order; the result equals
 * the profile made from all their sample files at once.
 *
 * Rows refer to each other by number, which is the index in the array of the profile. A profile that is all zeros is valid and empty.
 */
#ifndef MEMPHIS_PROFILE_H
#define MEMPHIS_PROFILE_H

#include <stdint.h>

#include "base/pool.h"
#include "profile/counts.h"
#include "profile/reasons.h"
#include "profile/selection.h"
#include "profile/timeline.h"
#include "profile/totals.h"
#include "read/process.h"

/*
 * ---- which threads share memory ----
 *
 * Loads of one thread from the pages of a variable that another thread placed, in one process. Made on request (struct memphis_reduction),
 * and not saved.
 */

struct memphis_sharing {
	uint32_t process; /* row of the profile */
	uint32_t thread;  /* index in the process; the same holds for `with` */
	/*
	 * The thread that used the pages first, from the node that owns them, or allocated them there; a page that is placed by first touch would
	 * follow it to another node. MEMPHIS_NONE if there is none: the pages stay on `home`.
	 */
	uint32_t with;
	uint16_t home;     /* the node that owns the pages */
	uint32_t variable; /* row of the profile */
	/* Size of the pages that `loads` and `modified` are from; of groups of pages, if samples are few. */
	uint64_t bytes;
	uint64_t loads;  /* number of sampled loads from DRAM */
	uint64_t remote; /* number of these loads from another node than `home` */
	/* Samples of loads of lines that were modified in another cache: by the thread `with`, as far as samples show. */
	uint64_t modified;
};

/* Examples of samples that belong to no variable: for each reason, the earliest samples, at most one per instruction. */

#define MEMPHIS_EXAMPLES 3 /* per reason */

struct memphis_example {
	uint64_t since_ns; /* time since sampling began in the process */
	/* pid and tid break ties between equal times. Without them, the choice would depend on the order in which files are read. */
	uint32_t pid, tid;
	uint32_t thread;   /* number of the thread in the profile */
	uint32_t code;     /* the instruction's binary; once names are resolved, its row in the profile */
	uint64_t pc;       /* link-time address in the binary, or run-time address if that is unknown */
	uint64_t address;  /* data address */
	uint32_t variable; /* row of the profile; valid once names are resolved */
	struct memphis_owner owner; /* valid until names are resolved */
};

struct memphis_examples {
	struct memphis_example list[MEMPHIS_UNATTRIBUTED_REASONS][MEMPHIS_EXAMPLES]; /* sorted by time */
	unsigned int count[MEMPHIS_UNATTRIBUTED_REASONS];
};

/* Keeps a copy of the example if it is among the earliest ones for its reason. */
void memphis_examples_add(struct memphis_examples *examples, unsigned int reason,
			  const struct memphis_example *example);

void memphis_examples_merge(struct memphis_examples *examples, const struct memphis_examples *from);

#define MEMPHIS_NONE UINT32_MAX /* no row; also returned if memory is exhausted */

/* All members are numbers in profile->strings, or 0 if there is none. Two variables are equal if all their members are equal. */
struct memphis_variable {
	uint32_t segment;   /* heap, bss, stack, tls, mmap, shm, libfoo.so ...; never 0 */
	uint32_t name;      /* tx, ice_state::aicen, <not-found> ...; never 0 */
	uint32_t qualified; /* name of the variable or holder, with its module, namespace or function */
	uint32_t site;      /* allocation site of a block, file:line */
	uint32_t how;       /* how the name was found: one of memphis_how_names */
	uint32_t
		why_not; /* why a block could be named only by its allocation site: the name of an enum memphis_no_name */
	/* Which of the variables of one name it is, or which one holds the block; see struct memphis_description. */
	uint32_t object;   /* path of the binary */
	uint32_t declared; /* path:line */
	uint32_t unit; /* path of the unit that has the variable for itself, if that does not declare it */
};

/* A mapped file: the program, a library, or another file. Two objects are equal if their path and build_id are equal. */
struct memphis_object {
	uint32_t path, build_id;    /* as recorded in the sample files */
	uint32_t found, debug_path; /* the files that were actually read, if any */
	/* Path of a file with split debug information (*.dwo, *.dwp) that could not be read, or 0. */
	uint32_t split_missing;
	uint16_t state;  /* enum memphis_binary_state */
	bool unverified; /* no build-id to compare in the recorded file or in the file that was read */
	bool has_debug;
};

/*
 * The callers of samples outside the program's own code: the calls that led to the sampled instruction, or the reason why they are
 * unknown. Two chains are equal if all members and all calls are equal.
 */
struct memphis_chain {
	/* 0: known; else enum memphis_no_callers or MEMPHIS_NO_CALLERS_CHECK, without calls */
	uint32_t reason;
	uint32_t program; /* index of the first call in the program's own code */
	/* The calls in profile->calls, the innermost first: rows of call instructions, which have no chain themselves. */
	uint32_t call, call_count;
};

/* Two instructions are equal if their object, pc and chain are equal. */
struct memphis_instruction {
	uint64_t pc;     /* link-time address in `object`, or the run-time address if the object is unknown */
	uint32_t object; /* row of profile->objects, or MEMPHIS_NONE */
	/* row of profile->chains; MEMPHIS_NONE: in the program's own code, or stacks were not copied */
	uint32_t chain;
	/* The instruction's frames in profile->frames: its own source line first, then the enclosing inlined calls; at least one. */
	uint32_t frame, frame_count;
	/*
	 * What the instruction accesses, as strings: the type ("Edge") and the member ("Edge.to"); several possible ones are separated by
	 * "|". 0 if it is unknown: `no_type` then has the reason, enum memphis_no_type.
	 */
	uint32_t type, member, no_type;
	uint32_t bytes; /* that a load or store of the instruction accesses; 0 if it is unknown; not saved */
	/* A call of a function of another object: the name by which the code calls it, as a string; 0 if it has none (dwarf/loader.h). */
	uint32_t called;
};

struct memphis_profile_frame {
	uint32_t function, path; /* strings; 0 if unknown */
	uint32_t line;           /* 0 if unknown */
	uint32_t
		approximate; /* the instruction has no line: that of the nearest code of its function; 0 or 1 */
};

/* The first two rows of the region table, if the profile has any regions. */
#define MEMPHIS_REGION_OUTSIDE 0 /* samples outside all regions */
#define MEMPHIS_REGION_UNKNOWN 1 /* a region id that the process file does not define */

/* A region. The regions of all processes form one tree. */
struct memphis_profile_region {
	uint32_t parent;  /* row before this one; MEMPHIS_REGION_OUTSIDE for a region at the top level */
	uint32_t depth;   /* number of enclosing regions */
	uint32_t name;    /* string; 0 for the two rows above */
	uint64_t written; /* number of samples in the files, selected or not */
};

struct memphis_cell_key {
	uint32_t variable, instruction, region; /* region is 0 unless by_region is set */
	uint32_t thread;                        /* number in the profile; 0 unless by_thread is set */
	struct memphis_access access;
	uint32_t reason; /* enum memphis_unattributed */
	uint32_t zero;   /* explicit padding, because keys are hashed as bytes */
};

/* The samples that have the same key. */
struct memphis_cell {
	struct memphis_cell_key key;
	struct memphis_measure measure;
};

/* Access details of a leading variable in one process; see profile/heatmap.h. */
struct memphis_heatmap;

/* An access pattern of a variable in one process; see profile/finding.h. */
struct memphis_finding;

struct memphis_profile {
	struct memphis_strings strings;
	struct memphis_processes processes; /* metadata, accounting and threads, but no samples */
	char selection[16];                 /* name of the kind of samples in the cells, such as "all" */
	bool by_region, by_thread;          /* whether cells are separate for each region, each thread */

	struct memphis_object *objects;
	size_t object_count, object_room;
	struct memphis_variable *variables;
	size_t variable_count, variable_room;
	/* By variable: its name with what tells it from others of this name, or NULL; not saved. See memphis_shown_name(). */
	char **shown;
	size_t shown_count;
	struct memphis_instruction *instructions;
	size_t instruction_count, instruction_room;
	struct memphis_profile_frame *frames;
	size_t frame_count, frame_room;
	struct memphis_chain *chains;
	size_t chain_count, chain_room;
	uint32_t *calls;
	size_t call_count, call_room;
	struct memphis_profile_region *regions;
	size_t region_count, region_room;
	struct memphis_cell *cells; /* unsorted; each key occurs once */
	size_t cell_count, cell_room;
	struct memphis_totals totals;
	/* One timeline per process, with the index of the process in processes.list; NULL until allocated. */
	struct memphis_timeline *timelines;
	struct memphis_examples examples;
	struct memphis_heatmap *heatmaps;
	size_t heatmap_count, heatmap_room;
	/* On request only; not saved, and not merged. */
	struct memphis_sharing *sharing;
	size_t sharing_count, sharing_room;
	/* Findings for each process. */
	struct memphis_finding *evidence;
	size_t evidence_count, evidence_room;

	/* Indexes that find an existing equal row. */
	/* run ids of the first run_count processes; the others are added on demand */
	struct memphis_strings run_keys;
	size_t run_count;
	struct memphis_strings object_keys, variable_keys, instruction_keys, region_keys, chain_keys;
	struct memphis_table cell_table; /* of the cells, by key */
};

/*
 * Each of these functions returns the number of the row that equals the argument, and appends the row if there is none yet. They return
 * MEMPHIS_NONE if memory is exhausted. If an equal object or instruction exists, the row keeps the more complete information: the binary
 * may have been found on one machine and not on another.
 */
uint32_t memphis_profile_string(struct memphis_profile *profile, const char *text); /* returns 0 for NULL */
uint32_t memphis_profile_object(struct memphis_profile *profile, const struct memphis_object *object);
uint32_t memphis_profile_variable(struct memphis_profile *profile, const struct memphis_variable *variable);
uint32_t memphis_profile_instruction(struct memphis_profile *profile, uint32_t object, uint64_t pc,
				     const struct memphis_profile_frame *frames, size_t count);
/* Does the same for an instruction that was reached by `chain`, a row or MEMPHIS_NONE. */
uint32_t memphis_profile_called_instruction(struct memphis_profile *profile, uint32_t object, uint64_t pc,
					    uint32_t chain, const struct memphis_profile_frame *frames,
					    size_t count);
/*
 * Stores the type and the member that the instruction accesses (strings), and why there are none (enum memphis_no_type). Keeps an earlier answer that is better.
 */
void memphis_profile_set_type(struct memphis_profile *profile, uint32_t instruction, uint32_t type,
			      uint32_t member, uint32_t no_type);
/* Stores the name by which the call instruction calls a function of another object: a string, or 0. */
void memphis_profile_set_called(struct memphis_profile *profile, uint32_t instruction, uint32_t called);
uint32_t memphis_profile_chain(struct memphis_profile *profile, uint32_t reason, uint32_t program,
			       const uint32_t *calls, size_t count);
/* Returns the row of the region. Returns `parent` if `name` is 0 or if the parent is too deeply nested. */
uint32_t memphis_profile_region(struct memphis_profile *profile, uint32_t name, uint32_t parent);

/* Returns 1 if the profile contains the process with this run id, 0 if not, or -ENOMEM. */
int memphis_profile_has_process(struct memphis_profile *profile, const uint64_t run[2]);

/*
 * Returns the number of the first thread of the process. Threads are numbered consecutively over all processes. If `process` is the number
 * of processes, the result is the number of all threads.
 */
uint32_t memphis_profile_thread(const struct memphis_profile *profile, size_t process);

/* Returns the thread with this number, and sets *process to its process. */
const struct memphis_thread *memphis_profile_thread_of(const struct memphis_profile *profile, uint32_t number,
						       const struct memphis_process **process);

/* Returns whether the variable is in memory that processes share: POSIX and System V segments. */
bool memphis_profile_is_shared(const struct memphis_profile *profile, uint32_t variable);

/* Adds the numbers of `cell` to the cell with the same key, which is appended if there is none. Returns 0 or -ENOMEM. */
int memphis_profile_add(struct memphis_profile *profile, const struct memphis_cell *cell);

/*
 * Returns whether the selection includes the samples of the cell. Regions are compared only if the profile is by region; otherwise, its
 * cells contain only samples of the selected region.
 */
bool memphis_profile_takes(const struct memphis_profile *profile, const struct memphis_selection *selection,
			   const struct memphis_cell *cell);

/* Returns the call in the program's own code that led to the instruction, or the instruction itself if its callers are not known. */
uint32_t memphis_program_instruction(const struct memphis_profile *profile, uint32_t instruction);

/* Returns the innermost frame of the instruction outside system headers; the innermost one if all are in system headers. */
const struct memphis_profile_frame *memphis_own_frame(const struct memphis_profile *profile,
						      uint32_t instruction);

/*
 * Returns memphis_own_frame() of memphis_program_instruction(): the line of the program itself instead of, for example, a line of
 * std::fill() that was inlined there.
 */
const struct memphis_profile_frame *memphis_program_frame(const struct memphis_profile *profile,
							  uint32_t instruction);

/*
 * Finds how the variables of ordered profiles are shown, so that none has the name of another variable of its segment and profile. In several
 * profiles, the names are alike, and have no lines. memphis_profile_order() does so for one. Returns 0 or -ENOMEM. Defined in profile/shown_names.c.
 */
int memphis_shown_names_find(struct memphis_profile *const *profiles, size_t count);
/* Forgets them: memphis_shown_name() is then the plain name. */
void memphis_shown_names_close(struct memphis_profile *profile);

/* Returns the name of a variable as outputs show it: "grid", or "grid (model.c)". */
const char *memphis_shown_name(const struct memphis_profile *profile, uint32_t variable);

/* Returns the text of the string with this number, or NULL for 0. The pointer is valid until the next string is added. */
const char *memphis_profile_text(const struct memphis_profile *profile, uint32_t string);

/*
 * Moves the contents of `from` to `profile` and closes `from`, also on failure. Returns 0, or an error with a message in *error: -ENOMEM,
 * or -EINVAL if the profiles were made with different selections or have a process in common. Examples are not moved: `from` comes from a
 * file, and files contain none. Defined in profile/merge.c.
 */
int memphis_profile_merge(struct memphis_profile *profile, struct memphis_profile *from,
			  struct memphis_error *error);
void memphis_profile_close(struct memphis_profile *profile);

/* ---- the regions of all processes, merged into one tree ---- */

/*
 * Adds the regions of a process to the profile. Sets *rows to a malloc'ed array of *count entries that gives the profile's row for each
 * region id. Returns 0 or -ENOMEM; the caller frees *rows in both cases.
 */
int memphis_regions_add(struct memphis_profile *profile, const struct memphis_process *process,
			uint32_t **rows, size_t *count);

/* Returns whether the row of the profile is a call of an MPI function, or inside one. */
bool memphis_region_is_mpi(const struct memphis_profile *profile, uint32_t region);

/* ---- filtering by a selection: the result is the same as if the profile had been made from the selected samples ---- */

/*
 * Returns 0, -ENOMEM, or -EINVAL if the profile lacks the information because it was made with another selection or does not separate
 * threads or regions. The message in *error begins with `name`. Timelines and heatmaps exist only for the profile's own selection; any
 * other selection drops them.
 */
int memphis_profile_filter(struct memphis_profile *profile, const struct memphis_selection *selection,
			   const char *name, struct memphis_error *error);

/* ---- the canonical order, in which equal profiles are identical row by row ---- */

/*
 * Sorts processes by the path of their files and all other rows by their contents, and drops strings without a reference. Returns 0 or
 * -ENOMEM; after a failure, the profile can only be closed.
 */
int memphis_profile_order(struct memphis_profile *profile);

#endif
