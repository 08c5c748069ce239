/* SPDX-License-Identifier: BSD-3-Clause */
/* What a close-up says together: whose memory each part of a variable is, who uses it, and which accesses go to other nodes. */
#ifndef MEMPHIS_PLACEMENT_H
#define MEMPHIS_PLACEMENT_H

#include "profile/heatmap.h"

/*
 * A part of the addresses has an owner or a user if three quarters of its samples agree. Parts are so large that 32 samples, on average, are
 * in each: of 32 that come from two nodes by chance, 24 or more are from the same one in 0.7 of 100 parts.
 */
#define MEMPHIS_PART_AGREE   0.75
#define MEMPHIS_PART_SAMPLES 32
#define MEMPHIS_PARTS_MIN    8

#define MEMPHIS_SEVERAL (-1) /* nodes; or not known */

/* Nodes are numbered as in placement->nodes here. */
struct memphis_part {
	uint64_t low, high; /* addresses: from, to before */
	uint64_t count;     /* samples; 0: nobody was seen here */
	double remote;      /* selected samples of nodes that do not own the page */
	int owner, user;  /* a node or MEMPHIS_SEVERAL; the user does not count who was here alone at first */
	int moved_from;   /* the owner at first, if another one is it at last; else MEMPHIS_SEVERAL */
	uint32_t toucher; /* thread of the earliest store, if any was seen; else MEMPHIS_NONE */
	int toucher_node;
	const struct memphis_heatmap_use *first_store; /* with the earliest one that was sampled, or NULL */
	uint32_t initialised; /* its instruction, if nobody else was seen here before; else MEMPHIS_NONE */
};

struct memphis_placement_thread {
	uint32_t thread;                          /* of the process */
	uint64_t count, stores, stores_elsewhere; /* of these, in parts that others touched first */
	uint64_t count_elsewhere;
	double remote;  /* as above */
	int node;       /* with most of them */
	int first_node; /* from which it was seen first ... */
	bool stayed;    /* ... for a while */
	double left; /* of `remote`: from another node to pages of the first one, where it touched them or stayed */
	double most_home; /* largest share that one node has of the pages accessed */
};

struct memphis_placement {
	const struct memphis_heatmap *heatmap;
	uint16_t *nodes;
	size_t node_count;
	struct memphis_part *parts;
	size_t part_count;
	struct memphis_placement_thread *threads; /* with most remote samples first */
	size_t thread_count;
	double remote;
	double *remote_by_home, *remote_by_node; /* by node */
	uint64_t *homes;                         /* samples by home */
	uint64_t *users;                         /* samples by node, as in parts */
	uint64_t homed, used;                    /* their sums */
	double moved; /* of `remote`: made by the owner that a part had at first, after it was moved */
	/* what the above lies in */
	double *reals;
	uint64_t *counts;
};

/* 0 or -ENOMEM. Close it in either case. */
int memphis_placement_make(struct memphis_placement *placement, const struct memphis_heatmap *heatmap);
void memphis_placement_close(struct memphis_placement *placement);

#endif
