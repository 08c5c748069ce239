// SPDX-License-Identifier: BSD-3-Clause
// Strings and streams, vectors of strings, and pairs in vectors.
#include "corpus.h"

#include <string>
#include <vector>

struct Edge {
	int from, to;
	double weight;
};

int main()
{
	std::string filled(BYTES, 'x'); // site: filled
	std::string grown;
	std::vector<std::string> names(8);
	std::vector<Edge> edges;
	std::vector<std::pair<int, double>> pairs;
	std::vector<char> bytes(BYTES); // site: bytes

	for (int i = 0; i < BYTES; i++)
		grown += 'y'; // site: grown
	for (auto &name : names)
		name.resize(BYTES / 8); // site: names[]
	for (int i = 0; i < COUNT; i++) {
		edges.push_back({i, i + 1, 1.0}); // site: edges
		pairs.emplace_back(i, 1.0);       // site: pairs
	}
	TRUTH(filled.data(), BYTES, "filled");
	TRUTH(grown.data(), BYTES, "grown");
	for (auto &name : names)
		TRUTH(name.data(), BYTES / 8, "names[]|name|names");
	TRUTH(edges.data(), BYTES, "edges");
	TRUTH(pairs.data(), BYTES, "pairs");
	TRUTH(bytes.data(), BYTES, "bytes");
}
