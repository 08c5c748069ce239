/* SPDX-License-Identifier: BSD-3-Clause */
/* Assigns the vertices of a graph to parts of limited size, so that edges between different parts weigh little. */
#ifndef MEMPHIS_PARTITION_H
#define MEMPHIS_PARTITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct memphis_graph {
	size_t vertices, parts;
	uint64_t *edges;    /* vertices x vertices, symmetric: weight of the edge */
	uint64_t *tied;     /* vertices x parts: weight of the edge to things that can't leave this part */
	uint32_t *capacity; /* by part: maximum number of vertices; the sum is at least `vertices` */
};

/* Opens a graph without edges. Returns 0 or -ENOMEM; close the graph in either case. */
int memphis_graph_open(struct memphis_graph *graph, size_t vertices, size_t parts);
void memphis_graph_close(struct memphis_graph *graph);

/* Returns the weight of all edges between different parts. `part` is the part of each vertex. */
uint64_t memphis_graph_cut(const struct memphis_graph *graph, const uint32_t *part);

/*
 * Sets part[] so that each part has at most its capacity, and no move or exchange of two vertices lowers the cut. If the given part[] has
 * no larger cut, it is kept. Deterministic. Returns 0 or -ENOMEM.
 */
int memphis_partition(const struct memphis_graph *graph, uint32_t *part);

#endif
