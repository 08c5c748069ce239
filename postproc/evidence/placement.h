/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of a heatmap: which node owns each part of the variable, which nodes and threads use it, and which accesses are remote. */
#ifndef MEMPHIS_PLACEMENT_H
#define MEMPHIS_PLACEMENT_H

#include "profile/heatmap.h"

/*
 * A part has an owner, or a user, if three quarters of its samples are of one node. Parts are large enough for 32 samples on average: of 32
 * samples drawn from two nodes at random, 24 or more are of the same node in 0.7 % of all parts.
 */
#define MEMPHIS_PART_AGREE   0.75
#define MEMPHIS_PART_SAMPLES 32
#define MEMPHIS_PARTS_MIN    8 /* parts are not enlarged further below this number */

#define MEMPHIS_SEVERAL (-1) /* in the place of a node: several nodes, or unknown */

/* A range of addresses. Nodes are indexes in placement->nodes, here and below. */
struct memphis_part {
	uint64_t low, high; /* low <= address < high */
	uint64_t count;     /* samples whose nodes are known */
	double remote;      /* selected samples from nodes that do not own the page */
	int owner;          /* home node of the pages, or MEMPHIS_SEVERAL */
	int user;           /* node of the accesses since a second node came, or MEMPHIS_SEVERAL */
	int moved_from;     /* the first owner, if the last one differs; else MEMPHIS_SEVERAL */
	uint32_t toucher;   /* the storing thread that was seen first; MEMPHIS_NONE: no store was sampled */
	int toucher_node;   /* its node */
	const struct memphis_heatmap_use *first_store; /* the use with the earliest sampled store, or NULL */
	uint32_t initialised; /* instruction of that store, if it may be the first one; else MEMPHIS_NONE */
};

struct memphis_placement_thread {
	uint32_t thread;                            /* index in the process */
	uint64_t count, stores;                     /* samples; stores among them */
	uint64_t count_elsewhere, stores_elsewhere; /* likewise, in parts that other threads touched first */
	double remote;  /* estimate of its selected samples of other nodes' pages */
	int node;       /* node from which most of these were made */
	int first_node; /* node of its first sample ... */
	bool stayed;    /* ... on which it made at least a tenth of its samples */
	double left; /* the part of `remote` to pages on first_node that it touched first, or that it may have if it stayed */
	double most_home; /* largest share of one home node in its samples */
};

struct memphis_placement {
	const struct memphis_heatmap *heatmap;
	uint16_t *nodes; /* all nodes of the heatmap, ascending */
	size_t node_count;
	struct memphis_part *parts;
	size_t part_count;
	struct memphis_placement_thread *threads; /* most remote samples first */
	size_t thread_count;
	double remote;                           /* all selected remote samples */
	double *remote_by_home, *remote_by_node; /* by home node, by accessing node */
	uint64_t *homes;                         /* samples by home node */
	uint64_t *users;      /* samples by accessing node, since a second node came to the part */
	uint64_t homed, used; /* sums of homes, of users */
	double moved;         /* the part of `remote` made from the first owner of a part that moved */
	/* memory that the arrays above lie in */
	double *reals;
	uint64_t *counts;
};

/* 0 or -ENOMEM. Close it in either case. */
int memphis_placement_make(struct memphis_placement *placement, const struct memphis_heatmap *heatmap);
void memphis_placement_close(struct memphis_placement *placement);

#endif
