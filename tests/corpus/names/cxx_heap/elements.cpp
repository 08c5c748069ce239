// SPDX-License-Identifier: BSD-3-Clause
// Vectors of objects with blocks of their own: by value, by pointer and in arrays.
#include "corpus.h"

#include <array>
#include <memory>
#include <vector>

struct Tile {
	std::vector<double> cells;
	double *raw = nullptr;
};

static std::array<Tile, 3> tiles;

int main()
{
	std::vector<Tile> values(3);
	std::vector<std::unique_ptr<Tile>> pointers;

	for (auto &tile : values)
		tile.cells.resize(COUNT); // site: values[].cells
	for (int i = 0; i < 3; i++) {
		pointers.push_back(std::make_unique<Tile>());
		pointers[i]->cells.resize(COUNT); // site: pointers[]->cells
		tiles[i].cells.resize(COUNT);     // site: tiles[].cells
		tiles[i].raw = new double[COUNT]; // site: tiles[].raw
	}
	for (auto &tile : values)
		TRUTH(tile.cells.data(), BYTES, "values[].cells|tile.cells");
	for (auto &tile : pointers)
		TRUTH(tile->cells.data(), BYTES, "pointers[]->cells|pointers[].cells");
	for (auto &tile : tiles)
		TRUTH(tile.cells.data(), BYTES, "tiles[].cells|tiles[*].cells");
	for (auto &tile : tiles)
		TRUTH(tile.raw, BYTES, "tiles[].raw|tiles[*].raw");
}
