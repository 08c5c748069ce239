// SPDX-License-Identifier: BSD-3-Clause
// Strings, deques, value arrays, arrays on the heap, and containers of a class.
#include "corpus.h"

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <queue>
#include <string>
#include <valarray>
#include <vector>

int main()
{
	std::string text(BYTES, 'x');                               // site: text
	std::valarray<double> values(COUNT);                        // site: values
	std::deque<double> queue(COUNT);                            // site: queue
	std::vector<bool> marks(8 * BYTES);                         // site: marks
	auto cells = std::make_unique<std::array<double, COUNT>>(); // site: cells
	std::map<int, std::vector<double>> levels;
	std::vector<std::unique_ptr<double[]>> blocks;
	std::vector<std::array<double, 4>> points(COUNT / 4); // site: points
	std::pair<std::vector<double>, std::vector<double>> both;

	for (int i = 0; i < 4; i++) {
		levels[i].resize(COUNT);                             // site: levels[]
		blocks.push_back(std::make_unique<double[]>(COUNT)); // site: blocks[]
	}
	both.first.resize(COUNT);  // site: both.first
	both.second.resize(COUNT); // site: both.second
	TRUTH(text.data(), BYTES, "text");
	TRUTH(&values[0], BYTES, "values");
	TRUTH(&queue[COUNT / 2], 256, "queue|queue[]");
	TRUTH(cells->data(), BYTES, "cells");
	for (auto &level : levels)
		TRUTH(level.second.data(), BYTES, "levels[]|levels");
	for (auto &block : blocks)
		TRUTH(block.get(), BYTES, "blocks[]|blocks");
	TRUTH(points.data(), BYTES, "points");
	TRUTH(both.first.data(), BYTES, "both.first");
	TRUTH(both.second.data(), BYTES, "both.second");
	corpus_use(&marks);
}
