// SPDX-License-Identifier: BSD-3-Clause
// Containers of small nodes: map, unordered_map, list, set.
#include "corpus.h"

#include <list>
#include <map>
#include <set>
#include <unordered_map>

enum { NODES = 4000 };

int main()
{
	std::map<long, double> ordered;
	std::unordered_map<long, double> hashed;
	std::list<double> listed;
	std::set<long> numbers;

	for (long i = 0; i < NODES; i++)
		ordered[i] = i; // site: ordered
	for (long i = 0; i < NODES; i++)
		hashed[i] = i; // site: hashed
	for (long i = 0; i < NODES; i++)
		listed.push_back(i); // site: listed
	for (long i = 0; i < NODES; i++)
		numbers.insert(i); // site: numbers
	for (auto &one : ordered)
		TRUTH(&one, sizeof(one), "ordered|ordered[]");
	for (auto &one : hashed)
		TRUTH(&one, sizeof(one), "hashed|hashed[]");
	for (auto &one : listed)
		TRUTH(&one, sizeof(one), "listed|listed[]");
	for (auto &one : numbers)
		TRUTH(&one, sizeof(one), "numbers|numbers[]");
}
