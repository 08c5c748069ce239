/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shows where a variable is and who uses it: the home node of each of its parts, and the nodes and threads that use
 * the part. These come from all samples of the variable. The search for patterns must explain the remote loads, which
 * are counted separately.
 */
#ifndef MEMPHIS_PLACEMENT_H
#define MEMPHIS_PLACEMENT_H

#include "profile/heatmap.h"

/*
 * A part has an owner (home node) if at least three quarters of its samples have this home node, and a user (accessing
 * node) if at least three quarters of its loads are from this node. Parts are enlarged until they have 32 samples on average. If
 * samples are from two nodes at random, 24 or more of 32 are from the same node in only 0.7 % of the parts.
 */
#define MEMPHIS_PART_AGREE   0.75
#define MEMPHIS_PART_SAMPLES 32
#define MEMPHIS_PARTS_MIN    8 /* parts are not enlarged if there are no more than this number of them */

#define MEMPHIS_SEVERAL (-1) /* instead of a node: several nodes, or an unknown node */

/* A part is a range of the variable's addresses. In this file, nodes are indices in placement->nodes. */
struct memphis_part {
	uint64_t low, high; /* low <= address < high */
	uint64_t count;     /* number of samples whose accessing and home nodes are known */
	uint64_t remote;    /* number of remote loads */
	int owner;          /* home node of the pages, or MEMPHIS_SEVERAL */
	int user;           /* accessing node since a second node joined, or MEMPHIS_SEVERAL */
	int moved_from;     /* first owner, if the pages moved to another node; otherwise MEMPHIS_SEVERAL */
	int moved_to;       /* last owner; valid if moved_from is not MEMPHIS_SEVERAL */
	/* Number of moves back and forth (ping_pong.h), or 0. If it is not 0, moved_from is MEMPHIS_SEVERAL. */
	uint32_t moves;
	uint32_t toucher; /* thread with stores that was sampled first; MEMPHIS_NONE: no stores sampled */
	int toucher_node; /* node on which the toucher ran */
	const struct memphis_heatmap_use *first_store; /* the use with the earliest sampled store, or NULL */
	/* instruction of first_store if it may be the first store of all; otherwise MEMPHIS_NONE */
	uint32_t initialised;
};

struct memphis_placement_thread {
	uint32_t thread; /* index in the process */
	uint64_t count;  /* number of samples */
	uint64_t remote; /* number of remote loads */
	int node;        /* node from which the thread made most of its remote loads */
	int first_node;  /* node of the thread's first sample */
	bool stayed;     /* the thread made at least a tenth of its samples on first_node */
	/* `stayed` is true, and at least a tenth of the samples were made on other nodes */
	bool wanders;
	/*
	 * Number of remote loads of pages that are on first_node although the thread has left it. Counts only parts
	 * that the thread touched first, or may have touched first because `stayed` is true.
	 */
	uint64_t left;
	double most_home; /* share of the samples that have the thread's most frequent home node */
};

struct memphis_placement {
	const struct memphis_heatmap *heatmap;
	uint16_t *nodes; /* all nodes of the heatmap, ascending */
	size_t node_count;
	struct memphis_part *parts;
	size_t part_count;
	unsigned int part_shift;                  /* part = bin >> part_shift */
	struct memphis_placement_thread *threads; /* sorted by `remote`, largest first */
	size_t thread_count;
	uint64_t remote;          /* number of remote loads */
	uint64_t *remote_by_home; /* number of remote loads by home node */
	uint64_t *homes;          /* number of samples by home node */
	/*
	 * Number of loads by accessing node, after a second node accessed the part. A node that only stores does not
	 * wait, and is no user.
	 */
	uint64_t *users;
	uint64_t homed, used; /* sum of `homes`; sum of `users` */
	/* number of samples after a second node accessed the part; number of stores among them */
	uint64_t shared, shared_stores;
	const uint64_t *users_of_parts; /* as `users`, but by part and node: [part * node_count + node] */
	/* number of remote loads of parts whose pages moved back and forth */
	uint64_t shuttled;
	/* number of remote loads from the first owner of a part, which moved away from it */
	uint64_t moved;
	/* number of remote loads from the last owner of a part, before the part moved to it */
	uint64_t followed;
	uint64_t *counts; /* the memory block that contains the arrays above */
};

/* Returns the index of the node in placement->nodes, or MEMPHIS_SEVERAL. */
int memphis_placement_node(const struct memphis_placement *placement, uint16_t node);

/* Computes the sums. Returns 0 or -ENOMEM. The caller must close the placement in both cases. */
int memphis_placement_make(struct memphis_placement *placement, const struct memphis_heatmap *heatmap);
void memphis_placement_close(struct memphis_placement *placement);

#endif
