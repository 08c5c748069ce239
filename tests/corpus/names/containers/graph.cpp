// SPDX-License-Identifier: BSD-3-Clause
// A graph as benchmarks have it: offsets and neighbours by new[], index of pointers, in an object that is moved.
#include "corpus.h"

#include <algorithm>
#include <vector>

class Graph
{
      public:
	Graph(long nodes, long edges)
	{
		m_neighbours = new int[edges]; // site: graph.m_neighbours
		m_index = make_index(nodes);   // site: graph.m_index
		corpus_use(m_neighbours);
	}
	Graph(Graph &&other) : m_neighbours(other.m_neighbours), m_index(other.m_index)
	{
		other.m_neighbours = nullptr;
		other.m_index = nullptr;
	}
	static int **make_index(long nodes)
	{
		int **index = new int *[nodes]; // site: graph.m_index

		corpus_use(index);
		return index;
	}
	int *m_neighbours;
	int **m_index;
};

__attribute__((noinline)) static Graph build()
{
	Graph graph(COUNT, 2 * COUNT); // site: graph.m_neighbours, graph.m_index

	return graph;
}

int main()
{
	Graph graph = build();                   // site: graph.m_neighbours, graph.m_index
	std::vector<float> scores(COUNT, 1.0f);  // site: scores
	std::vector<float> contributions(COUNT); // site: contributions

	TRUTH(graph.m_neighbours, BYTES, "graph.m_neighbours|graph");
	TRUTH(graph.m_index, BYTES, "graph.m_index|index");
	TRUTH(scores.data(), BYTES / 2, "scores");
	TRUTH(contributions.data(), BYTES / 2, "contributions");
}
