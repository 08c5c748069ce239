/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes that are being sampled, and their samples so far and since the last look, from the files that they are writing. */
#ifndef MEMPHIS_LIVE_H
#define MEMPHIS_LIVE_H

#include "attribute/own.h"
#include "base/pool.h"
#include "profile/profile.h"
#include "read/process.h"
#include "top/growing.h"

/* Numbers of samples. Those of a node count accesses by its CPUs, except for the last two members. */
struct memphis_live_sums {
	uint64_t dram, remote; /* loads served by memory, and by another node's memory */
	uint64_t moved,
		moved_away; /* accesses that moved a line from outside the L3, and from another node */
	uint64_t served, served_away; /* lines that came from this node's memory, and went to other nodes */
};

struct memphis_live_counts {
	struct memphis_live_sums now, all; /* since the last look; since the process began */
};

/* A load from remote memory, by which leading variables are found. */
struct memphis_live_load {
	uint64_t address, time_ns;
};

#define MEMPHIS_LIVE_LOADS 4096 /* remembered remote loads of a process */

struct memphis_live_leader {
	uint32_t variable; /* row of memphis_live.variables */
	uint32_t count;
};

enum memphis_live_state {
	MEMPHIS_LIVE_RUNNING = 0,
	MEMPHIS_LIVE_ENDED,
	MEMPHIS_LIVE_KILLED, /* ended without closing its files */
	MEMPHIS_LIVE_SILENT, /* on another host, and has written nothing for a while */
	MEMPHIS_LIVE_HIDDEN  /* its files are gone */
};

/* A process; `metadata` of struct memphis_live has the same index. */
struct memphis_live_process {
	enum memphis_live_state state;
	size_t files, threads; /* numbers of files and threads that exist */
	bool process_closed, host_here, gone;
	double silent_s;
	uint64_t line_bytes; /* bytes that a sample of a moved line stands for; 0 if unknown */
	bool new_maps;
	char **maps; /* payloads of MAPS */
	size_t *maps_bytes;
	size_t maps_count, maps_room, maps_bytes_room;
	struct memphis_own own;
	struct memphis_live_counts sum;
	struct memphis_live_counts *nodes; /* indexed by node number */
	size_t node_count, node_room;
	/* If the list is full, a new load replaces a random one. Recent loads then prevail, and no file is preferred. */
	struct memphis_live_load *loads;
	size_t load_count;
	uint64_t new_loads;                  /* number of loads since the leaders were found */
	struct memphis_live_leader *leaders; /* descending */
	size_t leader_count, leader_room;
	uint32_t leader_loads; /* number of loads from which the leaders were found */
};

struct memphis_live_file {
	struct memphis_growing growing;
	uint32_t number; /* number of the path in `paths` */
	/* Indices; SIZE_MAX: there is none yet, or the file is not wanted. The thread is the last one of the file. */
	size_t process, thread;
	uint64_t begin; /* offset of that thread in the file */
	size_t threads; /* number of threads that were found in the file */
};

struct memphis_live {
	/* Metadata of the processes. It has no samples, and no lists of maps until these are settled. */
	struct memphis_processes metadata;
	struct memphis_live_process *list;
	size_t room;
	struct memphis_live_file *files;
	size_t file_count, file_room;
	struct memphis_strings paths; /* paths of all files that were ever found */
	bool *present;                /* by path: whether the file is in `files` */
	size_t present_room;
	/* If this is true, files of runs that are not in `wanted` are not read. */
	bool only_wanted;
	struct memphis_strings wanted; /* runs */
	double looked_s,
		elapsed_s; /* time of the last look, and the time between the last two looks; 0: none */
	struct memphis_profile
		variables; /* all variables that ever were leaders; the profile has nothing else */
	uint64_t random;
	size_t damaged;
	char damaged_path[256]; /* the last damaged file */
	/* Files and directories that could not be read at the last look, and the reason for the last of them. */
	size_t unread;
	struct memphis_error unread_reason;
};

/*
 * If rc is not 0, counts a file or directory that can't be read, for the reason in *error. A file that is gone, or has no header yet, is
 * not counted.
 */
void memphis_live_unread(struct memphis_live *live, int rc, const struct memphis_error *error);
/* Adds a file, unless it was added before. Returns 0 or -ENOMEM. */
int memphis_live_add(struct memphis_live *live, const char *path);
/* Adds the run of this file to the wanted ones. Returns 0 or -ENOMEM. */
int memphis_live_want(struct memphis_live *live, const struct memphis_file_header *header);

/* Reads what was added to the files. Returns 0, or -ENOMEM with a message in *error. */
int memphis_live_look(struct memphis_live *live, struct memphis_error *error);
void memphis_live_close(struct memphis_live *live);

#endif
