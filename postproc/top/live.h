/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The processes that are being sampled. Their samples are counted from the files that they are writing: all
 * samples so far, and those since the last look.
 */
#ifndef MEMPHIS_LIVE_H
#define MEMPHIS_LIVE_H

#include "attribute/own.h"
#include "base/pool.h"
#include "profile/profile.h"
#include "read/process.h"
#include "top/growing.h"

/* Numbers of samples. In the counts of a node, all members but the last two count accesses by CPUs of this node. */
struct memphis_live_sums {
	uint64_t dram, remote; /* loads from DRAM; loads from the DRAM of another node */
	/* accesses that moved a cache line from outside the L3 cache; such accesses that moved it from another node */
	uint64_t moved, moved_away;
	/* lines that came from this node's memory; such lines that went to other nodes */
	uint64_t served, served_away;
};

struct memphis_live_counts {
	struct memphis_live_sums now, all; /* since the last look; since the start of the process */
};

/* A load from remote memory. The leading variables are found from these. */
struct memphis_live_load {
	uint64_t address, time_ns;
};

#define MEMPHIS_LIVE_LOADS 4096 /* maximum number of remote loads that are remembered per process */

struct memphis_live_leader {
	uint32_t variable; /* index in the variables of memphis_live.variables */
	uint32_t count;
};

enum memphis_live_state {
	MEMPHIS_LIVE_RUNNING = 0,
	MEMPHIS_LIVE_ENDED,
	MEMPHIS_LIVE_KILLED, /* ended without closing its files */
	MEMPHIS_LIVE_SILENT, /* the process is on another host and has written nothing for a while */
	MEMPHIS_LIVE_HIDDEN  /* the files of the process are gone */
};

/* A process. It has the same index in memphis_live.list and in memphis_live.metadata. */
struct memphis_live_process {
	enum memphis_live_state state;
	size_t files, threads; /* number of existing files, and number of threads */
	bool process_closed, host_here, gone;
	double silent_s;
	uint64_t line_bytes; /* number of bytes that a sample of a moved line represents; 0 if unknown */
	bool new_maps;
	char **maps; /* payloads of all MAPS chunks */
	size_t *maps_bytes;
	size_t maps_count, maps_room, maps_bytes_room;
	struct memphis_own own;
	struct memphis_live_counts sum;
	struct memphis_live_counts *nodes; /* indexed by node number */
	size_t node_count, node_room;
	/*
	 * Remembered loads. If the list is full, a new load replaces a random one. Thus, recent loads
	 * prevail, and no file is preferred.
	 */
	struct memphis_live_load *loads;
	size_t load_count;
	uint64_t new_loads;                  /* number of loads since the leaders were last found */
	struct memphis_live_leader *leaders; /* sorted by count, the largest first */
	size_t leader_count, leader_room;
	uint32_t leader_loads; /* number of loads from which the leaders were found */
};

struct memphis_live_file {
	struct memphis_growing growing;
	uint32_t number; /* number of the path in memphis_live.paths */
	/* Indices of the process and of the last thread in the file. SIZE_MAX: not known yet, or the file is not wanted. */
	size_t process, thread;
	uint64_t begin; /* offset of this thread in the file */
	size_t threads; /* number of threads that were found in the file */
};

struct memphis_live {
	/* Metadata of the processes, without samples. It contains maps only after update_processes() has settled them. */
	struct memphis_processes metadata;
	struct memphis_live_process *list;
	size_t room;
	struct memphis_live_file *files;
	size_t file_count, file_room;
	struct memphis_strings paths; /* paths of all files that were ever found */
	bool *present;                /* indexed by number of the path: whether the file is in `files` */
	size_t present_room;
	/* If true, only the files of runs in `wanted` are read. */
	bool only_wanted;
	struct memphis_strings wanted; /* run ids */
	double looked_s, elapsed_s; /* time of the last look, and time between the last two looks; 0: none */
	/* profile that contains only variables: all that were ever leaders */
	struct memphis_profile variables;
	uint64_t random;
	size_t damaged;
	char damaged_path[256]; /* the last damaged file */
	/* number of files and directories that could not be read at the last look, and the reason for the last of them */
	size_t unread;
	struct memphis_error unread_reason;
};

/*
 * If rc is not 0, counts a file or directory that cannot be read. The reason is in *error. Does not count a
 * file that is gone or has no header yet.
 */
void memphis_live_count_unread(struct memphis_live *live, int rc, const struct memphis_error *error);
/* Adds a file, unless it has been added before. Returns 0 or -ENOMEM. */
int memphis_live_add(struct memphis_live *live, const char *path);
/* Adds the run id in the header to the wanted runs. Returns 0 or -ENOMEM. */
int memphis_live_add_wanted(struct memphis_live *live, const struct memphis_file_header *header);

/* Reads the data that was added to all files. Returns 0, or -ENOMEM with a message in *error. */
int memphis_live_look(struct memphis_live *live, struct memphis_error *error);
void memphis_live_close(struct memphis_live *live);

#endif
