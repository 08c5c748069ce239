// SPDX-License-Identifier: BSD-3-Clause
/*
 * The blocks that are alive at one time. They are stored in a treap (a randomly balanced binary tree). The
 * start address is the key, and a hash of the key is the priority.
 */
#include "attribute/live_blocks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/pool.h"

static uint32_t take_node(struct memphis_live_blocks *live)
{
	uint32_t node = live->unused;

	if (node) {
		live->unused = live->nodes[node].left;
		return node;
	}
	if (memphis_grow(&live->nodes, &live->room, live->count + 2, sizeof(*live->nodes)))
		return 0;
	if (!live->count)
		memset(&live->nodes[live->count++], 0, sizeof(*live->nodes));
	return (uint32_t)live->count++;
}

/* Splits `tree` into the blocks that start below `start` (*low) and all others (*high). */
static void split_tree(struct memphis_live_block *nodes, uint32_t tree, uint64_t start, uint32_t *low,
		       uint32_t *high)
{
	while (tree) {
		if (nodes[tree].start < start) {
			*low = tree;
			low = &nodes[tree].right;
			tree = *low;
		} else {
			*high = tree;
			high = &nodes[tree].left;
			tree = *high;
		}
	}
	*low = *high = 0;
}

static uint32_t join_trees(struct memphis_live_block *nodes, uint32_t low, uint32_t high)
{
	uint32_t tree = 0, *at = &tree;

	while (low && high) {
		if (nodes[low].priority > nodes[high].priority) {
			*at = low;
			at = &nodes[low].right;
			low = *at;
		} else {
			*at = high;
			at = &nodes[high].left;
			high = *at;
		}
	}
	*at = low ? low : high;
	return tree;
}

int memphis_live_blocks_insert(struct memphis_live_blocks *live, const struct memphis_live_block *block)
{
	uint32_t node = take_node(live), *at = &live->root;
	struct memphis_live_block *nodes = live->nodes;

	if (!node)
		return -ENOMEM;
	nodes[node] = *block;
	nodes[node].priority = (uint32_t)memphis_hash(&block->start, sizeof(block->start));
	while (*at && nodes[*at].priority > nodes[node].priority)
		at = nodes[*at].start < block->start ? &nodes[*at].right : &nodes[*at].left;
	split_tree(nodes, *at, block->start, &nodes[node].left, &nodes[node].right);
	*at = node;
	return 0;
}

struct memphis_live_block *memphis_live_blocks_at(struct memphis_live_blocks *live, uint64_t address)
{
	uint32_t at = live->root, best = 0;

	/* Blocks do not overlap, so their ends have the same order as their starts. */
	while (at) {
		if (live->nodes[at].end > address) {
			best = at;
			at = live->nodes[at].left;
		} else {
			at = live->nodes[at].right;
		}
	}
	return best ? &live->nodes[best] : NULL;
}

void memphis_live_blocks_remove(struct memphis_live_blocks *live, uint64_t start)
{
	uint32_t *at = &live->root, node;

	while (*at && live->nodes[*at].start != start)
		at = live->nodes[*at].start < start ? &live->nodes[*at].right : &live->nodes[*at].left;
	node = *at;
	if (!node)
		return;
	*at = join_trees(live->nodes, live->nodes[node].left, live->nodes[node].right);
	live->nodes[node].left = live->unused;
	live->unused = node;
}

int memphis_live_blocks_copy(struct memphis_live_blocks *copy, const struct memphis_live_blocks *live)
{
	if (!live->root)
		return 0;
	copy->nodes = malloc(live->count * sizeof(*copy->nodes));
	if (!copy->nodes)
		return -ENOMEM;
	memcpy(copy->nodes, live->nodes, live->count * sizeof(*copy->nodes));
	copy->count = copy->room = live->count;
	copy->root = live->root;
	copy->unused = live->unused;
	return 0;
}

void memphis_live_blocks_close(struct memphis_live_blocks *live)
{
	free(live->nodes);
	memset(live, 0, sizeof(*live));
}
