/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Everything the files of one process say, except its samples: settings, topology, maps, regions,
 * threads with their accounting, allocations. Samples are read later, in parallel, by the join.
 */
#ifndef MEMPHIS_PROCESS_H
#define MEMPHIS_PROCESS_H

#include "read/access.h"
#include "read/counters.h"
#include "read/maps.h"
#include "read/reader.h"
#include "base/pool.h"

/* Keys and values by turns, each NUL-terminated, in one piece: merged profiles hold those of some hundred thousand threads. */
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

/* An explicit name, as memphis_name() gave it. */
struct memphis_naming {
	uint64_t time_ns, address, bytes;
	uint32_t name; /* in the process's names */
};

struct memphis_stack_id {
	uint32_t id, stack;
};

/* The thread's block of thread-local variables of the object that is loaded at `object`. */
struct memphis_tls_block {
	uint64_t object, low, high;
};

/* Frames on the thread's stack: stack_frames.depth of its `frames` from number `first` on. */
struct memphis_stack_frames_view {
	struct memphis_stack_frames stack_frames;
	size_t first;
};

/* What the join needs of a thread's file beside its samples. */
struct memphis_thread_log {
	uint64_t *parts; /* offsets of chunks: where large files are cut, for several readers */
	size_t part_count, part_room;
	uint64_t *
		places; /* offset of every place_stride-th chunk of samples: whoever wants some of them finds them here */
	size_t place_count, place_room;
	uint64_t place_stride;
	uint64_t stack_low, stack_high;                 /* 0, 0: not told */
	struct memphis_stack_frames_view *stack_frames; /* in order of time */
	size_t frames_count, frames_room;
	struct memphis_stack_frame *frames;
	size_t frame_count, frame_room;
	struct memphis_tls_block *tls;
	size_t tls_count, tls_room;
	struct memphis_allocation *allocations; /* .stack is of the process, not of the file */
	size_t allocation_count, allocation_room;
	struct memphis_stack_id *stack_ids; /* by id; empty after loading */
	size_t stack_id_count, stack_id_room;
};

struct memphis_thread {
	char *path;
	uint32_t tid;
	bool closed, unfinished;
	struct memphis_accounting accounting;
	uint64_t samples, chunks;         /* in the file, as its chunks say; and how many these are */
	uint64_t start_time_ns;           /* of the file header; with the tid it tells files apart */
	uint64_t read, selected;          /* samples; counted by the join */
	uint64_t own;                     /* of those read, the sampling library's; likewise */
	struct memphis_homes homes;       /* of all samples; likewise */
	struct memphis_settings metadata; /* keys of the THREAD chunks */
	struct memphis_thread_log *log;   /* NULL in profiles that were read from files */
};

struct memphis_process {
	uint64_t run[2];
	uint32_t pid;
	char *path; /* of the process file, or NULL */
	bool closed, unfinished;
	struct memphis_settings settings, losses;
	struct memphis_node *nodes;
	size_t node_count, node_room;
	struct memphis_region *regions;
	size_t region_count, region_room;
	struct memphis_holder *holders;
	size_t holder_count, holder_room;
	struct memphis_naming *namings;
	size_t naming_count, naming_room;
	struct memphis_process *parent; /* that it was forked from; NULL: none, or its files were not given */
	uint64_t forked_ns;
	uint64_t inherits_ns; /* the blocks that the parent had then; what came until forked_ns is replayed */
	struct memphis_thread *threads;
	size_t thread_count, thread_room;
	struct memphis_maps maps;
	struct memphis_strings stacks; /* each the bytes of its PCs, innermost first; 0 = none */
	uint64_t *stack_times_ns;      /* by stack: when it was met first */
	size_t stack_time_count, stack_time_room;
	struct memphis_strings names;
	struct memphis_counters *counters; /* NULL: nothing was read around the samples */
	uint32_t heatmaps; /* that were made of it; a profile of many processes does not keep them */
	bool unjudged;     /* the profile holds no evidence of it for what is selected */
};

struct memphis_processes {
	struct memphis_process *list;
	size_t count, room;
	struct memphis_binaries binaries;
	uint64_t empty_files, empty_directories; /* that were passed over */
	bool accounting_only; /* set before loading: what is neither accounting nor settings is passed over */
};

/*
 * Loads the files named; a directory stands for its *.memphis files. Every thread file needs the process
 * file of its run. Files without a byte, and directories without a file, are passed over and counted, as
 * long as there is another. 0 or a negative errno.
 */
int memphis_processes_load(struct memphis_processes *processes, char *const *paths, size_t path_count,
			   struct memphis_error *error);
void memphis_processes_close(struct memphis_processes *processes);

/* Brings the allocations of a thread into order of time. 0 or -ENOMEM. */
int memphis_allocations_sort(struct memphis_thread_log *log);

/* Finds the parent of each process that was forked from another one, and what is needed of it. */
void memphis_fork_blocks_add(struct memphis_processes *processes);

/* Frees the allocations of all processes: after they were replayed. */
void memphis_processes_drop_allocations(struct memphis_processes *processes);

/* The value of a setting, or NULL. */
const char *memphis_setting(const struct memphis_settings *settings, const char *key);

/* The same as a number, `otherwise` if it is absent or not decimal. */
uint64_t memphis_setting_number(const struct memphis_settings *settings, const char *key, uint64_t otherwise);

const struct memphis_region *memphis_process_region(const struct memphis_process *process, uint32_t id);

/* Parses `key value` lines into settings; shared with dump and tests. */
int memphis_settings_add(struct memphis_settings *settings, struct memphis_span payload);

/* Goes on to the next pair; *key is NULL before the first. False behind the last. */
bool memphis_settings_next(const struct memphis_settings *settings, const char **key, const char **value);
void memphis_settings_close(struct memphis_settings *settings);

#endif
