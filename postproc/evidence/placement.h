/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sums of a heatmap: the home node of each part of the variable, and the nodes and threads that use the part, from all samples; and the remote loads,
 * whose pattern is to be found.
 */
#ifndef MEMPHIS_PLACEMENT_H
#define MEMPHIS_PLACEMENT_H

#include "profile/heatmap.h"

/*
 * A part has an owner (home node) or a user (accessing node) if at least three quarters of its samples are from one node. Parts are made
 * large enough for 32 samples on average: if samples are from two nodes at random, 24 or more of 32 are from the same node in only 0.7 % of
 * the parts.
 */
#define MEMPHIS_PART_AGREE   0.75
#define MEMPHIS_PART_SAMPLES 32
#define MEMPHIS_PARTS_MIN    8 /* with this number or fewer, parts are not enlarged further */

#define MEMPHIS_SEVERAL (-1) /* used as a node number: several nodes, or unknown */

/* A part: a range of the variable's addresses. Here and below, a node is an index in placement->nodes. */
struct memphis_part {
	uint64_t low, high; /* low <= address < high */
	uint64_t count;     /* samples whose accessing and home nodes are known */
	uint64_t remote;    /* remote loads */
	int owner;          /* home node of the pages, or MEMPHIS_SEVERAL */
	int user;           /* accessing node, after any second node joined; or MEMPHIS_SEVERAL */
	int moved_from;     /* first owner if the last owner differs, otherwise MEMPHIS_SEVERAL */
	int moved_to;       /* last owner; valid if moved_from is not MEMPHIS_SEVERAL */
	uint32_t
		moves; /* number of moves to and fro (ping_pong.h), or 0; if not 0, moved_from is MEMPHIS_SEVERAL */
	uint32_t toucher; /* the storing thread that was sampled first; MEMPHIS_NONE: no stores sampled */
	int toucher_node; /* accessing node of the toucher */
	const struct memphis_heatmap_use *first_store; /* the use with the earliest sampled store, or NULL */
	uint32_t initialised; /* instruction of that store if it may be the first; otherwise MEMPHIS_NONE */
};

struct memphis_placement_thread {
	uint32_t thread; /* index in the process */
	uint64_t count;  /* number of samples */
	uint64_t remote; /* number of its remote loads */
	int node;        /* node from which most of its remote loads were made */
	int first_node;  /* node of the thread's first sample */
	bool stayed;     /* at least a tenth of its samples were made on first_node */
	bool wanders;    /* `stayed`, and at least a tenth of its samples were made on other nodes */
	/* Remote loads of pages on first_node that the thread touched first, or may have touched first because `stayed` is true. */
	uint64_t left;
	double most_home; /* largest share of one home node in the thread's samples */
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
	uint64_t remote;          /* all remote loads */
	uint64_t *remote_by_home; /* the same by home node */
	uint64_t *homes;          /* samples by home node */
	uint64_t *users;          /* samples by accessing node, after a second node's access to the part */
	uint64_t homed, used;     /* sum of `homes`; sum of `users` */
	uint64_t shared,
		shared_stores; /* samples since a second node accessed the part; number of stores among them */
	const uint64_t *users_of_parts; /* as `users`, by part and node */
	uint64_t shuttled;              /* the part of `remote` to parts that were moved to and fro */
	uint64_t moved;    /* the part of `remote` made from the first owner of a part that moved */
	uint64_t followed; /* the part of `remote` made from the last owner, before the part moved to it */
	uint64_t *counts;  /* the memory that contains the arrays above */
};

/* Returns the index of the node in placement->nodes, or MEMPHIS_SEVERAL. */
int memphis_placement_node(const struct memphis_placement *placement, uint16_t node);

/* Makes the sums. Returns 0 or -ENOMEM; the caller must close the placement in both cases. */
int memphis_placement_make(struct memphis_placement *placement, const struct memphis_heatmap *heatmap);
void memphis_placement_close(struct memphis_placement *placement);

#endif
