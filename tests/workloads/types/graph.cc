// SPDX-License-Identifier: BSD-3-Clause
/*
 * Walks over arrays of structures, structures of arrays, and the nodes of containers. Each kind of object is in memory of its own, which
 * the program prints with the size of the objects, so that the address of an access shows what it accesses.
 */
#include "objects.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <map>
#include <unordered_map>

#include <memphis.h>

struct Edge {
	int from, to;
	double weight;
};

struct Particle {
	double x, y;
	Edge *first;
	long steps;
};

struct Fields {
	double *x, *y;
	long count;
};

static const char *building; /* the kind of container whose nodes are allocated */

/* Takes the nodes of a container from one block, and its tables from others. */
template <typename T> struct Pool {
	using value_type = T;
	Pool() = default;
	template <typename U> Pool(const Pool<U> &)
	{
	}

	T *allocate(std::size_t count)
	{
		static char *block, *at;
		char kind[64];

		if (count > 1) {
			std::snprintf(kind, sizeof(kind), "%s_table", building);
			return reinterpret_cast<T *>(memory_of(kind, count * sizeof(T), sizeof(T)));
		}
		if (!block)
			at = block = memory_of(building, 4096 * sizeof(T), sizeof(T));
		at += sizeof(T);
		return reinterpret_cast<T *>(at - sizeof(T));
	}

	void deallocate(T *, std::size_t)
	{
	}

	bool operator==(const Pool &) const
	{
		return true;
	}
};

using Table = std::unordered_map<int, Edge, std::hash<int>, std::equal_to<int>, Pool<std::pair<const int, Edge>>>;
using Tree = std::map<long, double, std::less<long>, Pool<std::pair<const long, double>>>;
using List = std::list<Edge, Pool<Edge>>;

enum { COUNT = 4000, TIMES = 40 };

__attribute__((noinline)) static double of_particles(const Particle *particles, long count)
{
	double sum = 0;

	for (long i = 0; i < count; i++)
		sum += particles[i].x + particles[i].steps + particles[i].first->weight;
	return sum;
}

__attribute__((noinline)) static double of_fields(const Fields &fields)
{
	double sum = 0;

	for (long i = 0; i < fields.count; i++)
		sum += fields.x[i] * fields.y[i];
	return sum;
}

__attribute__((noinline)) static double of_table(const Table &table)
{
	double sum = 0;

	for (const auto &pair : table)
		sum += pair.second.weight;
	return sum;
}

__attribute__((noinline)) static double found_in_table(const Table &table)
{
	double sum = 0;

	for (int i = 0; i < COUNT; i += 3) {
		auto at = table.find(i);

		if (at != table.end())
			sum += at->second.to;
	}
	return sum;
}

__attribute__((noinline)) static double found_in_tree(const Tree &tree)
{
	double sum = 0;

	for (long i = 0; i < COUNT; i += 5) {
		auto at = tree.find(i);

		if (at != tree.end())
			sum += at->second;
	}
	return sum;
}

__attribute__((noinline)) static long of_list(const List &list)
{
	long sum = 0;

	for (const Edge &edge : list)
		sum += edge.to;
	return sum;
}

int main()
{
	Particle *particles = reinterpret_cast<Particle *>(memory_of("particles", COUNT * sizeof(Particle), sizeof(Particle)));
	Edge *edges = reinterpret_cast<Edge *>(memory_of("edges", COUNT * sizeof(Edge), sizeof(Edge)));
	Fields fields = {reinterpret_cast<double *>(memory_of("x", 8 * COUNT, 8)),
			 reinterpret_cast<double *>(memory_of("y", 8 * COUNT, 8)), COUNT};
	double sum = 0;

	building = "table";
	Table table(COUNT);
	for (int i = 0; i < COUNT; i++)
		table[i * 7 % COUNT] = {i, i + 1, 0.5};
	building = "tree";
	Tree tree;
	for (long i = 0; i < COUNT; i++)
		tree[i * 7 % COUNT] = 1;
	building = "list";
	List list;
	for (int i = 0; i < COUNT; i++) {
		list.push_back({i, i, 1});
		edges[i] = {i, i, 1};
		particles[i] = {1, 2, &edges[i * 7 % COUNT], i};
		fields.x[i] = fields.y[i] = 1;
	}
	workload_objects();
	memphis_begin("Walks");
	for (int time = 0; time < TIMES; time++) {
		/* The compiler would make one walk and multiply its sum. */
		__asm__ volatile("" : : : "memory");
		sum += of_particles(particles, COUNT) + of_fields(fields) + of_table(table) + found_in_table(table) +
		       found_in_tree(tree) + static_cast<double>(of_list(list));
	}
	memphis_end("Walks");
	std::printf("sum %g\n", sum);
	return 0;
}
