/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Withheld allocation records: a treap (a randomised search tree) of disjoint blocks, sorted by address, and
 * two lists per thread.
 */
#include <string.h>

#include "data/withheld.h"

#define HASH(value) ((__u32)(((value) >> 4) * 0x9e3779b97f4a7c15u >> 32))

/* A record in the treap. Nodes are identified by their index; 0: none. */
struct node {
	struct memphis_allocation record;
	struct memphis_withheld *owner;
	__u32 left, right;    /* children in the treap; `right` of a free node is the next free node */
	__u32 previous, next; /* neighbours in one of the owner's lists */
};

static struct node *nodes; /* [0] is not used */
static __u32 roots[2];     /* roots of two treaps: blocks, and parts of pools */
static __u32 unused, used; /* first free node, highest index used so far */

void memphis_withheld_open(void)
{
	roots[0] = roots[1] = unused = used = 0;
}

static __u32 *tree_root(const struct memphis_allocation *record)
{
	return &roots[record->kind == MEMPHIS_ALLOCATION_PART];
}

static __u64 node_start(__u32 node)
{
	return nodes[node].record.address;
}

static __u64 node_end(__u32 node)
{
	return nodes[node].record.address + nodes[node].record.size_bytes;
}

/* Joins two treaps. All addresses in `low` must be below those in `high`. The hash of the address is the priority of a node. */
static __u32 merge_trees(__u32 low, __u32 high)
{
	if (!low || !high)
		return low ? low : high;
	if (HASH(node_start(low)) >= HASH(node_start(high))) {
		nodes[low].right = merge_trees(nodes[low].right, high);
		return low;
	}
	nodes[high].left = merge_trees(low, nodes[high].left);
	return high;
}

/* Splits a treap into the nodes below `address` and the remaining ones. */
static void split_tree(__u32 tree, __u64 address, __u32 *low, __u32 *high)
{
	__u32 rest;

	if (!tree) {
		*low = *high = 0;
	} else if (node_start(tree) < address) {
		split_tree(nodes[tree].right, address, &rest, high);
		nodes[tree].right = rest;
		*low = tree;
	} else {
		split_tree(nodes[tree].left, address, low, &rest);
		nodes[tree].left = rest;
		*high = tree;
	}
}

/* Returns the last block in the treap `at` that begins before `end` and ends after `start`, or 0. */
static __u32 find_block(__u32 at, __u64 start, __u64 end)
{
	__u32 best = 0;

	while (at) {
		if (node_start(at) < end) {
			best = at;
			at = nodes[at].right;
		} else {
			at = nodes[at].left;
		}
	}
	return best && node_end(best) > start ? best : 0;
}

static void unlink_node(__u32 *first, __u32 node)
{
	if (nodes[node].previous)
		nodes[nodes[node].previous].next = nodes[node].next;
	else
		*first = nodes[node].next;
	if (nodes[node].next)
		nodes[nodes[node].next].previous = nodes[node].previous;
}

static void link_node(__u32 *first, __u32 node)
{
	nodes[node].previous = 0;
	nodes[node].next = *first;
	if (*first)
		nodes[*first].previous = node;
	*first = node;
}

/* Removes a node from the treap and from the list of waiting records. */
static void remove_waiting(__u32 node)
{
	__u32 *link = tree_root(&nodes[node].record);

	while (*link != node)
		link = node_start(node) < node_start(*link) ? &nodes[*link].left : &nodes[*link].right;
	*link = merge_trees(nodes[node].left, nodes[node].right);
	unlink_node(&nodes[node].owner->waiting, node);
}

static void free_node(__u32 node)
{
	nodes[node].right = unused;
	unused = node;
}

int memphis_withheld_add(struct memphis_withheld *list, const struct memphis_allocation *record)
{
	__u32 *root = tree_root(record), node, low, high;
	const __u64 end = record->address + record->size_bytes;
	int dropped = 0;

	/*
	 * Map the memory on first use, because in programs that lock all their memory (mlockall(2)) the whole
	 * map becomes resident.
	 */
	if (!nodes)
		nodes = sys_map((MEMPHIS_WITHHELD_MAX + 1) * sizeof(*nodes));
	if (!nodes)
		return -ENOMEM;
	node = find_block(*root, record->address, end);
	if (node && record->kind == MEMPHIS_ALLOCATION_PART && node_start(node) <= record->address &&
	    node_end(node) >= end &&
	    MEMPHIS_PART_POOL(nodes[node].record.previous) != MEMPHIS_PART_POOL(record->previous))
		return -ENOMEM;
	while ((node = find_block(*root, record->address, end))) {
		remove_waiting(node);
		free_node(node);
		dropped++;
	}
	if (unused) {
		node = unused;
		unused = nodes[node].right;
	} else if (used < MEMPHIS_WITHHELD_MAX) {
		node = ++used;
	} else {
		return -ENOMEM;
	}
	nodes[node] = (struct node){.record = *record, .owner = list};
	split_tree(*root, record->address, &low, &high);
	*root = merge_trees(merge_trees(low, node), high);
	link_node(&list->waiting, node);
	return dropped;
}

void memphis_withheld_touch(__u64 address)
{
	__u32 node;
	int i;

	/* Most programs without short-lived blocks have no waiting records, and this is called for each sample. */
	if (!(roots[0] | roots[1]))
		return;
	for (i = 0; i < 2; i++) {
		node = find_block(roots[i], address, address + 1);
		if (!node)
			continue;
		remove_waiting(node);
		link_node(&nodes[node].owner->due, node);
	}
}

__u64 memphis_withheld_drop_pool(__u32 pool, __u64 address, __u64 bytes, __u64 time_ns)
{
	__u64 end = address + bytes, dropped = 0;
	__u32 node;

	while ((node = find_block(roots[1], address, end))) {
		end = node_start(node);
		if (MEMPHIS_PART_POOL(nodes[node].record.previous) != pool ||
		    nodes[node].record.time_ns >= time_ns)
			continue;
		remove_waiting(node);
		free_node(node);
		dropped++;
	}
	return dropped;
}

int memphis_withheld_drop(__u64 address, int is_part)
{
	__u32 node = find_block(roots[is_part], address, address + 1), part;
	int dropped = 1;

	if (!node || node_start(node) != address)
		return 0;
	while (!is_part && (part = find_block(roots[1], address, node_end(node)))) {
		remove_waiting(part);
		free_node(part);
		dropped++;
	}
	remove_waiting(node);
	free_node(node);
	return dropped;
}

size_t memphis_withheld_take(struct memphis_withheld *list, struct memphis_allocation *out, size_t max,
			     int all)
{
	struct memphis_allocation record;
	size_t count = 0, i;
	__u32 node;

	for (; count < max && list->due; count++) {
		node = list->due;
		unlink_node(&list->due, node);
		out[count] = nodes[node].record;
		free_node(node);
	}
	for (; all && count < max && list->waiting; count++) {
		node = list->waiting;
		remove_waiting(node);
		out[count] = nodes[node].record;
		free_node(node);
	}
	/* The lists are in reverse order of insertion, so reverse the result. */
	for (i = 0; i < count / 2; i++) {
		record = out[i];
		out[i] = out[count - 1 - i];
		out[count - 1 - i] = record;
	}
	return count;
}
