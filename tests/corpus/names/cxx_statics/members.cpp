// SPDX-License-Identifier: BSD-3-Clause
// Static members of classes, also nested ones, and objects of file scope with arrays in them.
#include "corpus.h"

#include <array>

struct Grid {
	static double area[COUNT];
	struct Inner {
		static double area[COUNT];
	};
	double depth[COUNT];
};
double Grid::area[COUNT];
double Grid::Inner::area[COUNT];

static Grid grid;
static std::array<Grid, 2> grids;
constinit static thread_local double scratch[COUNT] = {};

class Base
{
      public:
	double own[COUNT];
};
class Derived : public Base
{
      public:
	double more[COUNT];
};
static Derived derived;
// corpus: flags -std=c++20

int main()
{
	TRUTH(Grid::area, BYTES, "Grid::area");
	TRUTH(Grid::Inner::area, BYTES, "Grid::Inner::area");
	TRUTH(grid.depth, BYTES, "grid|grid.depth");
	TRUTH(grids[1].depth, BYTES, "grids|grids[1].depth");
	TRUTH(scratch, BYTES, "scratch");
	TRUTH(derived.own, BYTES, "derived|derived.own");
	TRUTH(derived.more, BYTES, "derived|derived.more");
}
