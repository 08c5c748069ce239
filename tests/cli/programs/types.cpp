// SPDX-License-Identifier: BSD-3-Clause
// Accesses to a graph through pointers: of edges in a block, of nodes in containers, and of static variables.
#include <list>
#include <unordered_map>

struct Edge {
	int from, to;
	double weight;
};

Edge fixed[1000];
double plain[1000];

__attribute__((noinline)) double weigh(const Edge *edges, long count)
{
	double sum = 0;

	for (long i = 0; i < count; i++)
		sum += edges[i].weight;
	return sum;
}

__attribute__((noinline)) long reach(const Edge *edges, long count)
{
	long sum = 0;

	for (long i = 0; i < count; i++)
		sum += edges[i].to;
	return sum;
}

__attribute__((noinline)) long lengthen(const std::unordered_map<int, Edge> &edges)
{
	long count = 0;

	for (auto at = edges.begin(); at != edges.end(); ++at)
		count++;
	return count;
}

__attribute__((noinline)) void clear(double *values, long count)
{
	for (long i = 0; i < count; i++)
		values[i] = 0;
}

__attribute__((noinline)) int opaque(void *any)
{
	return *(int *)any;
}

int main()
{
	std::unordered_map<int, Edge> map;

	map[1] = fixed[1];
	clear(plain, 1000);
	return static_cast<int>(weigh(fixed, 1000) + reach(fixed, 1000) + lengthen(map) + opaque(plain));
}
