// SPDX-License-Identifier: BSD-3-Clause
/* Partitioning of graphs. If this fails, memphis place proposes placements that are worse than others, or overfills a node. */
#include "place/partition.h"

#include <stdlib.h>

#include "../../tap.h"

#define VERTICES 16
#define PARTS    4

static void connect(struct memphis_graph *graph, size_t a, size_t b, uint64_t weight)
{
	graph->edges[a * graph->vertices + b] += weight;
	graph->edges[b * graph->vertices + a] += weight;
}

static bool fits(const struct memphis_graph *graph, const uint32_t *part)
{
	uint32_t sizes[PARTS] = {0};
	size_t i;

	for (i = 0; i < graph->vertices; i++)
		sizes[part[i]]++;
	for (i = 0; i < graph->parts; i++)
		if (sizes[i] > graph->capacity[i])
			return false;
	return true;
}

static void open(struct memphis_graph *graph, uint32_t capacity)
{
	size_t i;

	if (memphis_graph_open(graph, VERTICES, PARTS))
		abort();
	for (i = 0; i < PARTS; i++)
		graph->capacity[i] = capacity;
}

/* Numbers the vertices of a ring, in an order that puts neighbours far apart. */
static size_t place_in_ring(size_t i)
{
	return i * 7 % VERTICES;
}

static void ring(void)
{
	uint32_t part[VERTICES], again[VERTICES];
	struct memphis_graph graph;
	size_t i;

	open(&graph, VERTICES / PARTS);
	for (i = 0; i < VERTICES; i++) {
		connect(&graph, place_in_ring(i), place_in_ring((i + 1) % VERTICES), 1000);
		part[i] = again[i] = (uint32_t)(i % PARTS);
	}
	is(memphis_graph_cut(&graph, part), 16000, "in a scattered ring, each edge is between two parts");
	ok(!memphis_partition(&graph, part) && fits(&graph, part),
	   "a ring is partitioned within the capacities");
	is(memphis_graph_cut(&graph, part), 4000,
	   "a ring in four parts has four edges between them, the least possible");
	memphis_partition(&graph, again);
	ok(!memcmp(part, again, sizeof(part)), "the result is the same each time");
	memphis_partition(&graph, again);
	ok(!memcmp(part, again, sizeof(part)), "a good partition is kept");
	memphis_graph_close(&graph);
}

static void pairs(void)
{
	uint32_t part[VERTICES];
	struct memphis_graph graph;
	size_t i;

	open(&graph, VERTICES / PARTS);
	for (i = 0; i < VERTICES; i++)
		part[i] = (uint32_t)(i * PARTS / VERTICES);
	for (i = 0; i < VERTICES / 2; i++)
		connect(&graph, i, i + VERTICES / 2, 1 + i);
	memphis_partition(&graph, part);
	ok(fits(&graph, part) && memphis_graph_cut(&graph, part) == 0,
	   "the vertices of each pair share a part");
	memphis_graph_close(&graph);
}

static void ties(void)
{
	uint32_t part[VERTICES] = {0};
	struct memphis_graph graph;
	size_t i;
	bool right = true;

	open(&graph, VERTICES / PARTS + 1);
	for (i = 0; i < VERTICES; i++)
		graph.tied[i * PARTS + i % PARTS] = 500;
	memphis_partition(&graph, part);
	for (i = 0; i < VERTICES; i++)
		right = right && part[i] == i % PARTS;
	ok(right && fits(&graph, part), "vertices go where they are tied, also from a part that is too full");
	/* Edges of more weight pull pairs together against one of their ties. */
	for (i = 0; i < VERTICES; i += 2)
		connect(&graph, i, i + 1, 2000);
	memphis_partition(&graph, part);
	ok(fits(&graph, part) && memphis_graph_cut(&graph, part) == 500 * VERTICES / 2,
	   "heavier edges win against ties");
	memphis_graph_close(&graph);
}

static void uneven(void)
{
	uint32_t part[VERTICES];
	struct memphis_graph graph;
	size_t i;

	open(&graph, 1);
	graph.capacity[0] = VERTICES - 3;
	graph.capacity[3] = 2;
	for (i = 0; i < VERTICES; i++)
		part[i] = 3;
	memphis_partition(&graph, part);
	ok(fits(&graph, part), "parts of any capacity are not overfilled");
	memphis_graph_close(&graph);
}

int main(void)
{
	ring();
	pairs();
	ties();
	uneven();
	return finish();
}
