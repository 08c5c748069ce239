// SPDX-License-Identifier: BSD-3-Clause
/*
 * Partitions a graph. Uses the partition that Scotch proposes, if the tool was built with Scotch. Then
 * improves the partition by moves and exchanges of single vertices.
 */
#include "place/partition.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef MEMPHIS_HAS_SCOTCH
#include <scotch/scotch.h>
#endif

int memphis_graph_open(struct memphis_graph *graph, size_t vertices, size_t parts)
{
	*graph = (struct memphis_graph){.vertices = vertices,
					.parts = parts,
					.edges = calloc(vertices * vertices + 1, sizeof(*graph->edges)),
					.tied = calloc(vertices * parts + 1, sizeof(*graph->tied)),
					.capacity = calloc(parts + 1, sizeof(*graph->capacity))};
	return graph->edges && graph->tied && graph->capacity ? 0 : -ENOMEM;
}

void memphis_graph_close(struct memphis_graph *graph)
{
	free(graph->edges);
	free(graph->tied);
	free(graph->capacity);
	memset(graph, 0, sizeof(*graph));
}

uint64_t memphis_graph_cut(const struct memphis_graph *graph, const uint32_t *part)
{
	uint64_t cut = 0;
	size_t i, j;

	for (i = 0; i < graph->vertices; i++) {
		for (j = 0; j < i; j++)
			cut += part[i] == part[j] ? 0 : graph->edges[i * graph->vertices + j];
		for (j = 0; j < graph->parts; j++)
			cut += part[i] == j ? 0 : graph->tied[i * graph->parts + j];
	}
	return cut;
}

/* State of the improvement. `pull` is the weight of the edges from each vertex to each part, `size` the vertices of each part. */
struct state {
	const struct memphis_graph *graph;
	uint32_t *part, *size;
	int64_t *pull; /* matrix vertices x parts */
};

static int64_t *vertex_pull(const struct state *state, size_t vertex)
{
	return state->pull + vertex * state->graph->parts;
}

static void move_vertex(struct state *state, size_t vertex, uint32_t to)
{
	const struct memphis_graph *graph = state->graph;
	const uint32_t from = state->part[vertex];
	size_t i;

	for (i = 0; i < graph->vertices; i++) {
		vertex_pull(state, i)[from] -= (int64_t)graph->edges[i * graph->vertices + vertex];
		vertex_pull(state, i)[to] += (int64_t)graph->edges[i * graph->vertices + vertex];
	}
	state->part[vertex] = to;
	state->size[from]--;
	state->size[to]++;
}

static int64_t move_gain(const struct state *state, size_t vertex, uint32_t to)
{
	return vertex_pull(state, vertex)[to] - vertex_pull(state, vertex)[state->part[vertex]];
}

/* Moves vertices out of parts that exceed their capacity. Each step takes the move that increases the cut least. */
static void move_out_of_full_parts(struct state *state)
{
	const struct memphis_graph *graph = state->graph;
	size_t vertex, best;
	uint32_t to, best_to;

	for (;;) {
		best = graph->vertices;
		best_to = 0;
		for (vertex = 0; vertex < graph->vertices; vertex++) {
			if (state->size[state->part[vertex]] <= graph->capacity[state->part[vertex]])
				continue;
			for (to = 0; to < graph->parts; to++)
				if (state->size[to] < graph->capacity[to] &&
				    (best == graph->vertices ||
				     move_gain(state, vertex, to) > move_gain(state, best, best_to))) {
					best = vertex;
					best_to = to;
				}
		}
		if (best == graph->vertices)
			return;
		move_vertex(state, best, best_to);
	}
}

static int64_t exchange_gain(const struct state *state, size_t a, size_t b)
{
	return move_gain(state, a, state->part[b]) + move_gain(state, b, state->part[a]) -
	       2 * (int64_t)state->graph->edges[a * state->graph->vertices + b];
}

/* Applies the move or exchange that lowers the cut most. Returns false if there is none that lowers it. */
static bool make_best_change(struct state *state)
{
	const struct memphis_graph *graph = state->graph;
	size_t vertex, other, best = 0, best_other = graph->vertices;
	uint32_t to, best_to = 0;
	int64_t most = 0;

	for (vertex = 0; vertex < graph->vertices; vertex++) {
		for (to = 0; to < graph->parts; to++)
			if (state->size[to] < graph->capacity[to] && move_gain(state, vertex, to) > most) {
				most = move_gain(state, vertex, to);
				best = vertex;
				best_to = to;
				best_other = graph->vertices;
			}
		for (other = 0; other < vertex; other++)
			if (state->part[other] != state->part[vertex] &&
			    exchange_gain(state, vertex, other) > most) {
				most = exchange_gain(state, vertex, other);
				best = vertex;
				best_other = other;
			}
	}
	if (!most)
		return false;
	if (best_other == graph->vertices) {
		move_vertex(state, best, best_to);
	} else {
		best_to = state->part[best_other];
		move_vertex(state, best_other, state->part[best]);
		move_vertex(state, best, best_to);
	}
	return true;
}

static int refine_partition(const struct memphis_graph *graph, uint32_t *part)
{
	struct state state = {.graph = graph,
			      .part = part,
			      .size = calloc(graph->parts + 1, sizeof(*state.size)),
			      .pull = calloc(graph->vertices * graph->parts + 1, sizeof(*state.pull))};
	size_t i, j;

	if (!state.size || !state.pull) {
		free(state.size);
		free(state.pull);
		return -ENOMEM;
	}
	for (i = 0; i < graph->vertices; i++) {
		state.size[part[i]]++;
		for (j = 0; j < graph->vertices; j++)
			vertex_pull(&state, i)[part[j]] += (int64_t)graph->edges[i * graph->vertices + j];
		for (j = 0; j < graph->parts; j++)
			vertex_pull(&state, i)[j] += (int64_t)graph->tied[i * graph->parts + j];
	}
	move_out_of_full_parts(&state);
	while (make_best_change(&state))
		;
	free(state.size);
	free(state.pull);
	return 0;
}

#ifdef MEMPHIS_HAS_SCOTCH
#define WEIGHT_MAX 1000000 /* maximum weight after scaling, so that sums of weights fit into SCOTCH_Num */

static SCOTCH_Num scale_weight(uint64_t weight, uint64_t most)
{
	return weight ? (SCOTCH_Num)(1 + weight * (double)WEIGHT_MAX / most) : 0;
}

static uint64_t largest_weight(const uint64_t *weights, size_t count)
{
	uint64_t most = 1;

	while (count--)
		most = weights[count] > most ? weights[count] : most;
	return most;
}

/*
 * Converts the graph for Scotch. Adds a vertex without weight for each part, which is fixed in that part. The
 * edges of graph->tied end at these vertices.
 */
static int fill_scotch_graph(const struct memphis_graph *graph, SCOTCH_Num *starts, SCOTCH_Num *loads,
			     SCOTCH_Num *ends, SCOTCH_Num *weights)
{
	const size_t vertices = graph->vertices, parts = graph->parts;
	const uint64_t a = largest_weight(graph->edges, vertices * vertices),
		       b = largest_weight(graph->tied, vertices * parts), most = a > b ? a : b;
	SCOTCH_Num edges = 0;
	uint64_t weight;
	size_t i, j;

	for (i = 0; i < vertices + parts; i++) {
		starts[i] = edges;
		loads[i] = i < vertices;
		for (j = 0; j < vertices + parts; j++) {
			weight = 0;
			if (i < vertices && j < vertices && i != j)
				weight = graph->edges[i * vertices + j];
			else if (i < vertices && j >= vertices)
				weight = graph->tied[i * parts + j - vertices];
			else if (i >= vertices && j < vertices)
				weight = graph->tied[j * parts + i - vertices];
			if (!weight)
				continue;
			ends[edges] = (SCOTCH_Num)j;
			weights[edges++] = scale_weight(weight, most);
		}
	}
	starts[vertices + parts] = edges;
	return edges;
}

/* Sets part[] to the partition that Scotch proposes, which may exceed the capacities. Leaves part[] unchanged if Scotch fails. */
static int propose_by_scotch(const struct memphis_graph *graph, uint32_t *part)
{
	const size_t all = graph->vertices + graph->parts;
	SCOTCH_Num *starts = calloc(all + 1, sizeof(*starts)), *loads = calloc(all + 1, sizeof(*loads)),
		   *ends = calloc(all * all + 1, sizeof(*ends)),
		   *weights = calloc(all * all + 1, sizeof(*weights)),
		   *fixed = calloc(all + 1, sizeof(*fixed)),
		   *sizes = calloc(graph->parts + 1, sizeof(*sizes)), edges;
	SCOTCH_Graph scotch;
	SCOTCH_Arch arch;
	SCOTCH_Strat strategy;
	bool good;
	size_t i;
	int rc = starts && loads && ends && weights && fixed && sizes ? 0 : -ENOMEM;

	if (!rc) {
		edges = fill_scotch_graph(graph, starts, loads, ends, weights);
		for (i = 0; i < all; i++)
			fixed[i] = i < graph->vertices ? -1 : (SCOTCH_Num)(i - graph->vertices);
		for (i = 0; i < graph->parts; i++)
			sizes[i] = (SCOTCH_Num)graph->capacity[i];
		SCOTCH_randomReset();
		SCOTCH_graphInit(&scotch);
		SCOTCH_archInit(&arch);
		SCOTCH_stratInit(&strategy);
		good = !SCOTCH_archCmpltw(&arch, (SCOTCH_Num)graph->parts, sizes) &&
		       !SCOTCH_graphBuild(&scotch, 0, (SCOTCH_Num)all, starts, NULL, loads, NULL, edges, ends,
					  weights) &&
		       !SCOTCH_graphMapFixed(&scotch, &arch, &strategy, fixed);
		for (i = 0; good && i < graph->vertices; i++)
			if (fixed[i] >= 0 && (size_t)fixed[i] < graph->parts)
				part[i] = (uint32_t)fixed[i];
		SCOTCH_stratExit(&strategy);
		SCOTCH_archExit(&arch);
		SCOTCH_graphExit(&scotch);
	}
	free(starts);
	free(loads);
	free(ends);
	free(weights);
	free(fixed);
	free(sizes);
	return rc;
}
#else
static int propose_by_scotch(const struct memphis_graph *graph, uint32_t *part)
{
	(void)graph;
	(void)part;
	return 0;
}
#endif

int memphis_partition(const struct memphis_graph *graph, uint32_t *part)
{
	const size_t bytes = graph->vertices * sizeof(*part);
	uint32_t *other = malloc(bytes + 1);
	int rc = other ? 0 : -ENOMEM;

	if (!rc) {
		memcpy(other, part, bytes);
		rc = propose_by_scotch(graph, other);
	}
	if (!rc)
		rc = refine_partition(graph, other);
	if (!rc)
		rc = refine_partition(graph, part);
	if (!rc && memphis_graph_cut(graph, other) < memphis_graph_cut(graph, part))
		memcpy(part, other, bytes);
	free(other);
	return rc;
}
