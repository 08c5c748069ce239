// SPDX-License-Identifier: BSD-3-Clause
// Accesses to containers of C++: after "//", the members that a line accesses, as in records.c.
#include <list>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

namespace graph
{
struct Edge {
	int from, to;
	double weight;
};

struct Base {
	long id;
};

struct Node : Base {
	double value;
	std::vector<double> data;
	double at(long i) const;
	double sum() const;
};

struct Table : Base {
	double data[100];
};

double Node::at(long i) const
{
	double v = value; // ?graph::Node.value

	v += id; // graph::Node.id; ?graph::Node.value
	return v + data.data()[i]; // ?graph::Node.data._M_impl._M_start; ?double; ?graph::Node.value; ?(no-variable)
}
}

template <typename T> struct Pair {
	T first, second;
};

double sum_edges(const std::vector<graph::Edge> &edges)
{
	double s = 0;

	for (const graph::Edge &e : edges)
		s += e.weight; // graph::Edge.weight
	return s;
}

double of_map(const std::unordered_map<int, graph::Edge> &map)
{
	double s = 0;

	for (const auto &pair : map)
		s += pair.second.weight; // std::pair<int const, graph::Edge>.second.weight
	return s;
}

double of_tree(const std::map<long, double> &tree)
{
	double s = 0;

	for (const auto &pair : tree)
		s += pair.second; // std::pair<long int const, double>.second
	return s;
}

long of_list(const std::list<graph::Edge> &list)
{
	long s = 0;

	for (const graph::Edge &e : list)
		s += e.to; // graph::Edge.to
	return s;
}

long of_template(const Pair<std::pair<long, long>> &pair)
{
	return pair.second.first; // Pair<std::pair<...> >.second.first
}

double of_pointer(const std::unique_ptr<graph::Node> &node)
{
	const graph::Node &n = *node.get();

	return n.value; // graph::Node.value; ?std::unique_ptr<graph::Node>._M_t._M_t._M_head_impl
}

double of_derived(const graph::Table *table, long n)
{
	double s = 0;

	for (long i = 0; i < n; i++)
		s += table->data[i]; // graph::Table.data
	return s + table->id; // graph::Table.id
}
