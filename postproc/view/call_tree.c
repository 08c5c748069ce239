// SPDX-License-Identifier: BSD-3-Clause
/* Folds chains of callers into a tree. Calls at the same line of the same function are one node. */
#include "view/call_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint32_t add_node(struct memphis_call_tree *tree, const struct memphis_profile_frame *frame,
			 uint32_t object)
{
	struct memphis_call_node *node = memphis_append(tree->nodes, tree->count, tree->room);

	if (!node)
		return MEMPHIS_NO_NODE;
	node->frame = frame;
	node->object = object;
	node->child = node->next = MEMPHIS_NO_NODE;
	return (uint32_t)tree->count - 1;
}

static uint32_t child_of(struct memphis_call_tree *tree, uint32_t parent,
			 const struct memphis_profile_frame *frame, uint32_t object)
{
	const struct memphis_call_node *node;
	uint32_t at;

	for (at = tree->nodes[parent].child; at != MEMPHIS_NO_NODE; at = tree->nodes[at].next) {
		node = &tree->nodes[at];
		if (node->frame->function == frame->function && node->frame->path == frame->path &&
		    node->frame->line == frame->line && node->object == object)
			return at;
	}
	at = add_node(tree, frame, object);
	if (at != MEMPHIS_NO_NODE) {
		tree->nodes[at].next = tree->nodes[parent].child;
		tree->nodes[parent].child = at;
	}
	return at;
}

static int add_chain(struct memphis_call_tree *tree, const struct memphis_row_chain *row)
{
	const struct memphis_profile *profile = tree->profile;
	const struct memphis_chain *chain = &profile->chains[row->chain];
	const struct memphis_instruction *call;
	uint32_t at = 0, i, j;

	tree->nodes[0].count += row->count;
	for (i = 0; i < chain->call_count; i++) {
		call = &profile->instructions[profile->calls[chain->call + i]];
		for (j = 0; j < call->frame_count; j++) {
			at = child_of(tree, at, &profile->frames[call->frame + j], call->object);
			if (at == MEMPHIS_NO_NODE)
				return -ENOMEM;
			tree->nodes[at].count += row->count;
		}
	}
	return 0;
}

/* Sorts the children of a node by falling count. Children with equal counts are sorted by place, which does not depend on the order of chains. */
static void sort_children(struct memphis_call_tree *tree, uint32_t parent)
{
	struct memphis_call_node *nodes = tree->nodes;
	uint32_t left = nodes[parent].child, node, *at;

	nodes[parent].child = MEMPHIS_NO_NODE;
	while (left != MEMPHIS_NO_NODE) {
		node = left;
		left = nodes[node].next;
		at = &nodes[parent].child;
		while (*at != MEMPHIS_NO_NODE &&
		       (nodes[*at].count > nodes[node].count ||
			(nodes[*at].count == nodes[node].count && nodes[*at].frame < nodes[node].frame)))
			at = &nodes[*at].next;
		nodes[node].next = *at;
		*at = node;
	}
}

int memphis_call_tree_build(struct memphis_call_tree *tree, const struct memphis_profile *profile,
			    const struct memphis_row_chain *chains, size_t count)
{
	size_t i;
	int rc;

	*tree = (struct memphis_call_tree){.profile = profile};
	rc = add_node(tree, NULL, MEMPHIS_NONE) == MEMPHIS_NO_NODE ? -ENOMEM : 0;
	for (i = 0; !rc && i < count; i++)
		rc = add_chain(tree, &chains[i]);
	for (i = 0; !rc && i < tree->count; i++)
		sort_children(tree, (uint32_t)i);
	return rc;
}

void memphis_call_tree_close(struct memphis_call_tree *tree)
{
	free(tree->nodes);
	memset(tree, 0, sizeof(*tree));
}
