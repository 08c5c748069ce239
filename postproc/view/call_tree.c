// SPDX-License-Identifier: BSD-3-Clause
/* Builds a tree from call chains. Calls at the same source line of the same function become one node. */
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

static uint32_t find_child(struct memphis_call_tree *tree, uint32_t parent,
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

/*
 * Adds the frames of an instruction below *node, beginning with frame `first_frame`. Each frame is a child of the
 * previous one. Sets *node to the last one.
 */
static int add_frames(struct memphis_call_tree *tree, uint32_t *node, uint32_t number, uint32_t first_frame,
		      uint64_t count)
{
	const struct memphis_instruction *instruction = &tree->profile->instructions[number];
	uint32_t i;

	for (i = first_frame; i < instruction->frame_count; i++) {
		*node = find_child(tree, *node, &tree->profile->frames[instruction->frame + i],
				   instruction->object);
		if (*node == MEMPHIS_NO_NODE)
			return -ENOMEM;
		tree->nodes[*node].count += count;
	}
	return 0;
}

static int add_chain(struct memphis_call_tree *tree, const struct memphis_row_chain *row)
{
	const struct memphis_profile *profile = tree->profile;
	const struct memphis_chain *chain = row->chain == MEMPHIS_NONE ? NULL : &profile->chains[row->chain];
	uint32_t at = 0, i;
	int rc = 0;

	tree->nodes[0].count += row->count;
	if (row->instruction != MEMPHIS_NONE)
		rc = add_frames(tree, &at, row->instruction, 1, row->count);
	for (i = 0; chain && !rc && i < chain->call_count; i++)
		rc = add_frames(tree, &at, profile->calls[chain->call + i], 0, row->count);
	return rc;
}

/*
 * Sorts the children of a node by count, descending. Children with equal counts are sorted by place, so that the
 * result does not depend on the order of the chains.
 */
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
