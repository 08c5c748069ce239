/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Builds a tree from the call chains of a row. The innermost callers are at the top, and below each of them are its
 * own callers.
 */
#ifndef MEMPHIS_CALL_TREE_H
#define MEMPHIS_CALL_TREE_H

#include "view/rows.h"

#define MEMPHIS_NO_NODE UINT32_MAX

/*
 * A place in the code. All samples of the node were reached through this place, and from there through the places of
 * its parents.
 */
struct memphis_call_node {
	const struct memphis_profile_frame *frame; /* NULL: the node is the root */
	uint32_t object;                           /* row of profile->objects, or MEMPHIS_NONE */
	uint64_t count;
	/*
	 * `child` is the first caller of this place. `next` is the next caller of the parent's place, in descending
	 * order of count. MEMPHIS_NO_NODE: there is none.
	 */
	uint32_t child, next;
};

struct memphis_call_tree {
	const struct memphis_profile *profile;
	struct memphis_call_node *nodes; /* nodes[0] is the root */
	size_t count, room;
};

/* Builds the tree. Returns 0 or -ENOMEM. The caller must close the tree in both cases. */
int memphis_call_tree_build(struct memphis_call_tree *tree, const struct memphis_profile *profile,
			    const struct memphis_row_chain *chains, size_t count);
void memphis_call_tree_close(struct memphis_call_tree *tree);

#endif
