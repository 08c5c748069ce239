/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A profile is the result of reading sample files. It has tables of variables, of instructions with their source
 * lines, and of regions. Its cells count the samples of each combination of these. A profile is self-contained: it
 * needs neither the sample files nor the binaries nor the machine from which it was made. Its size grows with the
 * number of different rows, not with the number of samples. Profiles can be merged in any order. The result equals the
 * profile that is made from all their sample files at once.
 *
 * Rows refer to each other by number, which is the index in the profile's array. A profile that is all zeros is valid
 * and empty.
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
 * Counts the loads of one thread, in one process, from pages of a variable that another thread placed. Made only on
 * request (struct memphis_reduction), and not saved.
 */

struct memphis_sharing {
	uint32_t process; /* row of the profile */
	uint32_t thread;  /* index of the thread in the process, as is `with` */
	/*
	 * The thread that placed the pages: it was the first to use them from their home node, or it allocated them
	 * there. If pages are placed by first touch, they would follow this thread to another node. MEMPHIS_NONE: no
	 * such thread is known, so the pages would stay on `home`.
	 */
	uint32_t with;
	uint16_t home;     /* home node of the pages */
	uint32_t variable; /* row of the profile */
	/* Size of the memory that `loads` and `modified` access: pages, or larger units if there are few samples. */
	uint64_t bytes;
	uint64_t loads;  /* number of sampled loads from DRAM */
	uint64_t remote; /* number of these loads that were made from another node than `home` */
	/* Number of sampled loads of lines that another cache had modified, probably a cache of the thread `with`. */
	uint64_t modified;
};

/*
 * ---- examples of samples that belong to no variable ----
 *
 * For each reason why there is no variable, the earliest samples are kept, at most one per instruction.
 */

#define MEMPHIS_EXAMPLES 3 /* per reason */

struct memphis_example {
	uint64_t since_ns; /* time since sampling of the process began */
	/*
	 * pid and tid decide between samples with equal times. Without them, the choice would depend on the order in
	 * which files are read.
	 */
	uint32_t pid, tid;
	uint32_t thread; /* number of the thread in the profile */
	/* binary that contains the instruction; after names are resolved, row of the instruction */
	uint32_t code;
	/* link-time address in the binary, or run-time address if the binary is unknown */
	uint64_t pc;
	uint64_t address;           /* data address */
	uint32_t variable;          /* row of the profile; valid after names are resolved */
	struct memphis_owner owner; /* valid only until names are resolved */
};

struct memphis_examples {
	struct memphis_example list[MEMPHIS_UNATTRIBUTED_REASONS][MEMPHIS_EXAMPLES]; /* sorted by time */
	unsigned int count[MEMPHIS_UNATTRIBUTED_REASONS];
};

/* Stores a copy of the example if it is among the earliest ones for this reason. */
void memphis_examples_add(struct memphis_examples *examples, unsigned int reason,
			  const struct memphis_example *example);

void memphis_examples_merge(struct memphis_examples *examples, const struct memphis_examples *from);

#define MEMPHIS_NONE UINT32_MAX /* no row; also returned if memory is exhausted */

/*
 * All members are numbers of strings in profile->strings, or 0 if there is no string. Two variables are equal if all
 * members are equal.
 */
struct memphis_variable {
	uint32_t segment; /* for example heap, bss, stack, tls, mmap, shm, libfoo.so; never 0 */
	uint32_t name;    /* for example tx, ice_state::aicen, <not-found>; never 0 */
	/* name of the variable, or of the pointer that holds the block, with its module, namespace or function */
	uint32_t qualified;
	uint32_t site; /* where a block is allocated, as file:line */
	uint32_t how;  /* how the name was found: one of memphis_how_names */
	/* why a block has only its allocation site as a name: name of an enum memphis_no_name */
	uint32_t why_not;
	/*
	 * The members below distinguish variables with the same name. Of a block, they describe the variable that
	 * holds it (struct memphis_description).
	 */
	uint32_t object;   /* path of the binary */
	uint32_t declared; /* place of the declaration, as path:line */
	/* path of the compilation unit to which the variable is local, if another file declares it */
	uint32_t unit;
};

/* A mapped file: the program, a library, or another file. Two objects are equal if their path and build_id are equal. */
struct memphis_object {
	uint32_t path, build_id;    /* as recorded in the sample files */
	uint32_t found, debug_path; /* the files that were actually read, if any */
	/* Path of a file with split debug information (*.dwo, *.dwp) that could not be read, or 0. */
	uint32_t split_missing;
	uint16_t state; /* enum memphis_binary_state */
	/* the build-ids could not be compared, because the recorded file or the file that was read has none */
	bool unverified;
	bool has_debug;
};

/*
 * The call chain of samples outside the program's own code: the calls that led to the sampled instruction, or the
 * reason why they are unknown. Two chains are equal if all members and all calls are equal.
 */
struct memphis_chain {
	/*
	 * 0: the calls are known. Otherwise there are no calls, and this is enum memphis_no_callers or
	 * MEMPHIS_NO_CALLERS_CHECK.
	 */
	uint32_t reason;
	uint32_t program; /* index of the first call that is in the program's own code */
	/*
	 * The range of the calls in profile->calls, the innermost first. They are rows of call instructions, which
	 * have no chain themselves.
	 */
	uint32_t call, call_count;
};

/* Two instructions are equal if their object, pc and chain are equal. */
struct memphis_instruction {
	uint64_t pc;     /* link-time address in `object`, or the run-time address if the object is unknown */
	uint32_t object; /* row of profile->objects, or MEMPHIS_NONE */
	/*
	 * Row of profile->chains. MEMPHIS_NONE: the instruction is in the program's own code, or call stacks were not
	 * recorded.
	 */
	uint32_t chain;
	/*
	 * The range of the instruction's frames in profile->frames, at least one. Its own source line comes first,
	 * then the enclosing inlined calls.
	 */
	uint32_t frame, frame_count;
	/*
	 * The data that the instruction accesses, as strings: the type (for example "Edge") and the member
	 * ("Edge.to"). Several possible types are separated by "|". If the type is unknown, both are 0, and `no_type`
	 * has the reason (enum memphis_no_type).
	 */
	uint32_t type, member, no_type;
	/* number of bytes that a load or store of the instruction accesses, or 0 if it is unknown; not saved */
	uint32_t bytes;
	/*
	 * If the instruction calls a function of another object: the name that the code uses for this function, as a
	 * string. Otherwise 0 (dwarf/loader.h).
	 */
	uint32_t called;
};

struct memphis_profile_frame {
	uint32_t function, path; /* strings; 0 if unknown */
	uint32_t line;           /* 0 if unknown */
	/* 1: the instruction has no line, and `line` is that of the nearest code in its function; else 0 */
	uint32_t approximate;
};

/* The first two rows of the region table. They exist in every profile that has regions. */
#define MEMPHIS_REGION_OUTSIDE 0 /* samples outside all regions */
#define MEMPHIS_REGION_UNKNOWN 1 /* samples with a region id that the process file does not define */

/* A region of the program. The regions of all processes form one tree. */
struct memphis_profile_region {
	/* row of the parent, which comes before this one; MEMPHIS_REGION_OUTSIDE at the top level */
	uint32_t parent;
	uint32_t depth;   /* number of enclosing regions */
	uint32_t name;    /* string, or 0 for the two rows above */
	uint64_t written; /* number of samples in the files, selected or not */
};

struct memphis_cell_key {
	uint32_t variable, instruction, region; /* region is 0 unless by_region is set */
	uint32_t thread;                        /* number in the profile; 0 unless by_thread is set */
	struct memphis_access access;
	uint32_t reason; /* enum memphis_unattributed */
	uint32_t zero;   /* explicit padding, because keys are hashed as bytes */
};

/* The sums of all samples with the same key. */
struct memphis_cell {
	struct memphis_cell_key key;
	struct memphis_measure measure;
};

/* Details of the accesses to a leading variable in one process (profile/heatmap.h). */
struct memphis_heatmap;

/* An access pattern of a variable in one process (profile/finding.h). */
struct memphis_finding;

struct memphis_profile {
	struct memphis_strings strings;
	struct memphis_processes processes; /* metadata, accounting and threads, but no samples */
	/* name of the kind of samples in the cells, for example "all" */
	char selection[16];
	bool by_region, by_thread; /* the cells are separate for each region, for each thread */

	struct memphis_object *objects;
	size_t object_count, object_room;
	struct memphis_variable *variables;
	size_t variable_count, variable_room;
	/*
	 * By variable: its name with a suffix that distinguishes it from other variables with this name, or NULL if it
	 * needs none. Not saved. Use memphis_shown_name() to read it.
	 */
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
	struct memphis_cell *cells; /* unsorted; each key occurs only once */
	size_t cell_count, cell_room;
	struct memphis_totals totals;
	/* one timeline per process, with the same index as in processes.list; NULL until allocated */
	struct memphis_timeline *timelines;
	struct memphis_examples examples;
	struct memphis_heatmap *heatmaps;
	size_t heatmap_count, heatmap_room;
	/* Made only on request, and neither saved nor merged. */
	struct memphis_sharing *sharing;
	size_t sharing_count, sharing_room;
	/* Findings about single processes. */
	struct memphis_finding *evidence;
	size_t evidence_count, evidence_room;

	/* The members below are indices that find an existing equal row. */
	/* Run ids of the first run_count processes. The others are added when they are needed. */
	struct memphis_strings run_keys;
	size_t run_count;
	struct memphis_strings object_keys, variable_keys, instruction_keys, region_keys, chain_keys;
	struct memphis_table cell_table; /* finds a cell by its key */
};

/*
 * These functions return the number of the row that equals the argument, and append the row if it is new. They return
 * MEMPHIS_NONE if memory is exhausted. If an equal object or instruction exists, its row keeps the more complete
 * information, because only one of the machines may have the binary.
 */
uint32_t memphis_profile_add_string(struct memphis_profile *profile,
				    const char *text); /* returns 0 for NULL */
uint32_t memphis_profile_add_object(struct memphis_profile *profile, const struct memphis_object *object);
uint32_t memphis_profile_add_variable(struct memphis_profile *profile,
				      const struct memphis_variable *variable);
uint32_t memphis_profile_add_instruction(struct memphis_profile *profile, uint32_t object, uint64_t pc,
					 const struct memphis_profile_frame *frames, size_t count);
/* Does the same for an instruction that was reached by the call chain `chain`, which is a row or MEMPHIS_NONE. */
uint32_t memphis_profile_add_called_instruction(struct memphis_profile *profile, uint32_t object, uint64_t pc,
						uint32_t chain, const struct memphis_profile_frame *frames,
						size_t count);
/*
 * Sets the type and the member that the instruction accesses (strings), or the reason why they are unknown (enum
 * memphis_no_type). Keeps an earlier answer if it is better.
 */
void memphis_profile_set_type(struct memphis_profile *profile, uint32_t instruction, uint32_t type,
			      uint32_t member, uint32_t no_type);
/* Sets the name that a call instruction uses for a function of another object. `called` is a string, or 0. */
void memphis_profile_set_called(struct memphis_profile *profile, uint32_t instruction, uint32_t called);
uint32_t memphis_profile_add_chain(struct memphis_profile *profile, uint32_t reason, uint32_t program,
				   const uint32_t *calls, size_t count);
/* Returns the row of the region. Returns `parent` itself if `name` is 0, or if the parent is nested too deeply. */
uint32_t memphis_profile_add_region(struct memphis_profile *profile, uint32_t name, uint32_t parent);

/* Returns 1 if the profile contains the process with this run id, 0 if not, or -ENOMEM. */
int memphis_profile_has_process(struct memphis_profile *profile, const uint64_t run[2]);

/*
 * Returns the number of the first thread of the process. Threads are numbered consecutively over all processes. If
 * `process` is the number of processes, returns the number of all threads.
 */
uint32_t memphis_profile_thread(const struct memphis_profile *profile, size_t process);

/* Returns the thread with this number, and sets *process to its process. */
const struct memphis_thread *memphis_profile_thread_of(const struct memphis_profile *profile, uint32_t number,
						       const struct memphis_process **process);

/* Returns whether the variable is in memory that processes share, which is a POSIX or System V segment. */
bool memphis_profile_is_shared(const struct memphis_profile *profile, uint32_t variable);

/* Adds the numbers of `cell` to the cell with the same key, or appends a cell if the key is new. Returns 0 or -ENOMEM. */
int memphis_profile_add_cell(struct memphis_profile *profile, const struct memphis_cell *cell);

/*
 * Returns whether the selection includes the samples of the cell. Compares regions only if the profile counts regions
 * separately. Otherwise, the profile contains only samples of the selected region anyway.
 */
bool memphis_profile_takes(const struct memphis_profile *profile, const struct memphis_selection *selection,
			   const struct memphis_cell *cell);

/*
 * Returns the call in the program's own code that led to the instruction. Returns the instruction itself if its
 * callers are unknown.
 */
uint32_t memphis_program_instruction(const struct memphis_profile *profile, uint32_t instruction);

/*
 * Returns the innermost frame of the instruction that is not in a system header. If all are in system headers, returns
 * the innermost one.
 */
const struct memphis_profile_frame *memphis_own_frame(const struct memphis_profile *profile,
						      uint32_t instruction);

/*
 * Returns memphis_own_frame() of memphis_program_instruction(). This is a source line of the program itself, and not,
 * for example, a line of std::fill() that was inlined there.
 */
const struct memphis_profile_frame *memphis_program_frame(const struct memphis_profile *profile,
							  uint32_t instruction);

/*
 * Finds the names under which outputs show the variables, so that no two variables of a segment in the same profile
 * have the same name. The profiles must be ordered. If there are several profiles, a variable gets the same name in
 * all of them, and names contain no line numbers. memphis_profile_order() calls this function for a single profile.
 * Returns 0 or -ENOMEM. Defined in profile/shown_names.c.
 */
int memphis_shown_names_find(struct memphis_profile *const *profiles, size_t count);
/* Drops these names, so that memphis_shown_name() returns plain names. */
void memphis_shown_names_close(struct memphis_profile *profile);

/* Returns the name of a variable as outputs show it, for example "grid" or "grid (model.c)". */
const char *memphis_shown_name(const struct memphis_profile *profile, uint32_t variable);

/* Returns the text of a string, or NULL for number 0. The pointer is valid until the next string is added. */
const char *memphis_profile_text(const struct memphis_profile *profile, uint32_t string);

/*
 * Moves the contents of `from` to `profile`, and closes `from` even after a failure. Returns 0, or a negative errno
 * with a message in *error: -ENOMEM, or -EINVAL if the profiles have different selections or have a process in common.
 * Does not move examples, because `from` comes from a file, and files contain none. Defined in profile/merge.c.
 */
int memphis_profile_merge(struct memphis_profile *profile, struct memphis_profile *from,
			  struct memphis_error *error);
void memphis_profile_close(struct memphis_profile *profile);

/* ---- the regions of all processes, merged into one tree ---- */

/*
 * Adds the regions of a process to the profile. Sets *rows to an array of *count elements: (*rows)[id] is the
 * profile's row of the region with this id. Returns 0 or -ENOMEM. The caller must free *rows in both cases.
 */
int memphis_regions_add(struct memphis_profile *profile, const struct memphis_process *process,
			uint32_t **rows, size_t *count);

/* Returns whether the region is a call of an MPI function, or is nested in one. */
bool memphis_region_is_mpi(const struct memphis_profile *profile, uint32_t region);

/*
 * ---- filtering: the result equals a profile that was made from the selected samples only ----
 */

/*
 * Filters the profile by the selection. Returns 0, -ENOMEM, or -EINVAL if the profile lacks the necessary information,
 * because it was made with another selection or does not count threads or regions separately. The message in *error
 * begins with `name`. Drops timelines and heatmaps if the selection differs from that of the profile, because they
 * cannot be computed for another selection.
 */
int memphis_profile_filter(struct memphis_profile *profile, const struct memphis_selection *selection,
			   const char *name, struct memphis_error *error);

/*
 * ---- the canonical order: profiles with equal contents become identical row by row ----
 */

/*
 * Sorts processes by the path of their files, and all other rows by their contents. Drops strings that nothing refers
 * to. Returns 0 or -ENOMEM. After a failure, the caller can only close the profile.
 */
int memphis_profile_order(struct memphis_profile *profile);

#endif
