/* SPDX-License-Identifier: BSD-3-Clause */
/* Partitions a graph into parts of limited size, so that the total weight of edges between different parts is small. */
#ifndef MEMPHIS_PARTITION_H
#define MEMPHIS_PARTITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct memphis_graph {
	size_t vertices, parts;
	/* Matrix vertices x vertices, symmetric: weight of the edge between two vertices. */
	uint64_t *edges;
	/* Matrix vertices x parts: weight of the edges from the vertex to things that are fixed in the part. */
	uint64_t *tied;
	/* For each part: maximum number of vertices. The sum must be at least `vertices`. */
	uint32_t *capacity;
};

/* Opens a graph without edges. Returns 0 or -ENOMEM. The caller must close the graph in both cases. */
int memphis_graph_open(struct memphis_graph *graph, size_t vertices, size_t parts);
void memphis_graph_close(struct memphis_graph *graph);

/* Returns the cut: the total weight of the edges between different parts. part[v] is the part of vertex v. */
uint64_t memphis_graph_cut(const struct memphis_graph *graph, const uint32_t *part);

/*
 * Computes a partition and stores it in part[]. No part exceeds its capacity, and no move of a vertex or
 * exchange of two vertices lowers the cut. Keeps the partition that is in part[] on entry if its cut is not
 * larger. Deterministic. Returns 0 or -ENOMEM.
 */
int memphis_partition(const struct memphis_graph *graph, uint32_t *part);

#endif
