// SPDX-License-Identifier: BSD-3-Clause
/* Small blocks: rows of a matrix, nodes of a list and of a tree, and members of each element. */
#include "corpus.h"

enum { NODES = 4096 };

struct node {
	struct node *next;
	double value[5];
};

struct tree {
	struct tree *left, *right;
	double key;
};

struct cell {
	double *faces;
	int *neighbours;
};

static struct cell cells[NODES];
static struct tree *root;

static void insert(double key)
{
	struct tree **at = &root, *tree = malloc(sizeof(*tree)); /* site: tree */

	tree->left = tree->right = NULL;
	tree->key = key;
	while (*at)
		at = key < (*at)->key ? &(*at)->left : &(*at)->right;
	*at = tree;
}

__attribute__((noinline)) static void state(const struct tree *tree)
{
	if (!tree)
		return;
	TRUTH(tree, sizeof(*tree), "tree|root|root->left|root->right|root*");
	state(tree->left);
	state(tree->right);
}

int main(void)
{
	double **rows = malloc(NODES * sizeof(*rows));
	struct node *list = NULL;

	for (int i = 0; i < NODES; i++)
		rows[i] = malloc(27 * sizeof(double)); /* site: rows[] */
	for (int i = 0; i < NODES; i++) {
		struct node *node = malloc(sizeof(*node)); /* site: node */

		node->next = list;
		list = node;
	}
	for (int i = 0; i < NODES; i++) {
		cells[i].faces = malloc(6 * sizeof(double));   /* site: cells[].faces */
		cells[i].neighbours = malloc(6 * sizeof(int)); /* site: cells[].neighbours */
	}
	for (int i = 0; i < NODES; i++)
		insert((double)((i * 2654435761u) % NODES));
	for (int i = 0; i < NODES; i++)
		TRUTH(rows[i], 27 * sizeof(double), "rows[]|rows[i]");
	for (struct node *node = list; node; node = node->next)
		TRUTH(node, sizeof(*node), "node|list");
	for (int i = 0; i < NODES; i++)
		TRUTH(cells[i].faces, 6 * sizeof(double), "cells[].faces|cells[*].faces");
	for (int i = 0; i < NODES; i++)
		TRUTH(cells[i].neighbours, 6 * sizeof(int), "cells[].neighbours|cells[*].neighbours");
	state(root);
	return 0;
}
