// SPDX-License-Identifier: BSD-3-Clause
// A unit of the large debug binary of bench-symbols: containers and algorithms over types of the unit.
#include <algorithm>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <numeric>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

namespace
{
template <int N> struct item {
	double value[N];
	std::string name;
	bool operator<(const item &other) const
	{
		return name != other.name ? name < other.name : value[0] < other.value[0];
	}
};
template <int N> item<N> make(int i)
{
	item<N> one{};
	std::ostringstream text;
	text << "item " << i % 97;
	one.name = text.str();
	for (int j = 0; j < N; j++)
		one.value[j] = i * j;
	return one;
}
template <int N> double work(int n)
{
	std::vector<item<N>> list;
	std::map<std::string, item<N>> sorted;
	std::unordered_map<std::string, std::shared_ptr<item<N>>> hashed;
	std::multiset<item<N>> bag;
	std::deque<item<N>> queue;
	std::list<item<N>> chain;
	for (int i = 0; i < n; i++) {
		list.push_back(make<N>(i));
		sorted.emplace(list.back().name, list.back());
		hashed[list.back().name] = std::make_shared<item<N>>(list.back());
		bag.insert(list.back());
		queue.push_front(list.back());
		chain.push_back(list.back());
	}
	std::sort(list.begin(), list.end());
	std::stable_sort(queue.begin(), queue.end());
	chain.sort();
	chain.unique([](const item<N> &a, const item<N> &b) { return a.name == b.name; });
	std::partial_sort(list.begin(), list.begin() + n / 2, list.end(),
			  [](const item<N> &a, const item<N> &b) { return b < a; });
	std::function<double(double, const item<N> &)> add = [](double sum, const item<N> &one) {
		return sum + one.value[N - 1];
	};
	return std::accumulate(list.begin(), list.end(), 0.0, add) +
	       std::accumulate(chain.begin(), chain.end(), 0.0, add) +
	       std::accumulate(bag.begin(), bag.end(), 0.0, add) + sorted.begin()->second.value[0] +
	       hashed.begin()->second->value[0];
}
} // namespace

double ENTRY(int n)
{
	return work<UNIT * 8 + 1>(n) + work<UNIT * 8 + 2>(n) + work<UNIT * 8 + 3>(n) + work<UNIT * 8 + 4>(n) +
	       work<UNIT * 8 + 5>(n) + work<UNIT * 8 + 6>(n) + work<UNIT * 8 + 7>(n) + work<UNIT * 8 + 8>(n);
}
