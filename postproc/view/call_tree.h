/* SPDX-License-Identifier: BSD-3-Clause */
/* The chains of callers of a row, folded into a tree: the innermost callers first, and below each its own callers. */
#ifndef MEMPHIS_CALL_TREE_H
#define MEMPHIS_CALL_TREE_H

#include "view/rows.h"

#define MEMPHIS_NO_NODE UINT32_MAX

/* A place in the code. All samples of the node were reached through this place and then through the places of its parents. */
struct memphis_call_node {
	const struct memphis_profile_frame *frame; /* NULL: the root */
	uint32_t object;                           /* row of profile->objects, or MEMPHIS_NONE */
	uint64_t count;
	/* `child`: first caller; `next`: next caller of the same place, by descending count; or MEMPHIS_NO_NODE. */
	uint32_t child, next;
};

struct memphis_call_tree {
	const struct memphis_profile *profile;
	struct memphis_call_node *nodes; /* nodes[0] is the root */
	size_t count, room;
};

/* Builds the tree. Returns 0 or -ENOMEM; close it in either case. */
int memphis_call_tree_build(struct memphis_call_tree *tree, const struct memphis_profile *profile,
			    const struct memphis_row_chain *chains, size_t count);
void memphis_call_tree_close(struct memphis_call_tree *tree);

#endif
