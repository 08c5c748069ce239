/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Contents of the files of a process, except the samples: settings, topology, maps, regions, allocations, and
 * threads with their accounting. The join reads the samples later, in parallel.
 */
#ifndef MEMPHIS_PROCESS_H
#define MEMPHIS_PROCESS_H

#include "read/access.h"
#include "read/counters.h"
#include "read/maps.h"
#include "read/reader.h"
#include "base/pool.h"

/*
 * Keys and values in turn, each NUL-terminated, in a single buffer. The format is compact, as merged profiles
 * contain the settings of several hundred thousand threads.
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
	uint32_t name; /* number of the string in memphis_process.names */
};

/* What a function of Python executes: an expression or statement, whose last column is exclusive. The numbers are 0 if they are unknown. */
struct memphis_python_line {
	unsigned int line, column, end_line, end_column; /* columns are bytes, from 0 */
	uint32_t function, path;                         /* numbers of strings in memphis_process.names */
};

struct memphis_stack_id {
	uint32_t id, stack;
};

/* A thread's TLS block for the object loaded at address `object`. */
struct memphis_tls_block {
	uint64_t object, low, high;
};

/*
 * Frames on a thread's stack at one time: stack_frames.depth entries of `frames`, beginning with entry
 * `first`.
 */
struct memphis_stack_frames_view {
	struct memphis_stack_frames stack_frames;
	size_t first;
};

/* The offsets of a SAMPLES chunk and of the chunk of entries for its samples. */
struct memphis_entries_place {
	uint64_t samples, entries;
};

/* Chains or frames that a thread file defines, and the chunks of entries by which its samples refer to them. */
struct memphis_references {
	/* by id in the file, ascending: number of the string in the processes' `chains` */
	struct memphis_stack_id *ids;
	size_t id_count, id_room;
	struct memphis_entries_place *places; /* sorted by offset */
	size_t place_count, place_room;
};

/* Contents of a thread file that the join needs in addition to the samples. */
struct memphis_thread_log {
	uint64_t *parts; /* offsets of the chunks at which a large file is split for parallel reading */
	size_t part_count, part_room;
	/* offset of every place_stride-th chunk of samples, for readers that need only some of the samples */
	uint64_t *places;
	size_t place_count, place_room;
	uint64_t place_stride;
	uint64_t stack_low, stack_high;                 /* 0, 0 if unknown */
	struct memphis_stack_frames_view *stack_frames; /* sorted by time */
	size_t frames_count, frames_room;
	struct memphis_stack_frame *frames;
	size_t frame_count, frame_room;
	struct memphis_tls_block *tls;
	size_t tls_count, tls_room;
	/* sorted by time after loading; .stack is a number in the process's `stacks`, not in the file */
	struct memphis_allocation *allocations;
	size_t allocation_count, allocation_room;
	struct memphis_stack_id *stack_ids; /* sorted by id; freed after loading */
	size_t stack_id_count, stack_id_room;
	struct memphis_references callers;   /* CHAINS and CALLERS */
	struct memphis_references in_frames; /* FRAMES and IN_FRAMES */
	/* of the last SAMPLES chunk while the file is loaded, and its number of samples */
	uint64_t samples_offset;
	uint32_t samples_count;
};

struct memphis_thread {
	char *path;
	/* begin and end of its part in a file of ended threads; 0, 0: the whole file is its own */
	uint64_t begin, end;
	uint32_t tid;
	bool closed, unfinished;
	struct memphis_accounting accounting;
	uint64_t samples, chunks; /* number of samples and of SAMPLES chunks, from the chunk headers */
	uint64_t start_time_ns;   /* from the file header; start time and tid identify the file */
	uint64_t read, selected;  /* numbers of samples read and selected; counted by the join */
	uint64_t own; /* samples of accesses made by the sampling library itself; counted by the join */
	struct memphis_homes homes;        /* of all samples; counted by the join */
	struct memphis_settings metadata;  /* contents of the THREAD chunks */
	struct memphis_region_time *times; /* what the calipers have counted; sorted by region */
	size_t time_count, time_room;
	/* number of further threads whose numbers are added to those of this one (profile/condense.h) */
	uint32_t others;
	/* sums over calls of MPI and I/O functions; sorted by region and partner */
	struct memphis_mpi_sum *mpi;
	size_t mpi_count, mpi_room;
	/* if `others` is not 0: how many of these threads and this one have such sums */
	uint32_t mpi_threads;
	struct memphis_thread_log *log; /* NULL in profiles read from .mprof files */
};

struct memphis_process {
	uint64_t run[2];
	uint32_t pid;
	char *path; /* path of the process file, or NULL */
	bool closed, unfinished;
	struct memphis_settings settings, losses;
	struct memphis_node *nodes;
	size_t node_count, node_room;
	struct memphis_region *regions;
	size_t region_count, region_room;
	/* the array belongs to another process of the profile, for which it is equal (profile/file/read_process.c) */
	bool nodes_shared, regions_shared;
	struct memphis_holder *holders;
	size_t holder_count, holder_room;
	struct memphis_naming *namings;
	size_t naming_count, naming_room;
	/* process that forked this one; NULL if there is none or its files were not given */
	struct memphis_process *parent;
	uint64_t forked_ns;
	/* time as of which the parent's blocks are inherited; events from here to forked_ns are replayed */
	uint64_t inherits_ns;
	struct memphis_thread *threads;
	size_t thread_count, thread_room;
	struct memphis_maps maps;
	/*
	 * each string is an array of PCs, the innermost first, and then of words that stand for lines of Python (python_lines.h); number 0 is
	 * no stack
	 */
	struct memphis_strings stacks;
	uint64_t *stack_times_ns; /* time of first use, indexed by stack */
	size_t stack_time_count, stack_time_room;
	struct memphis_strings names;
	/* by number of PART_NAMES: number in `names`, 0 for none */
	uint32_t *part_names;
	size_t part_name_count, part_name_room;
	struct memphis_python_line *python_lines; /* by number of PYTHON_LINES; without path: there is none */
	size_t python_line_count, python_line_room;
	struct memphis_settings files;     /* paths of the files of I/O calls, by number */
	struct memphis_counters *counters; /* NULL if no counters were read around the samples */
	/* number of heatmaps; a profile of many processes stores only this number */
	uint32_t heatmaps;
	bool condensed; /* one thread is the sum of most of its threads: see profile/condense.h */
	bool unjudged;  /* the profile contains no evidence on this process for the selected samples */
};

struct memphis_processes {
	struct memphis_process *list;
	size_t count, room;
	struct memphis_binaries binaries;
	/*
	 * Chains of callers, and frames, see callers.h; each string is the index of the process, and the PCs, the innermost first, or the words of
	 * struct memphis_sampled_frame.
	 */
	struct memphis_strings chains;
	uint64_t damaged_files;                  /* number of damaged profiles that were left out */
	uint64_t empty_files, empty_directories; /* number of files and directories that were skipped */
	/* The following two are set before loading. */
	bool accounting_only; /* load only accounting and settings */
	unsigned int jobs;    /* number of threads that read files, here and later; 0: one per CPU */
};

/*
 * Loads the given files; for a directory, loads the *.memphis files in it. The process file of its run is
 * required for every thread file. Empty files and directories without sample files are skipped and counted;
 * they are an error only if there is no other input. Returns 0 or a negative errno.
 */
int memphis_processes_load(struct memphis_processes *processes, char *const *paths, size_t path_count,
			   struct memphis_error *error);
void memphis_processes_close(struct memphis_processes *processes);

/* Returns the process of the file's run, which is added if it is new, or NULL if memory is exhausted. */
struct memphis_process *memphis_processes_add(struct memphis_processes *processes,
					      const struct memphis_file_header *header);

/* Sets the bounds of the thread's stack from its metadata. */
void memphis_thread_stack_range(struct memphis_thread *thread);

/* Sorts the allocations of a thread by time. Returns 0 or -ENOMEM. */
int memphis_allocations_sort(struct memphis_thread_log *log);

/* Finds the parent of each forked process, and which of the parent's blocks the process inherits. */
void memphis_fork_blocks_add(struct memphis_processes *processes);

/* Frees the allocations of all processes. To be called after they have been replayed. */
void memphis_processes_drop_allocations(struct memphis_processes *processes);

/* Returns the value of a setting, or NULL if it is missing. */
const char *memphis_setting(const struct memphis_settings *settings, const char *key);

/* Free the array unless it belongs to another process, and set it to NULL; the count is kept. */
void memphis_process_free_nodes(struct memphis_process *process);
void memphis_process_free_regions(struct memphis_process *process);

/* Returns the value of a setting as a number, or `otherwise` if it is missing or not decimal. */
uint64_t memphis_setting_number(const struct memphis_settings *settings, const char *key, uint64_t otherwise);

const struct memphis_region *memphis_process_region(const struct memphis_process *process, uint32_t id);

/* Adds settings from lines of the form `key value`. Returns 0 or -ENOMEM. */
int memphis_settings_add(struct memphis_settings *settings, struct memphis_span payload);

/*
 * Returns the next key and value in *key and *value, or false at the end. *key must be NULL in the first
 * call.
 */
bool memphis_settings_next(const struct memphis_settings *settings, const char **key, const char **value);
void memphis_settings_close(struct memphis_settings *settings);

#endif
