// SPDX-License-Identifier: BSD-3-Clause
// Vectors: filled at once, grown, reserved, moved, of vectors, in classes, in a pointer.
#include "corpus.h"

#include <memory>
#include <vector>

struct Mesh {
	std::vector<double> x;
	std::vector<double> y = std::vector<double>(COUNT);
};

static std::vector<double> global(COUNT);

__attribute__((noinline)) static std::vector<double> make(size_t count)
{
	std::vector<double> made(count); // site: result

	return made;
}

int main()
{
	std::vector<double> filled(COUNT, 1.0); // site: filled
	std::vector<double> grown;
	std::vector<double> reserved;
	std::vector<double> result = make(COUNT); // site: result
	std::vector<double> moved = std::move(result);
	std::vector<std::vector<double>> rows(8, std::vector<double>(COUNT / 8)); // site: rows[]
	Mesh mesh;
	auto owned = std::make_unique<Mesh>();

	for (int i = 0; i < COUNT; i++)
		grown.push_back(i); // site: grown
	reserved.reserve(COUNT);    // site: reserved
	reserved.resize(COUNT);
	mesh.x.assign(COUNT, 1.0); // site: mesh.x
	owned->x.resize(COUNT);    // site: owned->x
	TRUTH(filled.data(), BYTES, "filled");
	TRUTH(grown.data(), BYTES, "grown");
	TRUTH(reserved.data(), BYTES, "reserved");
	TRUTH(moved.data(), BYTES, "result|moved|made");
	for (auto &row : rows)
		TRUTH(row.data(), BYTES / 8, "rows[]|rows");
	TRUTH(mesh.x.data(), BYTES, "mesh.x");
	TRUTH(mesh.y.data(), BYTES, "mesh.y");
	TRUTH(owned->x.data(), BYTES, "owned->x|owned.x");
	TRUTH(global.data(), BYTES, "global");
}
