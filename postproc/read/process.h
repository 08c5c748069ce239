/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The contents of the files of a process, except the samples: settings, topology, memory maps, regions,
 * allocations, and threads with their accounting. The join (attribute/join.h) reads the samples later, in
 * parallel.
 */
#ifndef MEMPHIS_PROCESS_H
#define MEMPHIS_PROCESS_H

#include "read/access.h"
#include "read/counters.h"
#include "read/maps.h"
#include "read/reader.h"
#include "base/pool.h"

/*
 * Keys and values, which alternate in a single buffer, each NUL-terminated. The format is compact because
 * merged profiles contain the settings of several hundred thousand threads.
 */
struct memphis_settings {
	char *text;
	size_t bytes, count;
};

struct memphis_node {
	uint32_t node;
	uint64_t memory_bytes;
	char *cpus, *distances;
};

struct memphis_region {
	uint32_t id, parent;
	char *name;
};

/* A name that the program gave to a block by calling memphis_name(). */
struct memphis_naming {
	uint64_t time_ns, address, bytes;
	uint32_t name; /* number of the string in memphis_process_log.names */
};

/*
 * The position of the expression or statement that a Python function executes. The last column is exclusive.
 * Unknown numbers are 0.
 */
struct memphis_python_line {
	unsigned int line, column, end_line, end_column; /* columns count bytes, from 0 */
	uint32_t function, path;                         /* numbers of strings in memphis_process_log.names */
};

struct memphis_stack_id {
	uint32_t id, stack;
};

/* A thread's block of thread-local variables (TLS) of the program or library that is loaded at address `object`. */
struct memphis_tls_block {
	uint64_t object, low, high;
};

/*
 * The frames on a thread's stack at one time. They are stack_frames.depth elements of
 * memphis_thread_log.frames, beginning with index `first`.
 */
struct memphis_stack_frames_view {
	struct memphis_stack_frames stack_frames;
	size_t first;
};

/* File offsets of a SAMPLES chunk and of the chunk with the entries for its samples (CALLERS or IN_FRAMES). */
struct memphis_entries_place {
	uint64_t samples, entries;
};

/*
 * The chains of callers or the stack frames that a thread file defines, and the chunks with entries that
 * assign them to samples.
 */
struct memphis_references {
	/* ascending by id in the file; `stack` is the number of the string in memphis_processes.chains */
	struct memphis_stack_id *ids;
	size_t id_count, id_room;
	struct memphis_entries_place *places; /* sorted by offset of the SAMPLES chunk */
	size_t place_count, place_room;
};

/* From this time on, until the next change, the thread was in the region; 0: in none. */
struct memphis_region_change {
	uint64_t from_ns;
	uint32_t region;
};

/* Contents of a thread file that the join needs in addition to the samples. */
struct memphis_thread_log {
	/* offsets of the SAMPLES chunks at which a large file is split for parallel reading */
	uint64_t *parts;
	size_t part_count, part_room;
	/* offset of every place_stride-th SAMPLES chunk, for code that reads only some of the samples */
	uint64_t *places;
	size_t place_count, place_room;
	uint64_t place_stride;
	uint64_t stack_low, stack_high;                 /* bounds of the thread's stack; 0, 0 if unknown */
	struct memphis_stack_frames_view *stack_frames; /* sorted by time */
	size_t frames_count, frames_room;
	struct memphis_stack_frame *frames;
	size_t frame_count, frame_room;
	struct memphis_tls_block *tls;
	size_t tls_count, tls_room;
	/* sorted by time after loading; each `stack` is a number in the process's `stacks`, not the id in the file */
	struct memphis_allocation *allocations;
	size_t allocation_count, allocation_room;
	struct memphis_stack_id *stack_ids; /* sorted by id; freed after loading */
	size_t stack_id_count, stack_id_room;
	struct memphis_references callers;   /* from CHAINS and CALLERS chunks */
	struct memphis_references in_frames; /* from FRAMES and IN_FRAMES chunks */
	/* sorted by time; only if perf took the samples, which then have no region (spans.h) */
	struct memphis_region_change *changes;
	size_t change_count, change_room;
	/* offset and number of samples of the last SAMPLES chunk; used only while the file is loaded */
	uint64_t samples_offset;
	uint32_t samples_count;
};

struct memphis_thread {
	char *path;
	/* if the thread is in a file of ended threads: begin and end of its part; 0, 0 if it has a file for itself */
	uint64_t begin, end;
	uint32_t tid;
	bool closed, unfinished;
	struct memphis_accounting accounting;
	uint64_t samples, chunks; /* number of samples and of SAMPLES chunks, from the chunk headers */
	uint64_t start_time_ns;   /* from the file header; start time and tid identify the file */
	uint64_t read, selected;  /* numbers of samples read and selected; counted by the join */
	uint64_t own; /* samples of accesses made by the sampling library itself; counted by the join */
	struct memphis_homes homes;        /* cross-check of the homes of all samples; counted by the join */
	struct memphis_settings metadata;  /* contents of the THREAD chunks */
	struct memphis_region_time *times; /* times and counts that the calipers measured; sorted by region */
	size_t time_count, time_room;
	/* number of further threads whose numbers are added to this thread's numbers (profile/condense.h) */
	uint32_t others;
	/* sums over calls of MPI and I/O functions; sorted by region and partner */
	struct memphis_mpi_sum *mpi;
	size_t mpi_count, mpi_room;
	/* if `others` is not 0: how many of the threads that are added up here, including this one, have such sums */
	uint32_t mpi_threads;
	struct memphis_thread_log *log; /* NULL in profiles read from .mprof files */
};

/* Contents of the files of a process that the join needs in addition to the samples. */
struct memphis_process_log {
	struct memphis_maps maps;
	struct memphis_holder *holders;
	size_t holder_count, holder_room;
	struct memphis_naming *namings;
	size_t naming_count, naming_room;
	/*
	 * Each string is an array of 64-bit words: the PCs of a call stack, the innermost first, followed by
	 * words that identify lines of Python code (python_lines.h). Number 0 means no stack.
	 */
	struct memphis_strings stacks;
	uint64_t *stack_times_ns; /* time when each stack was first used, indexed by stack */
	size_t stack_time_count, stack_time_room;
	struct memphis_strings names;
	/* indexed by number in PART_NAMES chunks: number of the string in `names`, or 0 */
	uint32_t *part_names;
	size_t part_name_count, part_name_room;
	/* indexed by number in PYTHON_LINES chunks; if `path` is 0, there is no such line */
	struct memphis_python_line *python_lines;
	size_t python_line_count, python_line_room;
};

struct memphis_process {
	uint64_t run[2];
	uint32_t pid;
	char *path; /* path of the process file, or NULL */
	bool closed, unfinished;
	bool has_maps; /* at least one list of maps was recorded */
	struct memphis_settings settings, losses;
	struct memphis_node *nodes;
	size_t node_count, node_room;
	struct memphis_region *regions;
	size_t region_count, region_room;
	/* another process of the profile, with equal contents, owns the array (profile/file/read_process.c) */
	bool nodes_shared, regions_shared;
	/* process that forked this one; NULL if there is none or its files were not given */
	struct memphis_process *parent;
	uint64_t forked_ns;
	/*
	 * time as of which the parent's blocks are inherited; the events from here to forked_ns are replayed
	 * together with the parent's
	 */
	uint64_t inherits_ns;
	struct memphis_thread *threads;
	size_t thread_count, thread_room;
	/* paths of the files in I/O calls; the keys are the numbers of the files */
	struct memphis_settings files;
	struct memphis_counters *counters; /* NULL if no counters were read */
	struct memphis_process_log *log;   /* NULL in profiles read from .mprof files */
	/* number of heatmaps; a profile of many processes stores only this number */
	uint32_t heatmaps;
	bool condensed; /* one thread contains the sum over most of the threads: see profile/condense.h */
	bool unjudged;  /* the profile contains no evidence on this process for the selected samples */
};

struct memphis_processes {
	struct memphis_process *list;
	size_t count, room;
	struct memphis_strings
		runs; /* the process with index i, as it was added, has the run with number i + 1 */
	struct memphis_binaries binaries;
	/*
	 * Chains of callers, and stack frames: see callers.h. Each string is an array of 64-bit words that
	 * begins with the index of the process. For a chain, the PCs follow, the innermost first. For a
	 * frame, the words of struct memphis_sampled_frame follow.
	 */
	struct memphis_strings chains;
	uint64_t damaged_files; /* number of damaged profiles that were left out */
	/* number of empty files and of directories without sample files, which are skipped */
	uint64_t empty_files, empty_directories;
	/* The caller sets the following two before loading. */
	bool accounting_only; /* load only accounting and settings */
	unsigned int jobs;    /* number of threads that read files, in loading and later; 0: one per CPU */
};

/*
 * Loads the given files. For a directory, loads the *.memphis files in it. If a thread file is given, the
 * process file of the same run must also be given. Skips and counts empty files and directories without
 * sample files, which are an error only if there is no other input. Returns 0 or a negative errno.
 */
int memphis_processes_load(struct memphis_processes *processes, char *const *paths, size_t path_count,
			   struct memphis_error *error);
void memphis_processes_close(struct memphis_processes *processes);

/* Returns the process with the run id in the header, and adds it if it is new. Returns NULL if memory is exhausted. */
struct memphis_process *memphis_processes_add(struct memphis_processes *processes,
					      const struct memphis_file_header *header);

/* Sets the bounds of the thread's stack from its metadata. */
void memphis_thread_set_stack_bounds(struct memphis_thread *thread);

/* Sorts the allocations of a thread by time. Returns 0 or -ENOMEM. */
int memphis_allocations_sort(struct memphis_thread_log *log);

/* Finds the parent of each forked process, and the time as of which the process inherits the parent's blocks. */
void memphis_fork_blocks_add(struct memphis_processes *processes);

/* Frees the allocations of all processes. Must be called only after the allocations have been replayed. */
void memphis_processes_drop_allocations(struct memphis_processes *processes);

/* Returns the value of a setting, or NULL if it is missing. */
const char *memphis_setting(const struct memphis_settings *settings, const char *key);

/* Free the array, unless it belongs to another process. Set it to NULL, and keep the count. */
void memphis_process_free_nodes(struct memphis_process *process);
void memphis_process_free_regions(struct memphis_process *process);

/* Returns the value of a setting as a number, or `otherwise` if it is missing or not decimal. */
uint64_t memphis_setting_number(const struct memphis_settings *settings, const char *key, uint64_t otherwise);

/* Returns true if the process has executed another program. Its files are complete, although they are not closed. */
bool memphis_process_has_executed(const struct memphis_process *process);

const struct memphis_region *memphis_process_region(const struct memphis_process *process, uint32_t id);

/* Adds settings from lines of the form `key value`. Returns 0 or -ENOMEM. */
int memphis_settings_add(struct memphis_settings *settings, struct memphis_span payload);

/* Sets *key and *value to the next setting. Returns false at the end. *key must be NULL in the first call. */
bool memphis_settings_next(const struct memphis_settings *settings, const char **key, const char **value);
void memphis_settings_close(struct memphis_settings *settings);

#endif
